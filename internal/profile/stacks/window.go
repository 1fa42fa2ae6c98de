package stacks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Enough is how many samples of a process are needed before a line of it is named:
// below that a share may be off by many points.
const Enough = 200

// Window is what was seen in one window of one training process and of its loader
// workers.
type Window struct {
	Worker    string    `json:"worker"`
	Number    int       `json:"window"` // within the run, from 1
	Why       string    `json:"why"`    // what asked for it
	Automatic bool      `json:"automatic,omitempty"`
	Began     time.Time `json:"-"`
	Seconds   float64   `json:"-"`             // that were sampled
	FirstStep int64     `json:"first_step"`    // TRAIN step under way when it began
	EndStep   int64     `json:"end_step"`      // the first TRAIN step that had not been closed when it ended
	Cut       string    `json:"cut,omitempty"` // why it ended early; empty: it did not
	// Loaders counts the loader workers that there were; at most eight of them are
	// sampled.
	Loaders   int       `json:"loader_workers,omitempty"`
	Processes []Sampled `json:"processes"`
}

// Sampled is what was seen of one process.
type Sampled struct {
	PID      int           `json:"pid"`
	Kind     string        `json:"kind"`           // Rank or LoaderWorker
	Name     string        `json:"name,omitempty"` // what multiprocessing calls it
	Samples  int64         `json:"samples"`
	Interval time.Duration `json:"interval_ns"` // between samples, at the end
	Stacks   []Stack       `json:"-"`
}

// Stack is how long a thread stood at one place.
type Stack struct {
	Thread  string
	Frames  []Frame // the innermost first
	Time    time.Duration
	Samples int64
	// Python is the time of it in which the innermost call carried out Python's own
	// instructions; it is not stored.
	Python time.Duration
	// Call is the function without a frame, such as one that is written in C, that the
	// innermost call of the user's own was carrying out, as it is spelt there; "" where there
	// is none, or it is not known. Graph tells that a model had returned what backward was
	// still to come to. Neither is stored.
	Call  string
	Graph bool
}

// Total is the time that was sampled of a process's thread that has most of it.
func (s *Sampled) Total() time.Duration {
	by := map[string]time.Duration{}
	var total time.Duration
	for _, st := range s.Stacks {
		by[st.Thread] += st.Time
		total = max(total, by[st.Thread])
	}
	return total
}

// Trains is the process that trains; nil when there is none.
func (w *Window) Trains() *Sampled {
	for i := range w.Processes {
		if w.Processes[i].Kind == Rank {
			return &w.Processes[i]
		}
	}
	return nil
}

// Loading are the loader workers together; nil when none was sampled. n counts them.
func (w *Window) Loading() (s *Sampled, n int) {
	for i := range w.Processes {
		p := &w.Processes[i]
		if p.Kind != LoaderWorker {
			continue
		}
		if n++; s == nil {
			s = &Sampled{Kind: LoaderWorker}
		}
		s.Samples += p.Samples
		s.Stacks = append(s.Stacks, p.Stacks...)
	}
	return s, n
}

// Named reports whether there are enough samples of a process to name lines of it.
func (s *Sampled) Named() bool { return s.Samples >= Enough }

// sent is a window as a hook sends it.
type sent struct {
	Number    int     `json:"number"`
	Session   string  `json:"session"`
	PID       int     `json:"pid"`
	BeganNS   int64   `json:"began_ns"`
	Seconds   float64 `json:"seconds"`
	FirstStep int64   `json:"first_step"`
	EndStep   int64   `json:"end_step"`
	Cut       string  `json:"cut"`
	Workers   int     `json:"workers"`
	Processes []struct {
		PID        int                  `json:"pid"`
		Kind       string               `json:"kind"`
		Name       string               `json:"name"`
		Samples    int64                `json:"samples"`
		NS         int64                `json:"ns"`
		IntervalNS int64                `json:"interval_ns"`
		Frames     [][3]json.RawMessage `json:"frames"`
		Stacks     [][]json.RawMessage  `json:"stacks"`
	} `json:"processes"`
}

// Bounds of what is taken of a hook.
const (
	maxProcesses = 64
	maxText      = 4096
	maxDepth     = 1024
)

var errUnfit = errors.New("the samples do not fit together")

// Sent reads what a hook sent. The worker's name, and who asked, are for the caller
// to fill in.
func Sent(b []byte) (w *Window, session string, err error) {
	var in sent
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, "", fmt.Errorf("read samples: %w", err)
	}
	if in.Number < 1 || in.Seconds < 0 || len(in.Processes) > maxProcesses || in.BeganNS <= 0 {
		return nil, "", fmt.Errorf("read samples: %w", errUnfit)
	}
	w = &Window{Number: in.Number, Began: time.Unix(0, in.BeganNS).UTC(), Seconds: in.Seconds, FirstStep: in.FirstStep, EndStep: in.EndStep, Cut: short(in.Cut), Loaders: in.Workers}
	for _, p := range in.Processes {
		s := Sampled{PID: p.PID, Kind: p.Kind, Name: short(p.Name), Samples: p.Samples, Interval: time.Duration(p.IntervalNS)}
		if p.Kind != Rank && p.Kind != LoaderWorker || p.Samples < 0 {
			return nil, "", fmt.Errorf("read samples of process %d: %w", p.PID, errUnfit)
		}
		frames := make([]Frame, len(p.Frames))
		for i, f := range p.Frames {
			if err := fields(f[:], &frames[i].File, &frames[i].Line, &frames[i].Function); err != nil {
				return nil, "", fmt.Errorf("read samples of process %d: %w", p.PID, err)
			}
			frames[i].File, frames[i].Function = short(frames[i].File), short(frames[i].Function)
		}
		for _, raw := range p.Stacks {
			var st Stack
			var chain []int
			var ns, python, graph int64
			if len(raw) != 5 && len(raw) != 7 { // earlier hooks don't send what a stack ends in
				return nil, "", fmt.Errorf("read samples of process %d: %w", p.PID, errUnfit)
			}
			if err := fields(raw, &st.Thread, &chain, &ns, &st.Samples, &python, &st.Call, &graph); err != nil {
				return nil, "", fmt.Errorf("read samples of process %d: %w", p.PID, err)
			}
			st.Python, st.Call, st.Graph = time.Duration(python), short(st.Call), graph != 0
			if ns < 0 || python < 0 || python > ns || st.Samples < 1 || len(chain) > maxDepth {
				return nil, "", fmt.Errorf("read samples of process %d: %w", p.PID, errUnfit)
			}
			st.Thread, st.Time = short(st.Thread), time.Duration(ns)
			for _, at := range chain {
				if at < 0 || at >= len(frames) {
					return nil, "", fmt.Errorf("read samples of process %d: %w", p.PID, errUnfit)
				}
				st.Frames = append(st.Frames, frames[at])
			}
			st.Frames = Below(st.Frames)
			s.Stacks = append(s.Stacks, st)
		}
		s.sort()
		w.Processes = append(w.Processes, s)
	}
	return w, in.Session, nil
}

// sort brings the stacks of a process into one order: the longest first.
func (s *Sampled) sort() {
	slices.SortStableFunc(s.Stacks, func(a, b Stack) int {
		switch {
		case a.Time > b.Time:
			return -1
		case a.Time < b.Time:
			return 1
		}
		return 0
	})
}

func fields(raw []json.RawMessage, to ...any) error {
	for i, v := range to[:min(len(to), len(raw))] {
		if err := json.Unmarshal(raw[i], v); err != nil {
			return err
		}
	}
	return nil
}

func short(s string) string {
	if len(s) > maxText {
		return s[:maxText]
	}
	return s
}

// Line is the time at one line of code, over all its callers.
type Line struct {
	Frame
	Time  time.Duration
	Share float64 // of the time of its thread
}

// Lines are the lines of code in which the training thread of a process spends its
// time, the longest first: each stack counts for its innermost call, or with own for
// the innermost call of the user's own code. Nil where there are too few samples.
func (s *Sampled) Lines(own bool) []Line {
	if !s.Named() {
		return nil
	}
	thread := s.Thread()
	var total time.Duration
	at := map[Frame]int{}
	var lines []Line
	for _, st := range s.Stacks {
		if st.Thread != thread || len(st.Frames) == 0 {
			continue
		}
		total += st.Time
		f := st.Frames[0]
		if own {
			f = known(st.Frames)
			if o := Own(st.Frames); o != nil {
				f = *o
			}
		}
		n, there := at[f]
		if !there {
			n = len(lines)
			at[f] = n
			lines = append(lines, Line{Frame: f})
		}
		lines[n].Time += st.Time
	}
	for i := range lines {
		if total > 0 {
			lines[i].Share = float64(lines[i].Time) / float64(total)
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return int(sign(b.Time - a.Time)) })
	return lines
}

func sign(d time.Duration) time.Duration {
	switch {
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return 0
}

// Thread is the thread that trains: next to the main one there is at most one other,
// which then is the one that closes steps. Empty: none was seen.
func (s *Sampled) Thread() string {
	name := ""
	for _, st := range s.Stacks {
		if name == "" || name == "MainThread" {
			name = st.Thread
		}
	}
	return name
}
