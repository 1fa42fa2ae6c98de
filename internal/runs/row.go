// Package runs lists the runs below a root as a table shows them. An index next to
// the runs keeps the rows of those that have ended, so that a root with thousands
// of runs is listed at once; what people set of the page lies next to it. The files
// are described in docs/formats/dashboard.md.
package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// Row is one run as a list shows it.
type Row struct {
	Name      string           `json:"name" doc:"Name of the run's directory, by which it is asked for"`
	Title     string           `json:"title,omitempty" doc:"Name in run.json where that is another one"`
	Path      string           `json:"path"`
	Framework record.Framework `json:"framework"`
	Status    string           `json:"status"`
	Started   time.Time        `json:"started"`
	Ended     *time.Time       `json:"ended"`
	Steps     map[string]int64 `json:"steps" doc:"Steps by mode"`
	Findings  map[string]int   `json:"findings" doc:"Findings that are not muted, by severity"`

	Roots    map[string]int `json:"roots" doc:"Findings by severity without those that follow from another one"`
	Symptoms int            `json:"symptoms"`
	Verdict  view.Verdict   `json:"verdict"`
	Found    []Found        `json:"found" doc:"Findings that are not muted, by rule and check; the most severe first"`
	Progress *Progress      `json:"progress"`
	Duration *float64       `json:"duration" doc:"Seconds; of a running one, until now; null where that is not known"`
	Host     string         `json:"host"`
	User     string         `json:"user,omitempty" doc:"Whom the run's directory belongs to"`
	Machine  Machine        `json:"machine"`
	Tags     Labels         `json:"tags"`
	Note     string         `json:"note"`
	Archived bool           `json:"archived"`
	Live     bool           `json:"live" doc:"It runs on this host, and its agent can be asked"`
	Lost     *float64       `json:"lost_share" doc:"Share of the time of the steps in which nothing was computed: waiting for data and ranks, copies to the device, checkpoints"`
	Overhead *float64       `json:"overhead_percent" doc:"What capture adds to a step in steady state; null where too few steps were seen"`
	Damaged  string         `json:"damaged" doc:"What is damaged; empty when nothing is"`

	Detail

	detail []byte // Detail as JSON; nil where it was left out or is decoded
}

// Labels are the tags of a run; none are {}.
type Labels map[string]string

// MarshalJSON implements json.Marshaler.
func (l Labels) MarshalJSON() ([]byte, error) {
	if l == nil {
		l = Labels{}
	}
	return json.Marshal(map[string]string(l))
}

// Detail is the larger part of a row.
type Detail struct {
	view.Outline

	Parameters map[string]string `json:"parameters,omitempty" doc:"What the run was started with: options of the command line, what the script told, settings of the optimisers"`
}

// Found is how often a check found something.
type Found struct {
	Rule     string          `json:"rule"`
	Check    string          `json:"check"`
	Former   []string        `json:"former,omitempty" doc:"Names that the check had before"`
	Severity record.Severity `json:"severity"`
	Count    int             `json:"count"`
	Root     bool            `json:"root,omitempty" doc:"It follows from no other finding"`
}

// Progress is how far a training has come.
type Progress struct {
	Step     int64    `json:"step"`
	Of       int64    `json:"of" doc:"0 where that is not known"`
	Fraction *float64 `json:"fraction" doc:"0 to 1; null where that is not known"`
}

// Machine is what a run ran on.
type Machine struct {
	CPUs   int      `json:"cpus"`
	Memory int64    `json:"memory_bytes"`
	GPUs   []string `json:"gpus"`
}

// Details decodes the larger part of the row.
func (r *Row) Details() (Detail, error) {
	if r.detail == nil {
		return r.Detail, nil
	}
	var d Detail
	if err := json.Unmarshal(r.detail, &d); err != nil {
		return d, fmt.Errorf("read the row of run %q: %w", r.Name, err)
	}
	return d, nil
}

// Basic is the row without its larger part.
func (r Row) Basic() Row {
	r.detail, r.Detail = nil, Detail{}
	return r
}

type basic Row // without methods

// MarshalJSON implements json.Marshaler.
func (r Row) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

// AppendJSON appends the row as JSON. What is not decoded is passed on as it is.
func (r *Row) AppendJSON(to []byte) ([]byte, error) {
	b, err := json.Marshal((*basic)(r))
	if err != nil || len(r.detail) <= len("{}") {
		return append(to, b...), err
	}
	to = append(append(to, bytes.TrimSuffix(b, []byte("}"))...), ',')
	return append(to, r.detail[1:]...), nil
}

// pack turns the decoded larger part into what is passed on.
func (r *Row) pack() error {
	b, err := json.Marshal(&r.Detail)
	if err != nil {
		return fmt.Errorf("encode the row of run %q: %w", r.Name, err)
	}
	r.detail, r.Detail = b, Detail{}
	return nil
}

// now brings what depends on the time up to date.
func (r *Row) now(at time.Time) {
	switch {
	case r.Ended != nil:
		r.Duration = seconds(r.Ended.Sub(r.Started))
	case r.Status == record.Running:
		r.Duration = seconds(max(at.Sub(r.Started), 0))
	default:
		r.Duration = nil
	}
}

func seconds(d time.Duration) *float64 {
	s := d.Seconds()
	return &s
}
