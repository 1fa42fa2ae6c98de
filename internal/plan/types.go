// Package plan decides what is captured: collections with schedules, what
// rules need, and the merge of both. A step is captured when any request would
// capture it; what is kept then is the union of the requests that are due.
package plan

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Auto as ModeSchedule.Every leaves the interval to the overhead budget.
const Auto = 0

// ModeSchedule says which steps of one mode are due: those listed in Steps,
// and every n with Start <= n, n < End (End 0: no end) and n mod Every == 0.
type ModeSchedule struct {
	Every int64   `json:"every"`
	Start int64   `json:"start,omitempty"`
	End   int64   `json:"end,omitempty"`
	Steps []int64 `json:"steps,omitempty"`
	Off   bool    `json:"off,omitempty"` // nothing by interval; Steps still count
	// Yields: the interval was chosen by a rule. Where a capture is dear, as on a
	// GPU, a hook may take a multiple of it to stay within the budget.
	Yields bool `json:"yields,omitempty"`
}

// Due reports whether step n is due. auto is the interval that the budget
// chose, used when Every is Auto.
func (s ModeSchedule) Due(n, auto int64) bool {
	for _, m := range s.Steps {
		if m == n {
			return true
		}
	}
	if s.Off || n < s.Start || (s.End != 0 && n >= s.End) {
		return false
	}
	every := s.Every
	if every == Auto {
		every = auto
	}
	return every > 0 && n%every == 0
}

// Schedule holds one ModeSchedule per mode, indexed by record.Mode.
type Schedule [4]ModeSchedule

// Want says what is kept of a due tensor.
type Want uint8

// Wants are united when several requests meet on one tensor.
const (
	Stats  Want = 1 << iota // the moments
	Hist                    // the log2 histogram too
	Raw                     // the values themselves
	Median                  // the median, computed at capture
	Prod                    // the product, computed at capture
)

// Computed are the wants that need the values at capture, and do not keep them.
const Computed = Median | Prod

// Selector names tensors: the union of collections (by name), explicit names,
// Python regular expressions (re.search: anywhere in the name, case
// sensitive), kinds, and the inputs or outputs of modules by class name.
type Selector struct {
	Collections []string `json:"collections,omitempty"`
	Names       []string `json:"names,omitempty"`
	Regex       []string `json:"regex,omitempty"`
	// ModuleTypes select tensors of kind Side whose module has one of these
	// class names: {"ReLU", "ReLU6"} with Side "output".
	ModuleTypes []string    `json:"module_types,omitempty"`
	Side        record.Kind `json:"side,omitempty"`
	// Kinds select all tensors of these kinds.
	Kinds []record.Kind `json:"kinds,omitempty"`
	// Root selects the inputs or outputs (Side) of the root module.
	Root bool `json:"root,omitempty"`
}

// Collection is a named group of tensors with its own schedule.
type Collection struct {
	Name string `json:"name"`
	Selector
	Schedule Schedule `json:"schedule"`
	Want     Want     `json:"want"`
	By       []string `json:"by"` // who asked: "default", "--collect", "rule vanishing_gradient"
	// Joins: what is selected belongs to the collection too, and nothing is
	// asked for: neither Schedule nor Want counts.
	Joins bool `json:"joins,omitempty"`
}

// Need is what one rule configuration asks of capture.
type Need struct {
	By string // the rule configuration, or Curves
	Selector
	Schedule Schedule
	Want     Want
	Pairs    []Pair
	Units    []Units
	// Quantiles (0 to 1) are computed exactly at capture, over tensors whose
	// elements are all finite.
	Quantiles []float64
	Readings  []Reading
}

// Names of what Median and Prod bring, in stored series.
const (
	MedianKey = "median"
	// MedianErrorKey is how far a median that was not computed exactly may be
	// off, as a share of its magnitude; it is there for those alone.
	MedianErrorKey = "median_error"
	// ProdKey is the product where float64 holds it; its sign and the natural
	// logarithm of its magnitude are always there.
	ProdKey     = "prod"
	ProdSignKey = "prod_sign"
	ProdLogKey  = "prod_log"
)

// QuantileKey names a quantile in stored series.
func QuantileKey(q float64) string { return fmt.Sprintf("quantile[%g]", q) }

// Positions of the first element of each kind that is not finite, counted in
// row-major order: derived numbers of a tensor that has such elements.
const (
	FirstNaN    = "first_nan"
	FirstPosInf = "first_posinf"
	FirstNegInf = "first_neginf"
)

// Curves asks for what the curves of a training are made of.
const Curves = "curves"

// asker names who asks, as Request.By does.
func (n *Need) asker() string {
	if n.By == Curves {
		return n.By
	}
	return "rule " + n.By
}

// Pair asks for statistics of a tensor against an earlier saved value of its
// own, computed at capture against a copy kept in the spill file.
//
// The earlier value is the Lag-th saved step before the current one (Lag >= 1),
// or, when Within > 0, the smallest saved mode step p with step-Within <= p.
// Steps are counted in the Schedule of the need that asks, whatever else is
// captured. With Close set, elements that are not close under RTol, ATol and
// EqualNaN (|older-current| <= ATol + RTol*|current|) are counted.
type Pair struct {
	Lag, Within int64
	Close       bool
	RTol, ATol  float64
	EqualNaN    bool
}

// Quantities of a Pair, appended to its key with a dot.
const (
	PairMeanAbsDiff = "mean_abs_diff" // mean |current - older|
	PairMaxAbsDiff  = "max_abs_diff"
	PairMeanAbsFrom = "mean_abs_from" // mean |older|
	PairNotClose    = "not_close"     // number of elements that are not close
	PairShapeChange = "shape_changed" // 1 when the shapes differ; then alone
)

// Key names the pair in stored series; equal requests have equal keys.
func (p Pair) Key(s Schedule) string {
	var b strings.Builder
	b.WriteString("pair[")
	if p.Within > 0 {
		fmt.Fprintf(&b, "within=%d", p.Within)
	} else {
		fmt.Fprintf(&b, "lag=%d", p.Lag)
	}
	t := s[record.Train]
	fmt.Fprintf(&b, ",every=%d", t.Every)
	if t.Start != 0 || t.End != 0 || len(t.Steps) > 0 {
		fmt.Fprintf(&b, ",start=%d,end=%d,steps=%v", t.Start, t.End, t.Steps)
	}
	if p.Close {
		fmt.Fprintf(&b, ",rtol=%g,atol=%g,nan=%t", p.RTol, p.ATol, p.EqualNaN)
	}
	b.WriteByte(']')
	return b.String()
}

// Units asks for per-unit activity of an activation tensor: axis 0 is the
// batch, a unit is one position of the remaining axes (or one channel, axis 1,
// when Channel is set and the rank is at least 3); a rank of 0 or 1 is one
// unit. A sample is active when Above < x < Below.
type Units struct {
	Channel      bool
	Above, Below float64 // Below is +Inf for ReLU
	Inactivity   float64 // percent: a unit active in a smaller share is inactive
	Window       int64   // analysed steps pooled
}

// Quantities of Units, appended to its key with a dot.
const (
	UnitsTotal    = "units"
	UnitsInactive = "inactive"
	UnitsSamples  = "samples"  // per unit, over the window
	UnitsNegative = "negative" // elements below zero at this step
	UnitsLow      = "low"      // with an upper limit: elements at or below Above at this step
	UnitsHigh     = "high"     // with an upper limit: elements at or above Below at this step
	// With an upper limit, the units with the least activity over the window:
	// number and active samples of the first, second … under least[0],
	// least_active[0] and so on.
	UnitsLeast       = "least"
	UnitsLeastActive = "least_active"
)

// UnitsLeastKept is how many of them there are at most.
const UnitsLeastKept = 5

// Key names the request in stored series.
func (u Units) Key() string {
	unit := "element"
	if u.Channel {
		unit = "channel"
	}
	return fmt.Sprintf("units[%s,above=%g,below=%g,inactivity=%g,window=%d]", unit, u.Above, u.Below, u.Inactivity, u.Window)
}
