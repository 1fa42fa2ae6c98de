package cli

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/feed"
	"github.com/vigil-ml/vigil/internal/judge"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/view"
)

// feedCmd reads a run for Python's create_trial: it is asked in frames on
// standard input and answers in frames on standard output. It is no command for
// people.
type feedCmd struct {
	Path string `arg:"" name:"run" placeholder:"RUN" help:"The run's directory."`
}

// Run answers until standard input ends.
func (c feedCmd) Run(a *app) error {
	t, err := openSource(c.Path)
	if err != nil {
		return &usage{Message: err.Error(), What: c.Path, Hint: "name the directory of a run: it contains run.json"}
	}
	defer t.Close()
	// A run is a manifest before it says what it is: one that has just begun is
	// given time for that, one that has lost it is read as it is.
	for range 20 {
		if !t.Run().Started.IsZero() {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	f := &feeder{t: t, tail: t.Tail(), enc: feed.NewEncoder(), out: bufio.NewWriterSize(a.stdout, 1<<20), completer: rules.NewCompleter(0), infos: map[string]*record.TensorInfo{}}
	defer f.tail.Close()
	in := bufio.NewReader(a.stdin)
	for {
		kind, payload, err := feed.Read(in, 1<<20)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f.answer(kind, payload)
		}
		if err == nil {
			err = f.out.Flush()
		}
		if err != nil {
			return fmt.Errorf("feed run %q: %w", c.Path, err)
		}
	}
}

// feeder hands over what it has not handed over yet.
type feeder struct {
	t         source.Run
	tail      source.Tail
	enc       *feed.Encoder
	out       *bufio.Writer
	completer *rules.Completer // of a run that was lost
	infos     map[string]*record.TensorInfo
	named     string // what was said last of the tensors
	ended     bool
}

func (f *feeder) answer(kind byte, payload []byte) error {
	switch kind {
	case feed.Pass:
		return f.pass()
	case feed.Ask:
		q, err := feed.ParseQuestion(payload)
		if err != nil {
			return err
		}
		return f.values(q)
	}
	return fmt.Errorf("unknown question %q", kind)
}

func (f *feeder) values(q feed.Question) error {
	v, err := f.read(q)
	var b []byte
	if err == nil {
		b, err = feed.Answer(v)
	}
	if err != nil {
		return f.say(feed.None, map[string]string{"error": err.Error()})
	}
	_, err = f.out.Write(b)
	return err
}

func (f *feeder) read(q feed.Question) (tensor.View, error) {
	if q.Stat == "" {
		return f.t.Raw(q.Tensor, q.Mode, q.ModeStep, q.Worker)
	}
	if v, ok, err := f.byTime(q); ok {
		return v, err
	}
	rows, err := f.t.Stats(source.Query{Tensor: q.Tensor, Mode: q.Mode, Worker: q.Worker, From: q.ModeStep, To: q.ModeStep + 1})
	if err != nil {
		return tensor.View{}, err
	}
	h := view.FullHistograms(rows)
	if q.Stat != histStat || h == nil {
		return tensor.View{}, fs.ErrNotExist
	}
	var b []byte
	for _, n := range h.Counts[0] {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return tensor.View{DType: tensor.I64, Shape: []int64{view.AllBins}, Data: b}, nil
}

func (f *feeder) say(kind byte, v any) error {
	b, err := feed.JSON(kind, v)
	if err == nil {
		_, err = f.out.Write(b)
	}
	return err
}

// pass hands over the complete steps stored since the last one.
func (f *feeder) pass() error {
	// What was stored before the run ended is there when it says so.
	run := f.t.Run()
	if !f.ended {
		if err := f.names(); err != nil {
			return err
		}
		err := f.tail.Next(func(c *record.Complete) error {
			f.completer.Resume(c)
			return f.step(c)
		})
		if err == nil && run.Status == record.Lost && !run.Over() {
			err = judge.Undecided(f.t, f.completer, f.step)
		}
		if err != nil {
			return err
		}
		if err := f.names(); err != nil {
			return err
		}
	}
	if run.Status == record.Running {
		return f.say(feed.Pass, nil)
	}
	f.ended = true
	return f.say(feed.End, map[string]string{"status": run.Status})
}

// names says what tensors are, when there is news.
func (f *feeder) names() error {
	list := append([]record.TensorInfo{}, f.t.Announced()...)
	b, err := json.Marshal(list)
	if err != nil || string(b) == f.named {
		return err
	}
	f.named = string(b)
	for i := range list {
		f.infos[list[i].Name] = &list[i]
	}
	return f.say(feed.Names, list)
}

func (f *feeder) step(c *record.Complete) error {
	f.enc.Begin(c.Step, c.Mode, c.ModeStep, c.Time)
	for _, p := range c.Parts {
		for _, s := range p.Scalars {
			f.enc.Scalar(p.Worker, f.info(s.Name, true), s.Value)
		}
		for i := range p.Stats {
			s := &p.Stats[i]
			f.enc.Tensor(p.Worker, f.info(s.Tensor, false), &s.Stats, slices.Contains(p.Raw, s.Tensor))
		}
		for i := range p.Derived {
			if d := &p.Derived[i]; d.Stat == record.StringCount {
				f.enc.Tensor(p.Worker, f.info(d.Tensor, false), feed.Strings(d.Value), slices.Contains(p.Raw, d.Tensor))
			}
			f.enc.Derived(p.Worker, f.info(p.Derived[i].Tensor, false), &p.Derived[i])
		}
	}
	b, err := f.enc.Frame()
	if err == nil {
		_, err = f.out.Write(b)
	}
	return err
}

func (f *feeder) info(name string, scalar bool) *record.TensorInfo {
	i := f.infos[name]
	if i == nil {
		i = &record.TensorInfo{Name: name, Kind: rules.GuessKind(name, scalar)}
		f.infos[name] = i
	}
	return i
}
