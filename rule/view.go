package rule

import (
	"errors"
	"iter"
	"time"
)

// View is one complete step as a rule sees it. It is frozen: data that comes
// while the rule works is seen at the next step. Slices that it hands out
// belong to the engine: they are good until Step returns, and not to be changed,
// because other rules see them too.
type View struct {
	Step     int64 // global step
	Mode     Mode
	ModeStep int64
	Time     time.Time
	// Skipped says that the loss scaler skipped the update on some worker:
	// non-finite gradients are then no news.
	Skipped bool
	Data    Data
}

// Data is where a view's values come from. Functions may be added; those that
// are nil have nothing to give.
type Data struct {
	// Tensors gives the tensors of a selector that have statistics or
	// derived numbers at this step, sorted by worker, position in the
	// model and name.
	Tensors func(selector int) []Item
	// Scalars gives the scalars of a selector, sorted by name and worker.
	Scalars func(selector int) []Item
	// Raw reads stored values of this step, RawAt those of a step.
	Raw   func(worker, tensor string) (Values, error)
	RawAt func(worker, tensor string, mode Mode, modeStep int64) (Values, error)
	// Trial opens another run.
	Trial func(name string) (Trial, error)
}

// Trial is another run that a rule compares with.
type Trial interface {
	// Running reports whether the run still goes on, so that more may come.
	Running() bool
	// Workers names the workers that stored anything, the chief first.
	Workers() []string
	// Raw reads the stored values of a tensor.
	Raw(tensor string, mode Mode, modeStep int64, worker string) (Values, error)
	// Series reads one statistic ("value" for scalars) from a mode step on;
	// nothing where the run has no such name or statistic.
	Series(tensor, stat string, mode Mode, worker string, from int64) (steps []int64, values []float64, err error)
}

// ErrNoRaw is returned by View.Raw where raw values cannot be read.
var ErrNoRaw = errors.New("read raw tensor: no raw values here")

// Item is one tensor, or one scalar, of one worker at one step.
type Item struct {
	Worker string
	Info   *TensorInfo
	// Stats is nil for scalars and where only derived numbers were taken.
	Stats   *Stats
	Value   float64 // of a scalar
	Stored  bool    // its values at this step are stored
	Derived []Derived
}

// Tensors gives the tensors of a selector at this step.
func (v *View) Tensors(selector int) []Item {
	if v.Data.Tensors == nil {
		return nil
	}
	return v.Data.Tensors(selector)
}

// Scalars gives the scalars of a selector at this step.
func (v *View) Scalars(selector int) []Item {
	if v.Data.Scalars == nil {
		return nil
	}
	return v.Data.Scalars(selector)
}

// Raw reads the stored values of a tensor at this step.
func (v *View) Raw(worker, tensor string) (Values, error) {
	if v.Data.Raw == nil {
		return Values{}, ErrNoRaw
	}
	return v.Data.Raw(worker, tensor)
}

// Trial opens another run by name or path.
func (v *View) Trial(name string) (Trial, error) {
	if v.Data.Trial == nil {
		return nil, errors.New("open other trial: other runs cannot be read here")
	}
	return v.Data.Trial(name)
}

// Number gives a derived number by its whole name: a quantile, or one of
// FirstNaN, FirstPosInf and FirstNegInf.
func (it *Item) Number(stat string) (value float64, ok bool) {
	for i := range it.Derived {
		if it.Derived[i].Stat == stat {
			return it.Derived[i].Value, true
		}
	}
	return 0, false
}

// Numbers gives all derived numbers under a key, by quantity.
func (it *Item) Numbers(key string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for i := range it.Derived {
			d := &it.Derived[i]
			if len(d.Stat) > len(key) && d.Stat[len(key)] == '.' && d.Stat[:len(key)] == key && !yield(d.Stat[len(key)+1:], d.Value) {
				return
			}
		}
	}
}

// Find gives a derived number: prefix is the key of the Pair or Units,
// quantity one of the constants of this package. from is the mode step that a
// pair compares with.
func (it *Item) Find(prefix, quantity string) (value float64, from int64, ok bool) {
	n := len(prefix)
	for i := range it.Derived {
		d := &it.Derived[i]
		s := d.Stat
		if len(s) == n+1+len(quantity) && s[n] == '.' && s[n+1:] == quantity && s[:n] == prefix {
			return d.Value, d.From, true
		}
	}
	return 0, 0, false
}
