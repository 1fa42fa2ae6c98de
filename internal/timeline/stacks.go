package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Stacks are where one process of a worker stood in a window of samples.
type Stacks struct {
	Worker string
	Title  string // of the process
	Start  time.Time
	Length time.Duration
	Stacks []Stack
}

// Stack is a stack of calls, the outermost first, and the time spent in it.
type Stack struct {
	Calls []Call
	Time  time.Duration
}

// Call is a call on a stack.
type Call struct {
	Function, Place string // "train", "train.py:31"
}

// Numbers of the tracks of stacks, and bounds on what they show.
const (
	stackThreads  = 1000
	mostWindows   = 200
	mostDepth     = 64
	leastOfWindow = 1000 // a call shorter than this part of the window is left out
)

// stacks writes the windows of a worker: calls as wide as their share of the
// window. Where in it they were is not known; those that took longest come first.
func (b *builder) stacks(pid int, worker string) {
	var list []Stacks
	for _, s := range b.run.Stacks {
		if s.Worker == worker && s.Length > 0 {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(x, y Stacks) int { return x.Start.Compare(y.Start) })
	if len(list) > mostWindows {
		b.note("Of %d windows of stacks of %s the first %d are shown.", len(list), worker, mostWindows)
		list = list[:mostWindows]
	}
	ends := map[string]int64{}
	tids := map[string]int{}
	for i := range list {
		s := &list[i]
		title := "stacks"
		if s.Title != "" {
			title += ": " + s.Title
		}
		if _, there := tids[title]; !there {
			tids[title] = stackThreads + len(tids)
			b.out.thread(pid, tids[title], title+" (widths are shares)")
		}
		from := max(b.out.since(s.Start), ends[title])
		to := b.out.since(s.Start.Add(s.Length))
		if to <= from {
			continue
		}
		ends[title] = to
		total := int64(0)
		for _, k := range s.Stacks {
			total += max(int64(k.Time), 0)
		}
		if total > 0 {
			f := flame{b: b, pid: pid, tid: tids[title], from: from, length: to - from, total: total}
			f.calls(s.Stacks, 0, 0)
		}
	}
}

// flame lays the stacks of a window out.
type flame struct {
	b            *builder
	pid, tid     int
	from, length int64
	total        int64
}

// at is where a time of the whole lies.
func (f *flame) at(ns int64) int64 {
	return f.from + int64(float64(f.length)*(float64(ns)/float64(f.total)))
}

// calls writes the calls at a depth of stacks that are equal up to there, from a
// time of the whole on.
func (f *flame) calls(list []Stack, depth int, begin int64) {
	if depth == mostDepth {
		return
	}
	type group struct {
		call   Call
		time   int64
		stacks []Stack
	}
	var groups []*group
	byCall := map[Call]*group{}
	for _, s := range list {
		if depth >= len(s.Calls) || s.Time <= 0 {
			continue
		}
		g := byCall[s.Calls[depth]]
		if g == nil {
			g = &group{call: s.Calls[depth]}
			byCall[g.call] = g
			groups = append(groups, g)
		}
		g.time += int64(s.Time)
		g.stacks = append(g.stacks, s)
	}
	slices.SortStableFunc(groups, func(x, y *group) int { return cmp.Compare(y.time, x.time) })
	for _, g := range groups {
		from, to := f.at(begin), f.at(begin+g.time)
		if to > from && g.time*leastOfWindow >= f.total {
			f.b.out.slice(f.pid, f.tid, g.call.Function, from, to, arg{"place", g.call.Place}, arg{"share", fmt.Sprintf("%.1f %%", 100*float64(g.time)/float64(f.total))})
			f.calls(g.stacks, depth+1, begin)
		}
		begin += g.time
	}
}
