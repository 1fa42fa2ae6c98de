package stacks

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Group are processes of one kind that stand at the same place.
type Group struct {
	Kind      string
	Processes []*Process
	Frames    []Frame // of their main threads
	Read      string
	State     string // where nothing was read
}

// order of kinds: who trains comes first.
var kinds = []string{Rank, LoaderWorker, Other}

// Groups puts processes of one kind whose main threads stand at the same place into
// one group. Of a kind the smallest group comes first: it is the odd one. Processes
// of which nothing was read are in one group for each state, after the others.
func Groups(list []Process) []Group {
	var groups []Group
	for _, kind := range kinds {
		at := map[string]int{}
		var of []Group
		for i := range list {
			p := &list[i]
			if p.Kind != kind {
				continue
			}
			var frames []Frame
			key := "\x00" + p.State
			if t := p.Main(); t != nil {
				frames = Below(t.Frames)
				key = placeKey(frames)
			}
			n, there := at[key]
			if !there {
				n = len(of)
				at[key] = n
				g := Group{Kind: kind, Frames: frames, Read: p.Read}
				if frames == nil {
					g.State = p.State
				}
				of = append(of, g)
			}
			of[n].Processes = append(of[n].Processes, p)
		}
		slices.SortStableFunc(of, func(a, b Group) int {
			if silent := boolInt(a.Frames == nil) - boolInt(b.Frames == nil); silent != 0 {
				return silent
			}
			return len(a.Processes) - len(b.Processes)
		})
		groups = append(groups, of...)
	}
	return groups
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func placeKey(frames []Frame) string {
	var b strings.Builder
	for _, f := range frames {
		fmt.Fprintf(&b, "%s\x00%d\x00%s\x00", f.File, f.Line, f.Function)
	}
	return b.String()
}

// Who names the processes of a group: "rank 1", "3 ranks", "2 loader workers of rank
// 0", "process 4711 (torchrun)".
func (g *Group) Who() string {
	n := len(g.Processes)
	p := g.Processes[0]
	switch g.Kind {
	case Rank:
		if n == 1 {
			return "rank " + strconv.Itoa(p.Rank)
		}
		return fmt.Sprintf("%d ranks", n)
	case LoaderWorker:
		of := ""
		if p.Rank >= 0 && !slices.ContainsFunc(g.Processes, func(o *Process) bool { return o.Rank != p.Rank }) {
			of = " of rank " + strconv.Itoa(p.Rank)
		}
		if n == 1 {
			return "a loader worker" + of
		}
		return fmt.Sprintf("%d loader workers%s", n, of)
	}
	if n == 1 {
		return fmt.Sprintf("process %d (%s)", p.PID, p.Name)
	}
	return fmt.Sprintf("%d other processes", n)
}

// Which tells the ranks and processes of a group apart: "ranks 0, 2, 3; processes 11,
// 13, 14", long lists with their first ones.
func (g *Group) Which() string {
	var ranks, pids []string
	for _, p := range g.Processes {
		if p.Kind == Rank {
			ranks = append(ranks, strconv.Itoa(p.Rank))
		}
		pids = append(pids, strconv.Itoa(p.PID))
	}
	text := "process"
	if len(pids) > 1 {
		text = "processes"
	}
	text += " " + some(pids)
	if len(ranks) > 1 {
		text = "ranks " + some(ranks) + "; " + text
	}
	return text
}

func some(list []string) string {
	const shown = 8
	if len(list) <= shown {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:shown], ", "), len(list)-shown)
}

// Where says in a few words where a group stands: "`dataset.py:88 open()`", or
// "`all_reduce()`, called at `train.py:31`" where that is no code of the user's.
func (g *Group) Where() string { return Where(g.Frames, g.State) }

// Where says in a few words where frames stand; state is in for none.
func Where(frames []Frame, state string) string {
	frames = Below(frames)
	if len(frames) == 0 {
		if state == "" {
			return "no Python code"
		}
		return state
	}
	inner := frames[0]
	if !record.Library(inner.File) {
		return "`" + inner.Place() + " " + call(inner.Function) + "`"
	}
	text := "`" + call(named(frames)) + "`"
	own := Own(frames)
	if own != nil && imports(frames) {
		return "an import, at `" + own.Place() + "`"
	}
	if own != nil {
		text += ", called at `" + own.Place() + "`"
	}
	return text
}

// named is the function by which library code is known: the one that the user's
// code called, unless it is a wrapper without a name of its own.
func named(frames []Frame) string {
	if Own(frames) == nil {
		return known(frames).Function
	}
	name := frames[0].Function
	for i := range frames {
		if !record.Library(frames[i].File) {
			break
		}
		if short := last(frames[i].Function); short != "wrapper" && short != "__call__" && short != "_wrapped_call_impl" && short != "_call_impl" && !strings.HasPrefix(short, "<") {
			name = frames[i].Function
		}
	}
	return name
}

// imports reports whether the user's code is at an import statement.
func imports(frames []Frame) bool {
	for i := range frames {
		if !record.Library(frames[i].File) {
			return i > 0 && strings.HasPrefix(frames[i-1].File, "<frozen importlib")
		}
	}
	return false
}

func last(function string) string { return function[strings.LastIndexByte(function, '.')+1:] }

// call is a function with its parentheses; what is none, as "<module>", stays.
func call(function string) string {
	short := strings.ReplaceAll(function, "<locals>.", "")
	if strings.HasSuffix(short, ">") {
		return short
	}
	return short + "()"
}

// Place is the last part of the file, and the line: "train.py:31".
func (f *Frame) Place() string { return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line) }

// Summary is one sentence about a job: "rank 1 in `dataset.py:88 open()`, 3 ranks in
// `all_reduce()`, called at `train.py:31`". Only the kinds that train and load are in
// it, unless there are none.
func Summary(groups []Group) string {
	var parts []string
	for _, kind := range kinds {
		if kind == Other && len(parts) > 0 {
			break
		}
		for i := range groups {
			if groups[i].Kind != kind {
				continue
			}
			parts = append(parts, groups[i].Who()+" in "+groups[i].Where())
		}
	}
	const shown = 6
	if more := len(parts) - shown; more > 0 {
		parts = append(parts[:shown], fmt.Sprintf("%d further groups", more))
	}
	return strings.Join(parts, "; ")
}
