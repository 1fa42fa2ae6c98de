package view

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// FlameTree is where the time of a window of detail went, by call: a row for each
// place in the tree of calls. A row comes after its parent's, and of the same parent
// the longest comes first. Times are in seconds.
type FlameTree struct {
	Window   int
	Worker   string
	Loaders  bool // of the loader workers together, not of the process that trains
	ByLine   bool // a row is a line; else a function
	About    string
	Few      string // says that there are too few samples to believe in; "" where there are enough
	Seconds  float64
	Samples  int64
	Rows     []FlameRow
	Left     int         // calls below these that are not listed; all of them are short
	Lines    []LineShare // of the user's code, that took longest, or whose share changed most
	Earlier  int         // the window it is compared with; 0: none
	EarlierS float64     // the seconds of that
}

// FlameRow is a call within those that led to it.
type FlameRow struct {
	stacks.Frame         // Line is 0 where it is a function
	Parent       int     // number of the row; -1: it is an outermost call
	Self, Total  float64 // without and with what it called
	Before       float64 // Total in the window it is compared with
	Change       float64 // of its share of the whole, in percent points
	Own          bool    // code of the user's
}

// FlameQuery says which tree.
type FlameQuery struct {
	Window  int
	Worker  string // empty: the chief, or the first that has the window
	Loaders bool
	ByLine  bool
	Minus   int // the window to compare with; 0: none
}

// Bounds of a FlameTree.
const (
	mostFlameRows  = 4000
	leastFlameRow  = 0.0002 // of the whole
	mostFlameLines = 40
)

// WindowInfo is one window of detail of one worker.
type WindowInfo struct {
	Number    int
	Worker    string
	Why       string
	Automatic bool
	From, To  time.Time
	FirstStep int64 // TRAIN step under way when it began
	EndStep   int64 // the first one that had not been closed when it ended
	Samples   int64 // of the process that trains
	Loaders   int   // loader workers that were sampled
	Cut       string
	Damaged   string // why it cannot be read
}

// WindowInfos are the windows of detail of a run, by number, the chief's first.
func WindowInfos(t source.Run) []WindowInfo {
	list := []WindowInfo{}
	chief := t.Chief()
	for _, at := range t.Windows() {
		i := WindowInfo{Number: at.Number, Worker: at.Worker}
		w, err := t.Stacks(at)
		if err != nil {
			i.Damaged = err.Error()
			list = append(list, i)
			continue
		}
		i.Why, i.Automatic, i.From, i.To = w.Why, w.Automatic, w.Began, w.Began.Add(time.Duration(w.Seconds*1e9))
		i.FirstStep, i.EndStep, i.Cut = w.FirstStep, w.EndStep, w.Cut
		if s := w.Trains(); s != nil {
			i.Samples = s.Samples
		}
		_, i.Loaders = w.Loading()
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b WindowInfo) int {
		return cmp.Or(a.Number-b.Number, order(a.Worker != chief, b.Worker != chief))
	})
	return list
}

// order of two truths: false comes first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// FlameTreeOf reads one; fs.ErrNotExist where a run has no such window.
func FlameTreeOf(t source.Run, q FlameQuery) (*FlameTree, error) {
	w, err := windowOf(t, q.Window, q.Worker)
	if err != nil {
		return nil, err
	}
	s, about, err := sampledOf(w, q.Loaders)
	if err != nil {
		return nil, err
	}
	f := &FlameTree{Window: w.Number, Worker: w.Worker, Loaders: q.Loaders, ByLine: q.ByLine, About: about, Samples: s.Samples, Rows: []FlameRow{}, Lines: []LineShare{}}
	if !s.Named() {
		f.Few = fmt.Sprintf("Only %s came: below %d a share may be off by many points.", record.Several(s.Samples, "sample"), stacks.Enough)
	}
	root := &callPair{}
	f.Seconds = root.add(s, q.ByLine, func(c *callPair) *time.Duration { return &c.now })
	lines, linesBefore := s.Lines(true), []stacks.Line(nil)
	if q.Minus != 0 {
		before, err := windowOf(t, q.Minus, w.Worker)
		if err != nil {
			return nil, err
		}
		of, _, err := sampledOf(before, q.Loaders)
		if err != nil {
			return nil, err
		}
		linesBefore = of.Lines(true)
		f.Earlier, f.EarlierS = q.Minus, root.add(of, q.ByLine, func(c *callPair) *time.Duration { return &c.before })
	}
	f.rows(root)
	f.lines(lines, linesBefore)
	return f, nil
}

// LineShare is a line of code and its share of the time.
type LineShare struct {
	stacks.Line
	Before float64 // its share in the window it is compared with
}

// lines lists those that took longest; where there is an earlier window, those whose
// share changed most.
func (f *FlameTree) lines(now, before []stacks.Line) {
	at := map[stacks.Frame]int{}
	for _, l := range now {
		at[l.Frame] = len(f.Lines)
		f.Lines = append(f.Lines, LineShare{Line: l})
	}
	for _, l := range before {
		if i, there := at[l.Frame]; there {
			f.Lines[i].Before = l.Share
		} else {
			f.Lines = append(f.Lines, LineShare{Line: stacks.Line{Frame: l.Frame}, Before: l.Share})
		}
	}
	if f.Earlier != 0 {
		slices.SortStableFunc(f.Lines, func(a, b LineShare) int {
			return cmp.Compare(math.Abs(b.Share-b.Before), math.Abs(a.Share-a.Before))
		})
	}
	f.Lines = f.Lines[:min(len(f.Lines), mostFlameLines)]
}

// windowOf reads a window of a worker.
func windowOf(t source.Run, number int, worker string) (*stacks.Window, error) {
	var of []source.Window
	for _, w := range t.Windows() {
		if w.Number == number && (worker == "" || w.Worker == worker) {
			of = append(of, w)
		}
	}
	if len(of) == 0 && worker != "" {
		return nil, fmt.Errorf("there is no window %d of %.200q: %w", number, worker, fs.ErrNotExist)
	}
	if len(of) == 0 {
		return nil, fmt.Errorf("there is no window %d: %w", number, fs.ErrNotExist)
	}
	chief := t.Chief()
	return t.Stacks(of[max(slices.IndexFunc(of, func(w source.Window) bool { return w.Worker == chief }), 0)])
}

func sampledOf(w *stacks.Window, loaders bool) (*stacks.Sampled, string, error) {
	about := fmt.Sprintf("%s of %s from TRAIN step %d on", record.Seconds(w.Seconds), w.Worker, w.FirstStep)
	if w.Cut != "" {
		about += "; " + w.Cut
	}
	if !loaders {
		if s := w.Trains(); s != nil {
			return s, about + ", " + record.Several(s.Samples, "sample"), nil
		}
		return nil, "", fmt.Errorf("window %d has no samples of the process that trains: %w", w.Number, fs.ErrNotExist)
	}
	s, n := w.Loading()
	if s == nil {
		return nil, "", fmt.Errorf("window %d has no samples of loader workers: %w", w.Number, fs.ErrNotExist)
	}
	return s, fmt.Sprintf("%s; %d of %s together, %s", about, n, record.Several(int64(max(w.Loaders, n)), "loader worker"), record.Several(s.Samples, "sample")), nil
}

// callPair is a call with its time in two windows.
type callPair struct {
	stacks.Frame
	now, before time.Duration
	to          []*callPair
	shown       bool
}

// add adds the stacks of the thread that trains, and says how long they are.
func (c *callPair) add(s *stacks.Sampled, byLine bool, of func(*callPair) *time.Duration) float64 {
	thread := s.Thread()
	for _, st := range s.Stacks {
		if st.Thread != thread {
			continue
		}
		*of(c) += st.Time
		at := c
		for _, frame := range slices.Backward(st.Frames) {
			if !byLine {
				frame.Line = 0
			}
			i := slices.IndexFunc(at.to, func(c *callPair) bool { return c.Frame == frame })
			if i < 0 {
				i = len(at.to)
				at.to = append(at.to, &callPair{Frame: frame})
			}
			at = at.to[i]
			*of(at) += st.Time
		}
	}
	return of(c).Seconds()
}

// rows lists the calls that take most, and what led to them.
func (f *FlameTree) rows(root *callPair) {
	share := func(c *callPair) float64 {
		largest := 0.0
		if root.now > 0 {
			largest = float64(c.now) / float64(root.now)
		}
		if root.before > 0 {
			largest = max(largest, float64(c.before)/float64(root.before))
		}
		return largest
	}
	// A call takes no less than what it calls: so the longest of all calls are found
	// from those that are shown already.
	edge := slices.Clone(root.to)
	for n := 0; n < mostFlameRows && len(edge) > 0; n++ {
		longest := 0
		for i, c := range edge {
			if share(c) > share(edge[longest]) {
				longest = i
			}
		}
		c := edge[longest]
		if share(c) < leastFlameRow {
			break
		}
		c.shown = true
		edge[longest] = edge[len(edge)-1]
		edge = append(edge[:len(edge)-1], c.to...)
	}
	f.Left = len(edge)
	var list func(c *callPair, parent int)
	list = func(c *callPair, parent int) {
		slices.SortStableFunc(c.to, func(a, b *callPair) int {
			return cmp.Or(cmp.Compare(max(b.now, b.before), max(a.now, a.before)), cmp.Compare(a.Function, b.Function))
		})
		for _, to := range c.to {
			if !to.shown {
				continue
			}
			row := FlameRow{Frame: to.Frame, Parent: parent, Self: to.now.Seconds(), Total: to.now.Seconds(), Before: to.before.Seconds(), Own: !record.Library(to.File)}
			for _, callee := range to.to {
				row.Self -= callee.now.Seconds()
			}
			row.Self = max(row.Self, 0)
			if root.now > 0 && root.before > 0 {
				row.Change = 100 * (float64(to.now)/float64(root.now) - float64(to.before)/float64(root.before))
			}
			f.Rows = append(f.Rows, row)
			list(to, len(f.Rows)-1)
		}
	}
	list(root, -1)
}
