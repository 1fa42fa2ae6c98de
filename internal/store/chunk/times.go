package chunk

import (
	"encoding/json"
	"io"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

// timeRow is where the time of a step went, or of a few that follow each other:
// durations in nanoseconds.
type timeRow struct {
	Worker      string `parquet:"worker,dict"`
	Step        int64  `parquet:"step,delta"`
	Mode        string `parquet:"mode,dict"`
	ModeStep    int64  `parquet:"mode_step,delta"`
	Steps       int64  `parquet:"steps,delta"`
	Start       int64  `parquet:"start,delta,timestamp(nanosecond)"`
	End         int64  `parquet:"end,delta,timestamp(nanosecond)"`
	Gap         int64  `parquet:"gap,delta"`
	Data        int64  `parquet:"data,delta"`
	ToDevice    int64  `parquet:"to_device,delta"`
	Forward     int64  `parquet:"forward,delta"`
	Backward    int64  `parquet:"backward,delta"`
	Ranks       int64  `parquet:"ranks,delta"`
	Optimizer   int64  `parquet:"optimizer,delta"`
	Checkpoint  int64  `parquet:"checkpoint,delta"`
	Other       int64  `parquet:"other,delta"`
	Longest     int64  `parquet:"longest,delta"`
	LongestStep int64  `parquet:"longest_step,delta"`
}

func (r *timeRow) parts() [record.StepParts]*int64 {
	return [record.StepParts]*int64{record.WaitForData: &r.Data, record.CopyToDevice: &r.ToDevice, record.Forward: &r.Forward,
		record.Backward: &r.Backward, record.WaitForRanks: &r.Ranks, record.Optimizer: &r.Optimizer, record.SaveCheckpoint: &r.Checkpoint, record.Other: &r.Other}
}

// eventRow is an event; facts are JSON or empty.
type eventRow struct {
	Worker string `parquet:"worker,dict"`
	Host   string `parquet:"host,dict"`
	Kind   string `parquet:"kind,dict"`
	Name   string `parquet:"name,dict"`
	Start  int64  `parquet:"start,delta,timestamp(nanosecond)"`
	End    int64  `parquet:"end,delta,timestamp(nanosecond)"`
	Step   int64  `parquet:"step,delta"`
	Facts  string `parquet:"facts,dict"`
}

// WriteTimes writes the table of step times, in the order in which they came.
func WriteTimes(w io.Writer, list []record.StepTime) error {
	return write(w, len(list), nil, nil, func(k int) (timeRow, error) {
		s := &list[k]
		row := timeRow{Worker: s.Worker, Step: s.Step, Mode: s.Mode.String(), ModeStep: s.ModeStep, Steps: s.Steps,
			Start: journal.Nanos(s.Start), End: journal.Nanos(s.End), Gap: s.Gap, Longest: s.Longest, LongestStep: s.LongestStep}
		for p, ns := range row.parts() {
			*ns = s.Parts[p]
		}
		return row, nil
	})
}

// WriteEvents writes the table of events, in the order in which they came.
func WriteEvents(w io.Writer, list []record.Event) error {
	return write(w, len(list), nil, nil, func(k int) (eventRow, error) {
		e := &list[k]
		return eventRow{Worker: e.Worker, Host: e.Host, Kind: e.Kind, Name: e.Name,
			Start: journal.Nanos(e.Start), End: journal.Nanos(e.End), Step: e.Step, Facts: string(e.Facts)}, nil
	})
}

// ReadTimes reads n rows of a table of step times.
func (f *File) ReadTimes(from, n int64) ([]record.StepTime, error) {
	c := &columns{f: f, from: from, n: n}
	worker, mode := collect(c, "worker", f.Strings), c.modes()
	step, modeStep, steps := collect(c, "step", f.Int64s), collect(c, "mode_step", f.Int64s), collect(c, "steps", f.Int64s)
	start, end, gap := collect(c, "start", f.Int64s), collect(c, "end", f.Int64s), collect(c, "gap", f.Int64s)
	longest, longestStep := collect(c, "longest", f.Int64s), collect(c, "longest_step", f.Int64s)
	var parts [record.StepParts][]int64
	for p := range parts {
		parts[p] = collect(c, record.StepPart(p).String(), f.Int64s)
	}
	if c.err != nil {
		return nil, c.err
	}
	out := make([]record.StepTime, n)
	for k := range out {
		out[k] = record.StepTime{Worker: worker[k], Step: step[k], Mode: mode[k], ModeStep: modeStep[k], Steps: steps[k],
			Start: journal.Time(start[k]), End: journal.Time(end[k]), Gap: gap[k], Longest: longest[k], LongestStep: longestStep[k]}
		for p := range parts {
			out[k].Parts[p] = parts[p][k]
		}
	}
	return out, nil
}

// Closed reads when the steps of a mode in n rows closed, in microseconds since 1970,
// in the order stored: those of a table of steps, or the first and the last one of each
// row of step times.
func (f *File) Closed(from, n int64, mode record.Mode) (rows, steps, at []int64, err error) {
	c := &columns{f: f, from: from, n: n}
	modes, first := c.modes(), collect(c, "mode_step", f.Int64s)
	var count, begin, end []int64
	if _, several := f.col["steps"]; several {
		count, begin, end = collect(c, "steps", f.Int64s), collect(c, "start", f.Int64s), collect(c, "end", f.Int64s)
	} else {
		end = collect(c, "time", f.times)
	}
	if c.err != nil {
		return nil, nil, nil, c.err
	}
	rows, steps, at = make([]int64, 0, n), make([]int64, 0, n), make([]int64, 0, n)
	add := func(i int, step, ns int64) {
		rows, steps, at = append(rows, from+int64(i)), append(steps, step), append(at, journal.Micros(ns))
	}
	for i, m := range modes {
		switch {
		case m != mode:
		case count == nil || count[i] == 1:
			add(i, first[i], end[i])
		case count[i] > 1:
			add(i, first[i], begin[i]+(end[i]-begin[i])/count[i])
			add(i, first[i]+count[i]-1, end[i])
		}
	}
	return rows, steps, at, nil
}

// Places hands over the modes of n rows of a table of steps, their numbers in them,
// and among all steps.
func (f *File) Places(from, n int64, each func(mode record.Mode, step, global int64)) error {
	c := &columns{f: f, from: from, n: n}
	modes, modeStep, global := c.modes(), collect(c, "mode_step", f.Int64s), collect(c, "step", f.Int64s)
	if c.err == nil {
		for i, m := range modes {
			each(m, modeStep[i], global[i])
		}
	}
	return c.err
}

// PartRow is a part of a row of step times.
type PartRow struct {
	Mode     record.Mode
	ModeStep int64
	Start    int64 // nanoseconds since 1970, where asked for
	Seconds  float64
}

// ReadParts reads a part of n rows of a table of step times.
func (f *File) ReadParts(from, n int64, part record.StepPart, start bool) ([]PartRow, error) {
	c := &columns{f: f, from: from, n: n}
	mode, modeStep, steps := c.modes(), collect(c, "mode_step", f.Int64s), collect(c, "steps", f.Int64s)
	var at []int64
	if start {
		at = collect(c, "start", f.Int64s)
	}
	var sum []int64
	if part < record.StepParts {
		sum = collect(c, part.String(), f.Int64s)
	} else {
		sum = make([]int64, n)
		for p := range record.StepParts {
			for i, ns := range collect(c, p.String(), f.Int64s) {
				sum[i] += ns
			}
		}
		for i, ns := range collect(c, "gap", f.Int64s) {
			sum[i] -= ns
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	out := make([]PartRow, n)
	for i := range out {
		out[i] = PartRow{Mode: mode[i], ModeStep: modeStep[i], Seconds: float64(sum[i]) / 1e9 / float64(max(steps[i], 1))}
		if start {
			out[i].Start = at[i]
		}
	}
	return out, nil
}

// ReadEvents reads n rows of a table of events.
func (f *File) ReadEvents(from, n int64) ([]record.Event, error) {
	c := &columns{f: f, from: from, n: n}
	worker, host := collect(c, "worker", f.Strings), collect(c, "host", f.Strings)
	kind, name, facts := collect(c, "kind", f.Strings), collect(c, "name", f.Strings), collect(c, "facts", f.Strings)
	start, end, step := collect(c, "start", f.Int64s), collect(c, "end", f.Int64s), collect(c, "step", f.Int64s)
	if c.err != nil {
		return nil, c.err
	}
	out := make([]record.Event, n)
	for k := range out {
		out[k] = record.Event{Worker: worker[k], Host: host[k], Kind: kind[k], Name: name[k],
			Start: journal.Time(start[k]), End: journal.Time(end[k]), Step: step[k]}
		if facts[k] != "" {
			out[k].Facts = json.RawMessage(facts[k])
		}
	}
	return out, nil
}
