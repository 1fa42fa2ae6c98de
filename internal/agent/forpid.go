package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/store"
)

// ForPID starts from a hook that found no agent (`vigil agent --for-pid`).
type ForPID struct {
	PID     int    // the training process
	Dir     string // root of the runs; empty: the configured one
	Name    string // of the run; empty: made from time and script
	Vigil   string // version
	Script  string // empty: read from the process
	WorkDir string // directory to read vigil.yaml in; empty: the process's
	Python  Python
}

// Address is what the agent of a hook prints on its standard output once it
// listens.
type Address struct {
	Socket string `json:"socket"`
	Run    string `json:"run"`
	Look   *bool  `json:"look,omitempty"`   // false: facts of the training are not to be read
	Source *bool  `json:"source,omitempty"` // false: places in the script are not to be noted
}

// RunForPID is `vigil agent --for-pid`: it makes its own settings, hands the
// address to ready once it listens, and works until every worker has said bye
// or died. Events are written to events, which may be io.Discard.
func RunForPID(ctx context.Context, f ForPID, ready func(Address) error, events io.Writer) error {
	trainer, err := proc.Read(f.PID)
	if err != nil {
		return fmt.Errorf("serve process %d: %w", f.PID, err)
	}
	dir, err := os.MkdirTemp(socketRoot(), "vigil-")
	if err != nil {
		return fmt.Errorf("make the socket's directory: %w", err)
	}
	defer os.RemoveAll(dir)
	set, err := f.settings(filepath.Join(dir, "s"))
	if err != nil {
		return err
	}
	base := set.Name
	var r *running
	for try := 2; ; try++ {
		if r, err = start(ctx, set, events, (*job).stopProcesses); !errors.Is(err, store.ErrExists) || f.Name != "" || try > 1000 {
			break
		}
		set.Name = fmt.Sprintf("%s-%d", base, try)
	}
	if err != nil {
		return err
	}
	address := Address{Socket: set.Socket, Run: r.job.store.Path()}
	if set.Config.NoLook {
		address.Look = new(bool)
	}
	if set.Config.NoSource {
		address.Source = new(bool)
	}
	if err := ready(address); err != nil {
		return errors.Join(err, r.finish(Ended{Status: record.Failed}, false))
	}
	r.follow(ctx, trainer.ID)
	e := r.guess()
	if by := r.job.stoppedBy(); by != nil {
		e = Ended{Status: record.Stopped, StoppedBy: by.rule}
	}
	return r.finish(e, false)
}

// follow waits until the workers are gone: all of them, if there were any,
// else the process itself.
func (r *running) follow(ctx context.Context, p proc.ID) {
	for ctx.Err() == nil {
		if _, seen, _ := r.job.live(); seen > 0 {
			r.waitGone(ctx)
			return
		}
		if !proc.Alive(p) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// socketRoot is where sockets live: a directory of the user's session if there
// is one, since the path has to be short.
func socketRoot() string {
	if d := os.Getenv("XDG_RUNTIME_DIR"); d != "" && len(d) < 60 {
		if st, err := os.Stat(d); err == nil && st.IsDir() {
			return d
		}
	}
	if d := os.TempDir(); len(d) < 60 {
		return d
	}
	return "/tmp"
}

// settings are what `vigil run` would have made from the process.
func (f ForPID) settings(socket string) (Settings, error) {
	command, directory := processCommand(f.PID)
	if f.WorkDir != "" {
		directory = f.WorkDir
	}
	var flags config.Flags
	if f.Dir != "" {
		flags.Dir = &f.Dir
	}
	if f.Name != "" {
		flags.Name = &f.Name
	}
	c, err := config.Resolve(flags, os.Environ(), directory, Known())
	if err != nil {
		return Settings{}, err
	}
	root := c.Dir
	if !filepath.IsAbs(root) {
		root = filepath.Join(directory, root)
	}
	host, _ := os.Hostname()
	script, named := f.Script, []string{f.Script}
	if script == "" {
		script, named = Script(command), command
	}
	started := time.Now()
	name := c.Name
	if name == "" {
		name = RunName(started, named)
	}
	c.Dir = root
	return Settings{
		Name: name, Dir: root, Command: command, Directory: directory, Script: script, Host: host,
		Started: started.UTC(), Config: c, Socket: socket, Vigil: f.Vigil, Python: f.Python,
	}, nil
}

// Known is what the configuration must know of the rules.
func Known() config.Catalogue {
	c := config.Catalogue{Lookup: func(name string) (string, []string, bool) {
		d, ok := rules.Lookup(name)
		if !ok {
			return "", nil, false
		}
		params, err := rules.Parameters(name)
		return d.Name, params, err == nil
	}, Foreign: rules.Foreign, Notice: rules.Notice, Own: []config.Own{
		{Key: "expression", Of: "an expression", Params: rules.ExpressionParameters()},
		{Key: "source", Of: "a Python class", Params: rules.PythonParameters(), Free: true, Paths: []string{"source", "python"}},
	}, CheckOwn: func(name string, params map[string]string) error {
		return rules.Check(rules.Config{Rule: name, Params: params})
	}}
	for _, d := range rules.Catalogue() {
		c.Names = append(c.Names, d.Name)
	}
	return c
}
