package trial

import (
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/chunk"
)

// held is what a journal or chunk holds of one name.
type held struct {
	stats  bool            // statistics
	keys   map[string]bool // of scalars and derived numbers
	points [record.Global + 1]int64
	hist   bool
}

// Contents is what is stored, by name. What a sealed chunk holds is remembered.
func (t *Trial) Contents() map[string]source.Content {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	sum := map[string]*held{}
	for _, s := range t.all() {
		for _, n := range s.numbers() {
			list := t.tailContents(s, n)
			if c := s.chunks[n]; c != nil && s.tails[n] == nil {
				list = t.chunkContents(c)
			}
			for name, h := range list {
				sum[name] = sum[name].plus(h)
			}
		}
	}
	raw := t.rawNames()
	out := make(map[string]source.Content, len(sum))
	for name, h := range sum {
		c := source.Content{Points: h.points, Histogram: h.hist, Raw: raw[name]}
		if h.keys[chunk.ValueStat] {
			c.Stats = append(c.Stats, chunk.ValueStat)
		}
		if h.stats {
			c.Stats = append(c.Stats, chunk.StatisticNames...)
		}
		for _, key := range sortedKeys(h.keys) {
			if key != chunk.ValueStat && !record.IsShape(key) {
				c.Stats = append(c.Stats, key)
			}
		}
		for m, n := range h.points {
			if n > 0 {
				c.Modes = append(c.Modes, record.Mode(m))
			}
		}
		out[name] = c
	}
	for name := range raw {
		if _, known := out[name]; !known {
			out[name] = source.Content{Raw: true}
		}
	}
	return out
}

// plus is both together; what is added is not changed.
func (h *held) plus(o *held) *held {
	if h == nil {
		h = &held{keys: map[string]bool{}}
	}
	h.stats, h.hist = h.stats || o.stats, h.hist || o.hist
	for k := range o.keys {
		h.keys[k] = true
	}
	for m, n := range o.points {
		h.points[m] += n
	}
	return h
}

// tailContents is what a journal holds.
func (t *Trial) tailContents(s *series, n int) map[string]*held {
	list := map[string]*held{}
	j := s.tails[n]
	if j == nil {
		return list
	}
	of := func(name string) *held {
		h := list[name]
		if h == nil {
			h = &held{keys: map[string]bool{}}
			list[name] = h
		}
		return h
	}
	for _, st := range j.steps {
		if st.Mode > record.Global || t.hidden(s, n, st.Mode, st.ModeStep) {
			continue
		}
		for i := range st.Scalars {
			h := of(st.Scalars[i].Name)
			h.keys[chunk.ValueStat] = true
			h.points[st.Mode]++
		}
		for i := range st.Stats {
			h := of(st.Stats[i].Tensor)
			h.stats = true
			h.points[st.Mode]++
			h.hist = h.hist || st.Hists != nil && st.Hists[i] != nil
		}
		for i := range st.Derived {
			h := of(st.Derived[i].Tensor)
			h.keys[st.Derived[i].Stat] = true
		}
	}
	return list
}

// chunkContents is what a chunk holds.
func (t *Trial) chunkContents(c *sealed) map[string]*held {
	if c.holds != nil {
		return c.holds
	}
	list := map[string]*held{}
	for _, name := range []string{chunk.Scalars, chunk.Stats} {
		f := t.table(c, name)
		if f == nil {
			continue
		}
		modes, err := f.CountModes()
		if err != nil {
			t.spoil(c.tables[name], err)
			continue
		}
		for i, e := range f.Directory() {
			h := list[e.Name]
			if h == nil {
				h = &held{keys: map[string]bool{}}
				list[e.Name] = h
			}
			if name == chunk.Scalars {
				h.keys[e.Stat] = true
				if e.Stat != chunk.ValueStat {
					continue
				}
			} else {
				h.stats = true
				h.hist = h.hist || f.HasHistograms(e)
			}
			for m, n := range modes[i] {
				h.points[m] += n
			}
		}
	}
	c.holds = list
	return list
}

// rawNames are the tensors with raw values at some step.
func (t *Trial) rawNames() map[string]bool {
	names := map[string]bool{}
	if len(t.raw) == 0 {
		return names
	}
	t.eachStep("", func(s *record.Step) {
		for _, name := range s.Raw {
			names[name] = true
		}
	})
	return names
}

var _ source.Contents = (*Trial)(nil)
