package expression

import "errors"

// What keeps an expression from being judged at one step, and is no fault.
var (
	errNoData = errors.New("there are not enough points yet")
	errZero   = errors.New("a ratio to zero")
)

// errCost ends a rule whose expression is too dear.
var errCost = errors.New("the expression costs too much: it reads more than 10 million points at a step; shorten its windows, or narrow its patterns")

// frame is one evaluation for one worker.
type frame struct {
	worker   *worker
	step     int64
	modeStep int64
	mode     string

	vars    []*series
	scratch []float64
	cost    int
	err     error

	seen *series // read last since begin; one of many before a single one
	evidence
}

// evidence is the comparison that was made last.
type evidence struct {
	made                bool
	observed, threshold float64
	comparator          string
	subject             *series
}

// passing reports whether the error is of this step only.
func (f *frame) passing() bool { return errors.Is(f.err, errNoData) || errors.Is(f.err, errZero) }

func (f *frame) begin() { f.seen = nil }

func (f *frame) compared(observed, threshold float64, comparator string) {
	if f.err != nil {
		return
	}
	f.evidence = evidence{true, observed, threshold, comparator, f.seen}
}

// pay counts what was looked at.
func (f *frame) pay(n int) bool {
	if f.cost += n; f.cost > maxCost && f.err == nil {
		f.err = errCost
	}
	return f.err == nil
}

// single gives the series of a source that names one.
func (f *frame) single(source int) *series {
	list := f.worker.sources[source].list
	if len(list) == 0 {
		if f.err == nil {
			f.err = errNoData
		}
		return nil
	}
	return list[0]
}

func (f *frame) several(source int) []*series { return f.worker.sources[source].list }

// read notes that n points of a series are looked at; nil when there is none.
func (f *frame) read(s *series, n int) *series {
	if s == nil || f.err != nil || !f.pay(min(n, len(s.values))) {
		return nil
	}
	if s.many || f.seen == nil || !f.seen.many {
		f.seen = s
	}
	return s
}
