package slow

import (
	"cmp"
	"maps"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// RankTimes are the updates of all ranks, in stretches of time that follow each
// other: when there are too many, neighbours become one. It is empty where there is
// only one rank.
type RankTimes struct {
	First     map[string]int64 `json:"first"` // updates that were left out, by worker
	Stretches []rankStretch    `json:"stretches"`
	Each      int              `json:"each"`   // windows of a stretch
	Recent    []rankStretch    `json:"recent"` // the last windows
}

// rankStretch are updates of ranks in about the same time.
type rankStretch struct {
	Windows int                 `json:"windows"`
	Step    int64               `json:"step"` // the first one
	Ranks   map[string]*rankSum `json:"ranks"`
}

type rankSum struct {
	Steps int64                   `json:"steps"`
	Parts [rule.StepParts]float64 `json:"parts"`
}

const (
	mostRankSums    = 4096 // that the stretches have together
	fewestStretches = 8
	mostRankStretch = 64
)

// window takes the rows of a window.
func (x *RankTimes) window(times []rule.StepTime) {
	if len(times) == 0 || len(x.First) < 2 && !slices.ContainsFunc(times, func(t rule.StepTime) bool { return t.Worker != times[0].Worker }) {
		return
	}
	if x.First == nil {
		x.First = map[string]int64{}
	}
	w := rankStretch{Windows: 1, Ranks: map[string]*rankSum{}}
	for i := range times {
		t := &times[i]
		if t.Mode != rule.Train && t.Mode != rule.Global {
			continue
		}
		if x.First[t.Worker] < firstSteps {
			x.First[t.Worker] += t.Steps
			continue
		}
		of := w.Ranks[t.Worker]
		if of == nil {
			of = &rankSum{}
			w.Ranks[t.Worker] = of
		}
		if len(w.Ranks) == 1 && of.Steps == 0 {
			w.Step = t.ModeStep
		}
		of.Steps += t.Steps
		for p, ns := range t.Parts {
			of.Parts[p] += float64(ns) * 1e-9
		}
	}
	if len(w.Ranks) == 0 {
		return
	}
	x.Recent = append(x.Recent, w)
	x.Recent = x.Recent[max(0, len(x.Recent)-recent):]
	x.add(&w)
}

func (x *RankTimes) add(w *rankStretch) {
	x.Each = max(x.Each, 1)
	n := len(x.Stretches)
	if n == 0 || x.Stretches[n-1].Windows >= x.Each {
		x.Stretches = append(x.Stretches, rankStretch{Step: w.Step})
		n++
	}
	x.Stretches[n-1].add(w)
	if n < max(fewestStretches, min(mostRankStretch, mostRankSums/len(x.First))) {
		return
	}
	x.Each *= 2
	half := x.Stretches[:0]
	for i := 0; i < n; i += 2 {
		s := x.Stretches[i]
		if i+1 < n {
			s.add(&x.Stretches[i+1])
		}
		half = append(half, s)
	}
	x.Stretches = half
}

// add adds a stretch that follows.
func (s *rankStretch) add(o *rankStretch) {
	s.Windows += o.Windows
	if s.Ranks == nil {
		s.Ranks = map[string]*rankSum{}
	}
	for worker, of := range o.Ranks {
		to := s.Ranks[worker]
		if to == nil {
			to = &rankSum{}
			s.Ranks[worker] = to
		}
		to.Steps += of.Steps
		for p := range of.Parts {
			to.Parts[p] += of.Parts[p]
		}
	}
}

func together(list []rankStretch) (all rankStretch) {
	for i := range list {
		all.add(&list[i])
	}
	return all
}

// imbalance is what ranks wait for that others do not wait for.
type imbalance struct {
	slow    []string      // those that wait least
	seconds float64       // of an update, that all others wait longer than they
	part    rule.StepPart // in which the slow ones take longer
	more    float64       // by so much, in seconds of an update
}

// imbalance reports which ranks the others wait for; ok is false where none are, or
// where what they do is no reason for it. least is how many updates of each there
// must be.
func (s *rankStretch) imbalance(least int64) (b imbalance, ok bool) {
	workers := slices.Sorted(maps.Keys(s.Ranks))
	for _, w := range workers {
		if s.Ranks[w].Steps < least {
			return b, false
		}
	}
	n := len(workers)
	if n < 2 {
		return b, false
	}
	waits := func(worker string) float64 { return s.Ranks[worker].perStep(rule.WaitForRanks) }
	slices.SortStableFunc(workers, func(a, b string) int { return cmp.Compare(waits(a), waits(b)) })
	k, gap := 0, 0.0 // the first k are the slow ones
	for i := 1; i <= n/2; i++ {
		if d := waits(workers[i]) - waits(workers[i-1]); d > gap {
			k, gap = i, d
		}
	}
	if k == 0 || waits(workers[k-1])-waits(workers[0]) > 0.5*gap {
		return b, false
	}
	b.slow, b.seconds = slices.Sorted(slices.Values(workers[:k])), gap+waits(workers[k-1])-waits(workers[0])
	var own, others float64 // the length of an update
	for p := range rule.StepParts {
		slow, rest := s.middle(workers[:k], p), s.middle(workers[k:], p)
		own, others = own+slow, others+rest
		if d := slow - rest; p != rule.WaitForRanks && d > b.more {
			b.part, b.more = p, d
		}
	}
	// Ranks that wait for each other make their updates in the same time.
	return b, b.more >= 0.5*b.seconds && max(own, others) <= 1.2*min(own, others)
}

// middle is the median over ranks of the time of an update that a part takes.
func (s *rankStretch) middle(workers []string, p rule.StepPart) float64 {
	x := make([]float64, len(workers))
	for i, w := range workers {
		x[i] = s.Ranks[w].perStep(p)
	}
	return median(x)
}

func (r *rankSum) perStep(p rule.StepPart) float64 { return r.Parts[p] / float64(r.Steps) }

// since is the first update from which on ranks were waited for about as they are
// now, while they were not before; 0 where that is not known.
func (x *RankTimes) since(now *imbalance) int64 {
	first := -1
	for i := range slices.Backward(x.Stretches) {
		if x.Stretches[i].waitsLike(now, 0.5) {
			first = i
		} else if i < len(x.Stretches)-1 { // the last one may have just begun
			break
		}
	}
	if first <= 0 {
		return 0
	}
	if before := together(x.Stretches[:first]); before.waitsLike(now, 0.25) {
		return 0
	}
	return x.Stretches[first].Step
}

// waitsLike reports whether the ranks of an imbalance are waited for at least by a
// share of its time.
func (s *rankStretch) waitsLike(now *imbalance, share float64) bool {
	b, ok := s.imbalance(fewRecent)
	return ok && slices.Equal(b.slow, now.slow) && b.seconds >= share*now.seconds
}
