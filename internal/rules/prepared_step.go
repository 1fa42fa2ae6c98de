package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// cell is one tensor or scalar of one part of the step at hand.
type cell struct {
	id   int32
	item rule.Item
}

// frame is a complete step, put in order once for all rules. Its slices are
// used again at the next step.
type frame struct {
	tensors []cell // by worker, rank
	scalars []cell // by name, worker
	derived []rule.Derived
	skipped bool
	strings bool  // there are tensors of strings
	count   int64 // of the steps that were loaded

	first []int32 // by tensor id: index into the part's derived numbers, -1
	last  []int32
	next  []int32 // chain of derived numbers of one tensor
	seen  []bool  // by tensor id: has a cell with statistics
}

func (f *frame) load(c *record.Complete, t *tensors) {
	f.tensors, f.scalars, f.derived, f.skipped = f.tensors[:0], f.scalars[:0], f.derived[:0], false
	f.strings = false
	f.count++
	total := 0
	for _, p := range c.Parts {
		total += len(p.Derived)
	}
	f.derived = slices.Grow(f.derived, total) // cells hold parts of it: it must not move
	for _, p := range c.Parts {
		f.skipped = f.skipped || p.Skipped
		for i := range p.Scalars {
			id := t.id(p.Scalars[i].Name, true)
			f.scalars = append(f.scalars, cell{id, rule.Item{Worker: p.Worker, Info: t.infos[id], Value: p.Scalars[i].Value}})
		}
		f.part(p, t)
	}
	slices.SortStableFunc(f.scalars, func(a, b cell) int {
		return cmp.Or(strings.Compare(a.item.Info.Name, b.item.Info.Name), strings.Compare(a.item.Worker, b.item.Worker))
	})
}

// part adds the tensors of one worker.
func (f *frame) part(p *record.Step, t *tensors) {
	start := len(f.tensors)
	for i := range p.Stats {
		id := t.id(p.Stats[i].Tensor, false)
		f.tensors = append(f.tensors, cell{id, rule.Item{Worker: p.Worker, Info: t.infos[id], Stats: &p.Stats[i].Stats}})
	}
	if len(p.Derived) > 0 {
		f.chain(p, t, start)
	}
	if len(p.Raw) > 0 {
		f.stored(p, t, start)
	}
	rank := t.ranks()
	byRank := func(a, b cell) int { return cmp.Compare(rank[a.id], rank[b.id]) }
	if mine := f.tensors[start:]; !slices.IsSortedFunc(mine, byRank) {
		slices.SortStableFunc(mine, byRank)
	}
}

// stored marks the tensors whose values are stored.
func (f *frame) stored(p *record.Step, t *tensors, start int) {
	raw := make(map[int32]bool, len(p.Raw))
	for _, name := range p.Raw {
		raw[t.id(name, false)] = true
	}
	for n := range f.tensors[start:] {
		c := &f.tensors[start+n]
		c.item.Stored = raw[c.id]
	}
}

// chain gives each tensor its derived numbers, in the order in which they
// came, and a cell to those that have nothing else.
func (f *frame) chain(p *record.Step, t *tensors, start int) {
	f.next = append(f.next[:0], make([]int32, len(p.Derived))...)
	grow := func() {
		for len(f.first) < len(t.infos) {
			f.first, f.last, f.seen = append(f.first, -1), append(f.last, -1), append(f.seen, false)
		}
	}
	grow()
	for _, c := range f.tensors[start:] {
		f.seen[c.id] = true
	}
	for i := range p.Derived {
		id := t.id(p.Derived[i].Tensor, false)
		grow()
		f.next[i] = -1
		if f.first[id] < 0 {
			f.first[id] = int32(i)
		} else {
			f.next[f.last[id]] = int32(i)
		}
		f.last[id] = int32(i)
		if !f.seen[id] {
			f.seen[id] = true
			f.tensors = append(f.tensors, cell{id, rule.Item{Worker: p.Worker, Info: t.infos[id]}})
			f.strings = f.strings || p.Derived[i].Stat == record.StringCount
		}
	}
	for n := range f.tensors[start:] {
		c := &f.tensors[start+n]
		from := len(f.derived)
		for i := f.first[c.id]; i >= 0; i = f.next[i] {
			f.derived = append(f.derived, p.Derived[i])
		}
		c.item.Derived = f.derived[from:len(f.derived):len(f.derived)]
		f.seen[c.id] = false
	}
	for i := range p.Derived {
		if id, ok := t.ids[p.Derived[i].Tensor]; ok {
			f.first[id], f.last[id] = -1, -1
		}
	}
}
