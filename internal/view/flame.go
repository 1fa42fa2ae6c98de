package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Flame is the time of one process in one window of detail, or that of all loader
// workers of it together, by call.
type Flame struct {
	Title string
	About string
	Few   string     // says that there are too few samples; then nothing else is shown
	Rows  int        // how deep the bars go
	Bars  []FlameBar // the outermost calls first
	Lines []FlameLine
}

// FlameBar is a call: Left and Width are percent of the whole, Row counts from the
// outermost call.
type FlameBar struct {
	Left, Width float64
	Row         int
	Text        string // function, file and line
	Full        string // the same with the whole path and the share
	Own         bool   // code of the user's
}

// FlameLine is a line of the user's code with its share of the time.
type FlameLine struct {
	Share, Place, Function, File string
}

// Bounds of what a page shows.
const (
	flameWindows = 3
	flameDepth   = 48
	flameBars    = 500
	flameLeast   = 0.3 // percent, of the narrowest bar
	flameLines   = 12
)

// Flames are the graphs of the last windows of a run, the chief's first.
func Flames(t source.Run) []Flame {
	all := t.Windows()
	if len(all) == 0 {
		return nil
	}
	var numbers []int
	for _, w := range all {
		if !slices.Contains(numbers, w.Number) {
			numbers = append(numbers, w.Number)
		}
	}
	numbers = numbers[max(len(numbers)-flameWindows, 0):]
	chief := t.Chief()
	var flames []Flame
	for _, n := range numbers {
		var of []source.Window
		for _, w := range all {
			if w.Number == n {
				of = append(of, w)
			}
		}
		at := max(slices.IndexFunc(of, func(w source.Window) bool { return w.Worker == chief }), 0)
		seen, err := t.Stacks(of[at])
		if err != nil {
			continue // named with what is damaged
		}
		flames = append(flames, windowFlames(seen)...)
	}
	return flames
}

// windowFlames are the graphs of one window.
func windowFlames(w *stacks.Window) []Flame {
	about := fmt.Sprintf("%s of %s from TRAIN step %d on", record.Seconds(w.Seconds), w.Worker, w.FirstStep)
	if w.Cut != "" {
		about += "; " + w.Cut
	}
	var flames []Flame
	for i := range w.Processes {
		if s := &w.Processes[i]; s.Kind == stacks.Rank {
			flames = append(flames, flameOf(s, fmt.Sprintf("Window %d: the process that trains", w.Number), about))
		}
	}
	if workers, n := w.Loading(); n > 0 {
		flames = append(flames, flameOf(workers, fmt.Sprintf("Window %d: loader workers", w.Number), fmt.Sprintf("%s; %d of %s together", about, n, record.Several(int64(max(w.Loaders, n)), "worker"))))
	}
	return flames
}

func flameOf(s *stacks.Sampled, title, about string) Flame {
	f := Flame{Title: title, About: about + ", " + record.Several(s.Samples, "sample")}
	if !s.Named() {
		f.Few = fmt.Sprintf("Only %s came: %d are needed before lines are named.", record.Several(s.Samples, "sample"), stacks.Enough)
		return f
	}
	root := tree(s)
	if root.time == 0 {
		f.Few = "Nothing of Python was seen."
		return f
	}
	root.bars(&f, root.time, 0, 0)
	for i, l := range s.Lines(true) {
		if i == flameLines || l.Share < 0.005 {
			break
		}
		f.Lines = append(f.Lines, FlameLine{fmt.Sprintf("%.0f %%", 100*l.Share), l.Place(), l.Function, l.File})
	}
	return f
}

// call is a node of the tree of calls.
type call struct {
	stacks.Frame
	time time.Duration
	to   []*call
}

// tree adds up the stacks of the thread that trains.
func tree(s *stacks.Sampled) *call {
	root, thread := &call{}, s.Thread()
	for _, st := range s.Stacks {
		if st.Thread != thread {
			continue
		}
		root.time += st.Time
		at := root
		for _, frame := range slices.Backward(st.Frames) {
			i := slices.IndexFunc(at.to, func(c *call) bool { return c.Frame == frame })
			if i < 0 {
				i = len(at.to)
				at.to = append(at.to, &call{Frame: frame})
			}
			at = at.to[i]
			at.time += st.Time
		}
	}
	return root
}

// bars draws what a call called, the longest first.
func (c *call) bars(f *Flame, whole time.Duration, left float64, row int) {
	if row == flameDepth {
		return
	}
	slices.SortStableFunc(c.to, func(a, b *call) int { return int(min(max(b.time-a.time, -1), 1)) })
	for _, to := range c.to {
		width := 100 * float64(to.time) / float64(whole)
		if width < flameLeast || len(f.Bars) >= flameBars {
			return
		}
		f.Rows = max(f.Rows, row+1)
		f.Bars = append(f.Bars, FlameBar{
			Left: left, Width: width, Row: row, Text: to.Function + " " + to.Place(),
			Full: fmt.Sprintf("%s, %s:%d: %.1f %%, %s", to.Function, to.File, to.Line, width, record.Seconds(to.time.Seconds())), Own: !record.Library(to.File),
		})
		to.bars(f, whole, left, row+1)
		left += width
	}
}
