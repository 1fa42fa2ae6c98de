package chunk

import (
	"encoding/json"
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// modes reads a column of modes.
func (f *File) modes(from, n int64) ([]record.Mode, error) {
	out := make([]record.Mode, n)
	err := words(f, "mode", from, n, func(b []byte) (record.Mode, error) {
		m, err := record.ParseMode(string(b))
		if err != nil {
			err = wrap(err)
		}
		return m, err
	}, out)
	return out, err
}

// columns collects the first error of several column reads.
type columns struct {
	f       *File
	from, n int64
	err     error
}

func collect[T any](c *columns, column string, get func(string, int64, int64) ([]T, error)) []T {
	if c.err != nil {
		return nil
	}
	v, err := get(column, c.from, c.n)
	if err != nil {
		c.err = err
	}
	return v
}

func (c *columns) modes() []record.Mode {
	return collect(c, "mode", func(_ string, from, n int64) ([]record.Mode, error) { return c.f.modes(from, n) })
}

// ReadSteps reads a table of steps: the steps without their values.
func (f *File) ReadSteps() ([]journal.Lazy, error) {
	c := &columns{f: f, n: f.Rows()}
	worker, mode := collect(c, "worker", f.Strings), c.modes()
	step, modeStep, at := collect(c, "step", f.Int64s), collect(c, "mode_step", f.Int64s), collect(c, "time", f.times)
	seconds, overhead := collect(c, "seconds", f.Floats), collect(c, "overhead", f.Floats)
	skipped, raw := collect(c, "skipped", f.Bools), collect(c, "raw", f.Strings)
	if c.err != nil {
		return nil, c.err
	}
	out := make([]journal.Lazy, c.n)
	for k := range out {
		s := &record.Step{Worker: worker[k], Step: step[k], Mode: mode[k], ModeStep: modeStep[k], Time: journal.Time(at[k]),
			Seconds: seconds[k], Overhead: overhead[k], Skipped: skipped[k]}
		if err := parseList(raw[k], &s.Raw); err != nil {
			return nil, err
		}
		out[k].Step = s
	}
	return out, nil
}

// times reads times in nanoseconds. The first runs kept them so;
// milliseconds since.
func (f *File) times(column string, from, n int64) ([]int64, error) {
	at, err := f.Int64s(column, from, n)
	for k, unit := 0, f.unit(column); k < len(at); k++ {
		at[k] *= unit
	}
	return at, err
}

// unit is how many nanoseconds a column of times counts in.
func (f *File) unit(column string) int64 {
	leaf, ok := f.pq.Schema().Lookup(column)
	if !ok {
		return 1
	}
	kind := leaf.Node.Type().LogicalType()
	if kind == nil {
		return 1
	}
	stamp, ok := kind.Value.(*format.TimestampType)
	if !ok || stamp.Unit.Value == nil {
		return 1
	}
	return stamp.Unit.Value.Duration().Nanoseconds()
}

// ReadDecisions reads a table of decisions.
func (f *File) ReadDecisions() ([]*journal.Decision, error) {
	c := &columns{f: f, n: f.Rows()}
	mode, workers := c.modes(), collect(c, "workers", f.Strings)
	step, modeStep, at := collect(c, "step", f.Int64s), collect(c, "mode_step", f.Int64s), collect(c, "time", f.times)
	var joined, windows []string
	if _, there := f.pq.Schema().Lookup("window"); there {
		windows = collect(c, "window", f.Strings)
	}
	if _, there := f.pq.Schema().Lookup("joined"); there {
		joined = collect(c, "joined", f.Strings)
	}
	if c.err != nil {
		return nil, c.err
	}
	out := make([]*journal.Decision, c.n)
	for k := range out {
		if windows != nil && windows[k] != "" {
			w, err := parseWindow(windows[k])
			if err != nil {
				return nil, err
			}
			out[k] = &journal.Decision{Window: w}
			continue
		}
		out[k] = &journal.Decision{Step: step[k], Mode: mode[k], ModeStep: modeStep[k], Time: journal.Time(at[k])}
		if err := parseList(workers[k], &out[k].Workers); err != nil {
			return nil, err
		}
		if joined == nil {
			continue
		}
		if err := parseList(joined[k], &out[k].Joined); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func parseWindow(text string) (*journal.Window, error) {
	var d windowDecision
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("%w: window: %w", ErrFormat, err)
	}
	return &journal.Window{Index: d.Index, From: journal.Time(d.From), To: journal.Time(d.To), Late: d.Late, Rows: d.Rows}, nil
}

func parseList[T any](text string, out *[]T) error {
	if text == "[]" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return fmt.Errorf("%w: list: %w", ErrFormat, err)
	}
	return nil
}

// place checks that row k belongs to one of the steps and to a sensible
// position, and makes room for it.
func place[T any](steps []journal.Lazy, part, position, total int64, list func(*journal.Lazy) *[]T) (*T, error) {
	if part < 0 || part >= int64(len(steps)) || position < 0 || position >= total {
		return nil, fmt.Errorf("%w: a row of step %d, position %d", ErrFormat, part, position)
	}
	l := list(&steps[part])
	if n := int(position) + 1; n > len(*l) {
		if n <= cap(*l) {
			*l = (*l)[:n]
		} else {
			grown := make([]T, n, max(n, 2*cap(*l)))
			copy(grown, *l)
			*l = grown
		}
	}
	return &(*l)[position], nil
}

// FillStats puts the statistics of a table into the steps they belong to;
// histograms stay encoded.
func (f *File) FillStats(steps []journal.Lazy) error {
	rows, hists, err := f.ReadStats(0, f.Rows())
	if err != nil {
		return err
	}
	c := &columns{f: f, n: f.Rows()}
	part, position, name := collect(c, "part", f.Int64s), collect(c, "position", f.Int64s), collect(c, "tensor", f.Strings)
	if c.err != nil {
		return c.err
	}
	for k := range rows {
		v, err := place(steps, part[k], position[k], c.n, func(s *journal.Lazy) *[]record.TensorStats { return &s.Stats })
		if err != nil {
			return err
		}
		*v = record.TensorStats{Tensor: name[k], Stats: rows[k]}
		if hists[k] != nil {
			h, err := place(steps, part[k], position[k], c.n, func(s *journal.Lazy) *[][]byte { return &s.Hists })
			if err != nil {
				return err
			}
			*h = hists[k]
		}
	}
	return nil
}

// FillScalars puts the scalars and derived numbers of a table into the steps
// they belong to.
func (f *File) FillScalars(steps []journal.Lazy) error {
	c := &columns{f: f, n: f.Rows()}
	name, stat := collect(c, "series", f.Strings), collect(c, "stat", f.Strings)
	from, value := collect(c, "from_step", f.Int64s), collect(c, "value", f.Floats)
	part, position := collect(c, "part", f.Int64s), collect(c, "position", f.Int64s)
	if c.err != nil {
		return c.err
	}
	for k := range name {
		if stat[k] == ValueStat {
			v, err := place(steps, part[k], position[k], c.n, func(s *journal.Lazy) *[]record.Scalar { return &s.Scalars })
			if err != nil {
				return err
			}
			*v = record.Scalar{Name: name[k], Value: value[k]}
			continue
		}
		v, err := place(steps, part[k], position[k], c.n, func(s *journal.Lazy) *[]record.Derived { return &s.Derived })
		if err != nil {
			return err
		}
		*v = record.Derived{Tensor: name[k], Stat: stat[k], From: from[k], Value: value[k]}
	}
	return nil
}

// ReadStats reads the statistics of n rows, and their histograms as they are
// stored, nil where there is none.
func (f *File) ReadStats(from, n int64) ([]tensor.Stats, [][]byte, error) {
	c := &columns{f: f, from: from, n: n}
	count, nan, pos, neg, zeros := collect(c, "count", f.Int64s), collect(c, "nan", f.Int64s), collect(c, "posinf", f.Int64s),
		collect(c, "neginf", f.Int64s), collect(c, "zeros", f.Int64s)
	lo, hi, mean, m2, l1 := collect(c, "min", f.Floats), collect(c, "max", f.Floats), collect(c, "mean", f.Floats),
		collect(c, "m2", f.Floats), collect(c, "l1", f.Floats)
	hist := collect(c, "hist", f.Bytes)
	if c.err != nil {
		return nil, nil, c.err
	}
	out := make([]tensor.Stats, n)
	for k := range out {
		out[k] = tensor.Stats{Count: count[k], NaN: nan[k], PosInf: pos[k], NegInf: neg[k], Zeros: zeros[k],
			Min: lo[k], Max: hi[k], Mean: mean[k], M2: m2[k], L1: l1[k]}
	}
	return out, hist, nil
}

// Point is the place of a row: its step and mode.
type Point struct {
	Step, ModeStep int64
	Mode           record.Mode
	Time           int64 // nanoseconds since 1970; 0 in tables of scalars
}

// ModeSteps reads the modes of n rows and their numbers in them.
func (f *File) ModeSteps(from, n int64) ([]record.Mode, []int64, error) {
	c := &columns{f: f, from: from, n: n}
	mode, modeStep := c.modes(), collect(c, "mode_step", f.Int64s)
	return mode, modeStep, c.err
}

// Points reads where n rows belong; times only when asked for.
func (f *File) Points(from, n int64, times bool) ([]Point, error) {
	c := &columns{f: f, from: from, n: n}
	mode, step, modeStep := c.modes(), collect(c, "step", f.Int64s), collect(c, "mode_step", f.Int64s)
	var at []int64
	if times {
		at = collect(c, "time", f.times)
	}
	if c.err != nil {
		return nil, c.err
	}
	out := make([]Point, n)
	for k := range out {
		out[k] = Point{Step: step[k], ModeStep: modeStep[k], Mode: mode[k]}
		if times {
			out[k].Time = at[k]
		}
	}
	return out, nil
}
