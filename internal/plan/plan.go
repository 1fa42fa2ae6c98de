package plan

import (
	"sync"

	"github.com/vigil-ml/vigil/internal/record"
)

// Options of a plan.
type Options struct {
	Every     int64   `json:"every"`  // interval for collections that name none; Auto: by the budget
	Budget    float64 `json:"budget"` // share of the step time that capture may add: 0.02
	SaveAll   bool    `json:"save_all,omitempty"`
	Framework string  `json:"framework,omitempty"` // "pytorch", "go"; empty: pytorch
}

// Plan says for every tensor and module what is captured when, and who asked.
// It does not change; With makes a new one. Its methods may be called by
// several goroutines.
type Plan struct {
	opts Options
	mu   sync.Mutex
}

// Request is one schedule on which a tensor is captured and what is kept then.
type Request struct {
	By       string // who asked; several are joined by ", "
	Schedule Schedule
	Want     Want
	Pairs    []Pair
	Units    []Units
}

// Decision is what the plan says of one tensor.
type Decision struct {
	Collections []string  // all collections that hold it, sorted, asked for or not
	Requests    []Request // empty: not captured
}

// Watch says that one side of a module is captured on a schedule.
type Watch struct {
	Side     record.Kind // record.Input or record.Output
	Schedule Schedule
}
