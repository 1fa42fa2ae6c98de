package rules

import (
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// DefaultWindow is how many incomplete steps may wait for their workers.
const DefaultWindow = 1000

// Completer decides when a step is complete: when every worker has left its
// part or has gone; when a later step is complete; when the job has ended; or
// when more than the window are waiting, in which case the older half is
// declared complete as it is. Complete steps leave it in increasing global
// order, each once; a part that comes after its step has left is too late and
// is counted.
type Completer struct {
	window  int
	workers map[string]bool // true: still there
	pending map[int64][]*record.Step
	last    int64 // highest step handed out
	late    int64
}

// NewCompleter makes a completer; a window of 0 or less is DefaultWindow.
func NewCompleter(window int) *Completer {
	if window <= 0 {
		window = DefaultWindow
	}
	return &Completer{window, map[string]bool{}, map[int64][]*record.Step{}, math.MinInt64, 0}
}

// Worker announces a worker whose parts are to be waited for.
func (c *Completer) Worker(name string) { c.workers[name] = true }

// Gone says that nothing more will come of a worker, and gives the steps that
// waited for nobody else.
func (c *Completer) Gone(name string) []*record.Complete {
	c.workers[name] = false
	return c.release(c.newestWhole())
}

// Resume says that steps up to this one were handed out before a restart.
func (c *Completer) Resume(last int64) { c.last = max(c.last, last) }

// Late is the number of parts that came after their step was declared
// complete.
func (c *Completer) Late() int64 { return c.late }

// Add takes one worker's part of a step and gives the steps that are complete
// now. A second part of the same worker takes the place of the first.
func (c *Completer) Add(s *record.Step) []*record.Complete {
	if s.Step <= c.last {
		c.late++
		return nil
	}
	if _, known := c.workers[s.Worker]; !known {
		c.workers[s.Worker] = true
	}
	parts := c.pending[s.Step]
	if i := slices.IndexFunc(parts, func(p *record.Step) bool { return p.Worker == s.Worker }); i >= 0 {
		parts[i] = s
	} else {
		c.pending[s.Step] = append(parts, s)
	}
	if c.whole(s.Step) {
		return c.release(s.Step)
	}
	if len(c.pending) > c.window {
		steps := c.steps()
		return c.release(steps[(len(steps)+1)/2-1])
	}
	return nil
}

// End gives all that is left, at the end of the job.
func (c *Completer) End() []*record.Complete { return c.release(math.MaxInt64) }

func (c *Completer) whole(step int64) bool {
	for w, there := range c.workers {
		if there && !slices.ContainsFunc(c.pending[step], func(p *record.Step) bool { return p.Worker == w }) {
			return false
		}
	}
	return true
}

func (c *Completer) newestWhole() int64 {
	steps := c.steps()
	for _, s := range slices.Backward(steps) {
		if c.whole(s) {
			return s
		}
	}
	return math.MinInt64
}

func (c *Completer) steps() []int64 {
	steps := make([]int64, 0, len(c.pending))
	for s := range c.pending {
		steps = append(steps, s)
	}
	slices.Sort(steps)
	return steps
}

// release hands out every pending step up to and including one.
func (c *Completer) release(upTo int64) []*record.Complete {
	var out []*record.Complete
	for _, s := range c.steps() {
		if s > upTo {
			break
		}
		out = append(out, NewComplete(c.pending[s]))
		delete(c.pending, s)
		c.last = s
	}
	return out
}

// NewComplete puts the parts of one step together, sorted by worker. Mode and
// mode step are the first part's; the time is the latest, when the step was
// there.
func NewComplete(parts []*record.Step) *record.Complete {
	slices.SortFunc(parts, func(a, b *record.Step) int { return strings.Compare(a.Worker, b.Worker) })
	p := parts[0]
	// Ranks that evaluate differently number their global steps differently: a
	// part of another step of another mode is not judged with this one.
	parts = slices.DeleteFunc(parts, func(q *record.Step) bool { return q.Mode != p.Mode || q.ModeStep != p.ModeStep })
	c := &record.Complete{Step: p.Step, Mode: p.Mode, ModeStep: p.ModeStep, Time: p.Time, Parts: parts}
	for _, p := range parts[1:] {
		if p.Time.After(c.Time) {
			c.Time = p.Time
		}
	}
	return c
}
