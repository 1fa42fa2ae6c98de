package view

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Spent is where the time of a run went.
type Spent struct {
	Worker   string // whose steps the shares and lengths are of
	Total    string // of all its steps
	Shares   []SpentShare
	Heads    []string // of the parts in Rows
	Rows     []SpentRow
	More     int // workers that have no rows here
	Lengths  *StepLengths
	Phases   []SpentPhase
	Samples  string // a second; "" where the size of a batch is not known
	whole    record.Span
	training record.Mode
}

// SpentShare is one part of the time.
type SpentShare struct {
	Name    string
	Part    string // "data", "evaluation": for its colour
	Percent int
	Took    string
	Seconds float64
}

// SpentRow is the time of one worker's steps of a mode.
type SpentRow struct {
	Worker, Mode, Steps, Took, Each string
	Parts                           []string // by Heads
}

// SpentPhase is a phase of the job: Left and Width are percent of the whole.
type SpentPhase struct {
	Name, From, Took string
	Left, Width      float64
}

// StepLengths are how long the steps of the training took over the run. Places
// are from 0 to 1, to the right and upwards.
type StepLengths struct {
	Line        [][2]float64 // means of short stretches
	Outliers    []Outlier
	Typical     string // the median
	P99         string
	Note        string // what the outliers are
	Low, High   string // at the ends of the scale
	TypicalAt   float64
	Logarithmic bool
	Hours       string // of the whole axis
}

// Outlier is a step that took much longer than the typical one.
type Outlier struct {
	X, Y float64
	Text string
}

// Bounds of what is shown.
const (
	spentWorkers = 16
	lengthPoints = 300
	mostOutliers = 40
	outlying     = 3.0 // times the typical length
)

// SpentOf is where the time of a run went; nil where that is not known.
func SpentOf(t source.Run) (*Spent, error) {
	m, ok := t.(source.Metrics)
	if !ok {
		return nil, nil
	}
	run := t.Run()
	s := &Spent{Worker: run.ChiefName()}
	workers := t.Workers()
	s.More = max(len(workers)-spentWorkers, 0)
	sums := make([]record.RunTime, len(workers)-s.More)
	var lengths lengthReader
	for i := range sums {
		err := m.Times(workers[i], time.Time{}, time.Time{}, func(row *record.StepTime) error {
			sums[i].Count(row)
			if workers[i] == s.Worker {
				lengths.add(row)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read step times of %q: %w", workers[i], err)
		}
	}
	chief := slices.Index(workers[:len(sums)], s.Worker)
	if chief < 0 || sums[chief].Total() == 0 {
		return nil, nil
	}
	sum := &sums[chief]
	s.whole = sum.Total()
	s.Total = record.Seconds(s.whole.Seconds())
	for _, share := range sum.Shares() {
		s.Shares = append(s.Shares, SpentShare{share.Name, ShareClass(share.Name), share.Percent, record.Seconds(share.Span.Seconds()), share.Span.Seconds()})
	}
	if run.Time != nil && run.Time.SamplesPerSecond > 0 {
		s.Samples = record.Rate(run.Time.SamplesPerSecond)
	}
	s.rows(workers, sums)
	s.training = record.Train
	if sum.Modes[record.Train.String()].Steps == 0 {
		s.training = record.Global
	}
	s.Lengths = lengths.of[s.training].result(lengths.from, lengths.to)
	return s, s.phases(m, &run, lengths.from, lengths.to)
}

// ShareClass is the part that a share's colour is of.
func ShareClass(name string) string {
	for p := range record.StepParts {
		if p.Word() == name {
			return p.String()
		}
	}
	return name
}

// rows are the table by worker and mode.
func (s *Spent) rows(workers []string, sums []record.RunTime) {
	var parts []record.StepPart
	for p := range record.StepParts {
		for i := range sums {
			for _, mode := range sums[i].Modes {
				if mode.Parts[p.String()]*200 >= mode.Seconds && mode.Parts[p.String()] > 0 && !slices.Contains(parts, p) {
					parts = append(parts, p)
				}
			}
		}
	}
	for _, p := range parts {
		s.Heads = append(s.Heads, p.Word())
	}
	for i := range sums {
		for mode := record.Train; mode <= record.Global; mode++ {
			of := sums[i].Modes[mode.String()]
			if of.Seconds == 0 || of.Steps == 0 {
				continue
			}
			row := SpentRow{Worker: workers[i], Mode: mode.Activity(), Steps: record.Times(float64(of.Steps)), Took: record.Seconds(of.Seconds.Seconds()),
				Each: record.Seconds(of.Seconds.Seconds() / float64(of.Steps))}
			if of.Steps < 1e6 {
				row.Steps = fmt.Sprint(of.Steps)
			}
			for _, p := range parts {
				row.Parts = append(row.Parts, fmt.Sprintf("%.0f %%", 100*float64(of.Parts[p.String()])/float64(of.Seconds)))
			}
			s.Rows = append(s.Rows, row)
		}
	}
}

// phases are those of the job, as it told of them, or as its steps and the times
// of the run tell.
func (s *Spent) phases(m source.Metrics, run *record.Run, first, last time.Time) error {
	events, err := m.Events(time.Time{}, time.Time{})
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	list := phasesOf(events, run, s.Worker, first, last)
	if len(list) == 0 {
		return nil
	}
	from, to := list[0].Start, list[0].End
	for _, e := range list {
		if e.End.After(to) {
			to = e.End
		}
	}
	whole := to.Sub(from).Seconds()
	if whole <= 0 {
		return nil
	}
	evaluated, evaluations := 0.0, 0
	place := func(e *record.Event) SpentPhase {
		left := 100 * e.Start.Sub(from).Seconds() / whole
		width := 100 * e.End.Sub(e.Start).Seconds() / whole
		begins := "0"
		if e.Start.After(from) {
			begins = record.Seconds(e.Start.Sub(from).Seconds())
		}
		return SpentPhase{Name: e.Name, From: begins, Took: record.Seconds(e.End.Sub(e.Start).Seconds()),
			Left: min(max(left, 0), 100), Width: min(max(width, 0), 100-min(max(left, 0), 100))}
	}
	for i := range list {
		if len(s.Phases) < 32 {
			s.Phases = append(s.Phases, place(&list[i]))
		}
	}
	for i := range events {
		e := &events[i]
		if e.Kind == record.EvaluationEvent && e.Worker == s.Worker {
			evaluated += e.End.Sub(e.Start).Seconds()
			if evaluations++; evaluations <= 200 {
				e.Name = record.EvaluationPhase
				p := place(e)
				p.Took = "" // those together are one line
				s.Phases = append(s.Phases, p)
			}
		}
	}
	if evaluations > 0 {
		s.Phases = append(s.Phases, SpentPhase{Name: record.EvaluationPhase, From: evaluationsText(evaluations), Took: record.Seconds(evaluated)})
	}
	return nil
}

func evaluationsText(n int) string {
	if n == 1 {
		return "once, in training"
	}
	return fmt.Sprintf("%d times, in training", n)
}

// lengthReader finds the typical step of each mode and those that are not.
type lengthReader struct {
	from, to time.Time // of all steps
	of       [record.Global + 1]lengths
}

// lengths are those of the steps of a mode.
type lengths struct {
	bins, longest map[int]int64 // of steps by their length, of rows by that of their longest
	steps, rows   int64
	means         []meanLength // of stretches of width
	width         time.Duration
	found         []found // the longest rows
	least         float64 // what is not longer is not among them
}

// meanLength is the time of some steps.
type meanLength struct {
	seconds float64
	steps   int64
}

type found struct {
	at      time.Time
	seconds float64
	step    int64
}

// A bin of lengths is a hundredth wide.
const binWidth = 1.01

func binOf(seconds float64) int { return int(math.Floor(math.Log(seconds) / math.Log(binWidth))) }

// add takes in a row.
func (l *lengthReader) add(row *record.StepTime) {
	if l.from.IsZero() {
		l.from = row.Start
	}
	if row.End.After(l.to) {
		l.to = row.End
	}
	if row.Mode <= record.Global && row.Steps > 0 && row.Total() > 0 {
		l.of[row.Mode].add(row, row.End.Sub(l.from))
	}
}

// add takes in a row that ends some time after the first step began.
func (l *lengths) add(row *record.StepTime, at time.Duration) {
	if l.bins == nil {
		l.bins, l.longest, l.width = map[int]int64{}, map[int]int64{}, time.Millisecond
	}
	seconds := float64(row.Total()) / 1e9
	each, longest, step := seconds/float64(row.Steps), float64(row.Longest)/1e9, row.LongestStep
	if row.Steps == 1 || each > longest {
		longest, step = max(each, longest), row.ModeStep
	}
	l.bins[binOf(each)] += row.Steps
	l.longest[binOf(longest)]++
	l.steps += row.Steps
	l.rows++
	for at >= l.width*2*lengthPoints {
		for i := range l.means {
			m := l.means[i]
			l.means[i] = meanLength{}
			l.means[i/2].seconds += m.seconds
			l.means[i/2].steps += m.steps
		}
		l.means = l.means[:(len(l.means)+1)/2]
		l.width *= 2
	}
	place := int(max(at, 0) / l.width)
	for len(l.means) <= place {
		l.means = append(l.means, meanLength{})
	}
	l.means[place].seconds += seconds
	l.means[place].steps += row.Steps
	if longest > l.least {
		if l.found = append(l.found, found{row.End, longest, step}); len(l.found) >= 2*mostOutliers {
			l.found = longestOf(l.found)
			l.least = l.found[len(l.found)-1].seconds
		}
	}
}

func (l *lengths) quantile(q float64) float64 {
	keys := slices.Sorted(maps.Keys(l.bins))
	below := int64(0)
	for _, k := range keys {
		if below += l.bins[k]; float64(below) >= q*float64(l.steps) {
			return math.Pow(binWidth, float64(k)+0.5)
		}
	}
	return 0
}

func longestOf(list []found) []found {
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.seconds, a.seconds) })
	return list[:min(len(list), mostOutliers)]
}

// result is what is shown of a run whose steps lie between two times; nil where
// there are too few.
func (l *lengths) result(from, to time.Time) *StepLengths {
	if l.rows < 3 || !to.After(from) {
		return nil
	}
	typical, whole := l.quantile(0.5), to.Sub(from).Seconds()
	s := &StepLengths{Typical: record.Seconds(typical), P99: record.Seconds(l.quantile(0.99)), Hours: record.Seconds(whole)}
	long := outlying * typical
	shown := slices.DeleteFunc(longestOf(slices.Clone(l.found)), func(f found) bool { return f.seconds < long })
	outliers := int64(0)
	for bin, n := range l.longest {
		if bin >= binOf(long) {
			outliers += n
		}
	}
	if len(shown) < mostOutliers {
		outliers = int64(len(shown)) // exactly
	}
	low, high := math.Inf(1), 0.0
	for _, m := range l.means {
		if m.steps > 0 {
			low, high = min(low, m.seconds/float64(m.steps)), max(high, m.seconds/float64(m.steps))
		}
	}
	for _, f := range shown {
		high = max(high, f.seconds)
	}
	s.Logarithmic = high > 8*low
	if !s.Logarithmic {
		low = 0
	}
	if high *= 1.05; s.Logarithmic {
		high *= 1.2
	}
	y := func(v float64) float64 {
		if s.Logarithmic {
			return min(max(math.Log(v/low)/math.Log(high/low), 0), 1)
		}
		return v / high
	}
	for i, m := range l.means {
		if m.steps > 0 {
			x := (float64(i) + 0.5) * l.width.Seconds() / whole
			s.Line = append(s.Line, [2]float64{min(x, 1), y(m.seconds / float64(m.steps))})
		}
	}
	for _, f := range shown {
		s.Outliers = append(s.Outliers, Outlier{f.at.Sub(from).Seconds() / whole, y(f.seconds), fmt.Sprintf("step %d: %s", f.step, record.Seconds(f.seconds))})
	}
	s.Low, s.High, s.TypicalAt = record.Seconds(low), record.Seconds(high), y(typical)
	if low == 0 {
		s.Low = "0"
	}
	switch n := len(shown); {
	case n == 0:
		s.Note = "No step took 3 times the median."
	case n == 1:
		s.Note = "One step took 3 times the median or longer; it is marked."
	case int64(n) == outliers:
		s.Note = fmt.Sprintf("%d steps took 3 times the median or longer; they are marked.", n)
	default:
		s.Note = fmt.Sprintf("The longest %d of %d places where a step took 3 times the median or longer are marked.", n, outliers)
	}
	return s
}
