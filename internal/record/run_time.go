package record

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"
)

// RunTime is where the time of a run went, in sums: those who list, compare and
// judge runs need no series for it. The steps are those of one worker, the chief.
type RunTime struct {
	Worker string    `json:"worker,omitempty"`
	Until  time.Time `json:"until"` // where the last step that is counted closed
	// Modes are the steps by mode ("TRAIN").
	Modes map[string]ModeTime `json:"modes,omitempty"`
	// Phases are the job's, by name; what goes on is not among them.
	Phases      map[string]Span `json:"phases,omitempty"`
	PhasesUntil time.Time       `json:"phases_until,omitzero"` // where the last one ended
	// BatchSize is how many samples a batch of the training's loader has; 0: not
	// known. SamplesPerSecond is of one worker, over all TRAIN steps.
	BatchSize        int64       `json:"batch_size,omitempty"`
	SamplesPerSecond float64     `json:"samples_per_second,omitempty"`
	Machine          *MachineUse `json:"machine,omitempty"`
}

// ModeTime is the time of all steps of a mode, with the gaps before them. The
// parts add up to Seconds; those that took nothing are left out.
type ModeTime struct {
	Steps   int64           `json:"steps"`
	Seconds Span            `json:"seconds"`
	Parts   map[string]Span `json:"parts"`
}

// MachineUse is what the run's host did while the job ran. Means are over time.
type MachineUse struct {
	Host    string    `json:"host"`
	Until   time.Time `json:"until"`   // of the last sample that is counted
	Seconds Span      `json:"seconds"` // that samples tell of
	Cores   int       `json:"cores,omitempty"`
	// JobCores is how many of them the job may use; 0: not known.
	JobCores      float64  `json:"job_cores,omitempty"`
	CPU           *float64 `json:"cpu_percent,omitempty"` // of all cores
	PeakMemory    int64    `json:"peak_memory_bytes,omitempty"`
	PeakJobMemory int64    `json:"peak_job_memory_bytes,omitempty"` // resident, of the job's processes together
	Memory        int64    `json:"memory_bytes,omitempty"`          // that the machine has
	GPUs          []GPUUse `json:"gpus,omitempty"`                  // by number
}

// GPUUse is the mean use of a GPU over Seconds.
type GPUUse struct {
	Number     int     `json:"number"`
	Percent    float64 `json:"percent"`
	Seconds    Span    `json:"seconds"`
	PeakMemory int64   `json:"peak_memory_bytes,omitempty"`
}

// Span is a length of time in nanoseconds. Its JSON is seconds, exactly.
type Span int64

// Seconds is the span in seconds.
func (s Span) Seconds() float64 { return float64(s) / 1e9 }

// MarshalJSON implements json.Marshaler.
func (s Span) MarshalJSON() ([]byte, error) {
	sign, n := "", uint64(s)
	if s < 0 {
		sign, n = "-", -n
	}
	text := fmt.Sprintf("%s%d.%09d", sign, n/1e9, n%1e9)
	return []byte(strings.TrimSuffix(strings.TrimRight(text, "0"), ".")), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Span) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	whole, rest, _ := strings.Cut(string(b), ".")
	if len(rest) <= 9 && !strings.ContainsAny(string(b), "eE+") {
		n, err := strconv.ParseInt(whole+rest+strings.Repeat("0", 9-len(rest)), 10, 64)
		if err != nil {
			return fmt.Errorf("parse seconds: %w", err)
		}
		*s = Span(n)
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.Abs(f) >= math.MaxInt64/1e9 {
		return fmt.Errorf("parse seconds: %q is not a length of time", b)
	}
	*s = Span(math.Round(f * 1e9))
	return nil
}

// Count takes a row of step times in; one that was counted before is left out.
// Rows of a worker come ascending by time.
func (t *RunTime) Count(row *StepTime) {
	if !row.End.After(t.Until) {
		return
	}
	t.Until = row.End
	if t.Modes == nil {
		t.Modes = map[string]ModeTime{}
	}
	m := t.Modes[row.Mode.String()]
	if m.Parts == nil {
		m.Parts = map[string]Span{}
	}
	m.Steps += row.Steps
	for p, ns := range row.Parts {
		if ns != 0 {
			m.Seconds += Span(ns)
			m.Parts[StepPart(p).String()] += Span(ns)
		}
	}
	t.Modes[row.Mode.String()] = m
}

// Clone is a copy that shares nothing with t.
func (t *RunTime) Clone() *RunTime {
	if t == nil {
		return nil
	}
	c := *t
	c.Modes, c.Phases = maps.Clone(t.Modes), maps.Clone(t.Phases)
	for name, m := range c.Modes {
		m.Parts = maps.Clone(m.Parts)
		c.Modes[name] = m
	}
	if t.Machine != nil {
		m := *t.Machine
		m.GPUs = append([]GPUUse(nil), m.GPUs...)
		if m.CPU != nil {
			cpu := *m.CPU
			m.CPU = &cpu
		}
		c.Machine = &m
	}
	return &c
}

// SamplesPerStep is how many samples of a worker a TRAIN step takes; 0 where that
// is not known.
func (t *RunTime) SamplesPerStep() float64 {
	if t == nil {
		return 0
	}
	m := t.Modes[Train.String()]
	if m.Steps == 0 || m.Seconds == 0 {
		return 0
	}
	return t.SamplesPerSecond * m.Seconds.Seconds() / float64(m.Steps)
}

// Total is the time of all steps of all modes.
func (t *RunTime) Total() (sum Span) {
	if t != nil {
		for _, m := range t.Modes {
			sum += m.Seconds
		}
	}
	return sum
}
