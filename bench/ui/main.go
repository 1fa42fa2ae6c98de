//go:build linux

// Command ui measures what the dashboard promises: how long it takes to show what is
// large, how soon a new step is seen, what it costs while one looks at it, in a real
// browser; where TensorBoard can do the same, next to it, on the same numbers written by
// its own writer, in turns. It prints a table in Markdown, or JSON.
//
//	go run ./bench/ui [-only many,points,...] [-peers] [-turns N] [-json]
//
// The runs are written once, below build/bench-ui (some 3 GB, minutes); a second time
// they are there. With -peers TensorBoard comes from build/env/peer-tensorboard, which
// is made where it is missing. A part that fails says so and the next one begins.
// Nothing else may run meanwhile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/environment"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// part measures some figures. It says what it found as soon as it knows.
type part struct {
	name  string
	about string
	limit time.Duration // after which it is given up; writing its runs is not counted
	make  func(b *bench) error
	run   func(ctx context.Context, b *bench, say func(*figure)) error
}

var parts = []part{
	{"size", "script and styles, compressed", 30 * time.Second, nil, measureSize},
	{"many", "first paint of 2,000 series", 3 * time.Minute, many.make, many.run},
	{"machine", "first paint of an hour of a machine", 2 * time.Minute, machine.make, machine.run},
	{"points", "10 million points in one chart, cold; zoom and pan", 5 * time.Minute, points.make, points.run},
	{"compare", "100 runs x 10 curves", 3 * time.Minute, compared.make, compared.run},
	{"table", "2,000 runs x 50 columns", 2 * time.Minute, table.make, table.run},
	{"search", "10,000 series searched", 2 * time.Minute, makeSearch, measureSearch},
	{"memory", "memory of the server", 3 * time.Minute, makeMemory, measureMemory},
	{"step", "a new step of a live run on the screen", 3 * time.Minute, nil, measureStep},
	{"live", "500 live series at 10 steps/s", 2 * time.Minute, nil, measureLive},
	{"events", "8 hours of events, played in minutes", 7 * time.Minute, nil, measureEvents},
}

// bench is what all parts share.
type bench struct {
	binary string // vigil
	dir    string // for what is needed now
	turns  int
	peers  bool
}

// made is where the runs lie that are written once.
var made = filepath.Join("build", "bench-ui")

func main() {
	if len(os.Args) > 1 && os.Args[1] == jobArgument {
		exit(job(os.Args[2:]))
	}
	only := flag.String("only", "", "parts, separated by commas; the others are left out")
	turns := flag.Int("turns", 7, "how often each page is opened")
	peers := flag.Bool("peers", false, "also TensorBoard")
	asJSON := flag.Bool("json", false, "print JSON instead of the table")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "go run ./bench/ui [flags]; the parts:")
		for _, p := range parts {
			fmt.Fprintf(flag.CommandLine.Output(), "  %-8s %s\n", p.name, p.about)
		}
		flag.PrintDefaults()
	}
	flag.Parse()
	exit(all(*only, *turns, *peers, *asJSON))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "ui:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func all(only string, turns int, peers, asJSON bool) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := os.MkdirAll(made, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(made, "now-") // on the disk of the runs, so that files can be linked
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	b := &bench{dir: dir, turns: max(turns, 1), peers: peers}
	progress("building vigil")
	if b.binary, err = build(dir); err != nil {
		return err
	}
	if peers {
		if err := environment.Make(environment.TensorBoard); err != nil {
			return err
		}
	}
	r := &result{Date: time.Now().Format("2006-01-02 15:04"), System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), Load: load(), Browser: firstLine(browserPath(), "--version"), Commit: firstLine("git", "describe", "--always", "--dirty")}
	var out io.Writer = os.Stdout
	if asJSON {
		out = os.Stderr
	}
	fmt.Fprintf(out, "%s, %s, %d cores, load %s, %s, commit %s; each page is opened %d times in a new browser profile\n\n%s", r.Date, r.System, r.Cores, r.Load, r.Browser, r.Commit, b.turns, tableHead)
	bad := 0
	say := func(f *figure) {
		if f.Failed != "" {
			bad++
		}
		r.Figures = append(r.Figures, f)
		fmt.Fprint(out, f.row())
	}
	for _, p := range chosen {
		if ctx.Err() != nil {
			break
		}
		if err := p.measure(ctx, b, say); err != nil {
			say(&figure{Part: p.name, Name: p.about, Failed: err.Error()})
		}
	}
	if asJSON {
		if err := r.print(os.Stdout); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("ended before its end")
	case bad > 0:
		return fmt.Errorf("%d figures could not be measured", bad)
	}
	return nil
}

// measure does one part, within its time.
func (p *part) measure(ctx context.Context, b *bench, say func(*figure)) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("a bug: %v", e)
		}
	}()
	began := time.Now()
	if p.make != nil {
		progress("%s: its runs", p.name)
		if err := p.make(b); err != nil {
			return err
		}
	}
	progress("%s: %s", p.name, p.about)
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	err = p.run(ctx, b, func(f *figure) {
		f.Part = p.name
		say(f)
	})
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("given up after %s", p.limit), err)
	}
	progress("%s: %s", p.name, time.Since(began).Round(time.Second))
	return err
}

func choose(only string) ([]part, error) {
	if only == "" {
		return parts, nil
	}
	var list []part
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(parts, func(p part) bool { return p.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("there is no part %q; -h lists them", name)
		}
		list = append(list, parts[i])
	}
	return list, nil
}

// progress says on stderr what is done now.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

func build(dir string) (string, error) {
	binary := filepath.Join(dir, "vigil")
	return binary, testenv.Build(binary)
}

func firstLine(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}
