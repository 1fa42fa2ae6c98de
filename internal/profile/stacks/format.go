package stacks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// Suffix of the files of windows: gzip-compressed protocol buffers of pprof.
const Suffix = ".pb.gz"

// comment is how the comment begins that has what pprof has no field for.
const comment = "vigil: "

// Names of labels.
const (
	labelThread  = "thread"
	labelProcess = "process"
	labelPID     = "pid"
)

// process is what a process is called in the file.
func (s *Sampled) process() string {
	if s.Kind == Rank {
		return Rank
	}
	if s.Name != "" {
		return LoaderWorker + " " + s.Name
	}
	return LoaderWorker
}

// pprof is the window in pprof's form.
func (w *Window) pprof() (*profile.Profile, error) {
	about, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "time", Unit: "nanoseconds"}}, DefaultSampleType: "time",
		TimeNanos: w.Began.UnixNano(), DurationNanos: int64(w.Seconds * 1e9),
		PeriodType: &profile.ValueType{Type: "time", Unit: "nanoseconds"}, Comments: []string{comment + string(about)},
	}
	functions, locations := map[[2]string]*profile.Function{}, map[Frame]*profile.Location{}
	location := func(f Frame) *profile.Location {
		if l := locations[f]; l != nil {
			return l
		}
		key := [2]string{f.File, f.Function}
		fn := functions[key]
		if fn == nil {
			fn = &profile.Function{ID: uint64(len(p.Function) + 1), Name: f.Function, SystemName: f.Function, Filename: f.File}
			functions[key] = fn
			p.Function = append(p.Function, fn)
		}
		l := &profile.Location{ID: uint64(len(p.Location) + 1), Line: []profile.Line{{Function: fn, Line: int64(f.Line)}}}
		locations[f] = l
		p.Location = append(p.Location, l)
		return l
	}
	for i := range w.Processes {
		s := &w.Processes[i]
		p.Period = max(p.Period, int64(s.Interval))
		for _, st := range s.Stacks {
			sample := &profile.Sample{
				Value:    []int64{st.Samples, int64(st.Time)},
				Label:    map[string][]string{labelThread: {st.Thread}, labelProcess: {s.process()}},
				NumLabel: map[string][]int64{labelPID: {int64(s.PID)}},
			}
			for _, f := range st.Frames {
				sample.Location = append(sample.Location, location(f))
			}
			p.Sample = append(p.Sample, sample)
		}
	}
	return p, p.CheckValid()
}

// Encode is the window as its file holds it.
func (w *Window) Encode() ([]byte, error) {
	p, err := w.pprof()
	if err != nil {
		return nil, fmt.Errorf("encode window %d: %w", w.Number, err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return nil, fmt.Errorf("encode window %d: %w", w.Number, err)
	}
	return b.Bytes(), nil
}

// maxFile bounds what a file of a window may be.
const maxFile = 256 << 20

// Decode reads the file of a window.
func Decode(r io.Reader) (*Window, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile))
	if err != nil {
		return nil, fmt.Errorf("read window: %w", err)
	}
	p, err := profile.ParseData(b)
	if err != nil {
		return nil, fmt.Errorf("read window: %w", err)
	}
	w := &Window{}
	found := false
	for _, c := range p.Comments {
		if about, ok := strings.CutPrefix(c, comment); ok {
			if err := json.Unmarshal([]byte(about), w); err != nil {
				return nil, fmt.Errorf("read window: its comment: %w", err)
			}
			found = true
		}
	}
	if !found || len(p.SampleType) != 2 {
		return nil, fmt.Errorf("read window: it was not written by Vigil")
	}
	w.Began, w.Seconds = time.Unix(0, p.TimeNanos).UTC(), float64(p.DurationNanos)/1e9
	at := map[int64]int{}
	for i := range w.Processes {
		at[int64(w.Processes[i].PID)] = i
	}
	for _, sample := range p.Sample {
		pid := sample.NumLabel[labelPID]
		if len(pid) != 1 {
			return nil, fmt.Errorf("read window: a sample without a process")
		}
		i, known := at[pid[0]]
		if !known {
			return nil, fmt.Errorf("read window: a sample of process %d, which is not in the window", pid[0])
		}
		st := Stack{Samples: sample.Value[0], Time: time.Duration(sample.Value[1])}
		if t := sample.Label[labelThread]; len(t) == 1 {
			st.Thread = t[0]
		}
		for _, l := range sample.Location {
			for _, line := range l.Line {
				f := Frame{Line: int(line.Line)}
				if line.Function != nil {
					f.File, f.Function = line.Function.Filename, line.Function.Name
				}
				st.Frames = append(st.Frames, f)
			}
		}
		w.Processes[i].Stacks = append(w.Processes[i].Stacks, st)
	}
	return w, nil
}

// Collapsed writes the window as lines of collapsed stacks: process, thread and
// frames from the outermost on between semicolons, then a blank and microseconds.
func (w *Window) Collapsed(out io.Writer) error {
	for i := range w.Processes {
		s := &w.Processes[i]
		for _, st := range s.Stacks {
			parts := []string{plain(s.process()), plain(st.Thread)}
			for n := len(st.Frames) - 1; n >= 0; n-- {
				parts = append(parts, plain(st.Frames[n].title()))
			}
			if _, err := fmt.Fprintf(out, "%s %d\n", strings.Join(parts, ";"), st.Time.Microseconds()); err != nil {
				return fmt.Errorf("write collapsed stacks: %w", err)
			}
		}
	}
	return nil
}

// title is a frame in one word or two: "load (dataset.py:88)".
func (f *Frame) title() string {
	return fmt.Sprintf("%s (%s:%d)", f.Function, path.Base(f.File), f.Line)
}

// plain takes what separates out of a word of a collapsed stack.
func plain(s string) string {
	return strings.NewReplacer(";", ",", "\n", " ", "\r", " ").Replace(s)
}

// Speedscope's file format, as far as it is needed: https://www.speedscope.app/file-format-schema.json.
type (
	speedscopeFile struct {
		Schema             string              `json:"$schema"`
		Name               string              `json:"name"`
		Exporter           string              `json:"exporter"`
		ActiveProfileIndex int                 `json:"activeProfileIndex"`
		Shared             speedscopeShared    `json:"shared"`
		Profiles           []speedscopeProfile `json:"profiles"`
	}
	speedscopeShared struct {
		Frames []speedscopeFrame `json:"frames"`
	}
	speedscopeFrame struct {
		Name string `json:"name"`
		File string `json:"file,omitempty"`
		Line int    `json:"line,omitempty"`
	}
	speedscopeProfile struct {
		Type       string  `json:"type"`
		Name       string  `json:"name"`
		Unit       string  `json:"unit"`
		StartValue int64   `json:"startValue"`
		EndValue   int64   `json:"endValue"`
		Samples    [][]int `json:"samples"`
		Weights    []int64 `json:"weights"`
	}
)

const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// Speedscope writes the window for https://www.speedscope.app: a profile for each
// thread of each process.
func (w *Window) Speedscope(out io.Writer, run string) error {
	f := speedscopeFile{Schema: speedscopeSchema, Name: fmt.Sprintf("%s, %s, window %d", run, w.Worker, w.Number), Exporter: "vigil",
		Shared: speedscopeShared{Frames: []speedscopeFrame{}}, Profiles: []speedscopeProfile{}}
	at := map[Frame]int{}
	for i := range w.Processes {
		s := &w.Processes[i]
		byThread := map[string]int{}
		for _, st := range s.Stacks {
			n, there := byThread[st.Thread]
			if !there {
				n = len(f.Profiles)
				byThread[st.Thread] = n
				f.Profiles = append(f.Profiles, speedscopeProfile{Type: "sampled", Name: fmt.Sprintf("%s (process %d), %s", s.process(), s.PID, st.Thread), Unit: "nanoseconds", Samples: [][]int{}, Weights: []int64{}})
			}
			chain := []int{}
			for k := len(st.Frames) - 1; k >= 0; k-- {
				frame := st.Frames[k]
				place, known := at[frame]
				if !known {
					place = len(f.Shared.Frames)
					at[frame] = place
					f.Shared.Frames = append(f.Shared.Frames, speedscopeFrame{frame.Function, frame.File, frame.Line})
				}
				chain = append(chain, place)
			}
			p := &f.Profiles[n]
			p.Samples = append(p.Samples, chain)
			p.Weights = append(p.Weights, int64(st.Time))
			p.EndValue += int64(st.Time)
		}
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(&f); err != nil {
		return fmt.Errorf("write speedscope file: %w", err)
	}
	return nil
}
