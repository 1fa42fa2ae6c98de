// Package chunk writes and reads the sealed Parquet tables of a run. Rows are
// sorted by tensor, so that a series lies in one place; a directory in the
// file's metadata says where, and a reader fetches only the columns and pages
// it needs. docs/formats/parquet.md is the page for users.
package chunk

import "github.com/vigil-ml/vigil/internal/record"

// Names of the tables.
const (
	Stats    = "stats"
	Scalars  = "scalars"
	Steps    = "steps"
	Complete = "complete"
)

// ValueStat is the statistic of a row of scalars that is a plain scalar. No
// derived number may be called so.
const ValueStat = "value"

// maxRowGroup bounds the rows, and so the memory, of one row group.
const maxRowGroup = 128 << 10

// Keys of the file's metadata.
const (
	keyFormat    = "vigil.format"    // version of the tables
	keyDirectory = "vigil.directory" // JSON: the runs of rows of one tensor or series
)

const formatVersion = "1"

// statsRow is one row of the table of statistics. Min to l1 are over the
// finite elements; std is over all, NaN when one is not finite. part is the
// row of the step in the table of steps of the same number, position the place
// of the tensor in that step.
type statsRow struct {
	Tensor   string  `parquet:"tensor,dict"`
	Worker   string  `parquet:"worker,dict"`
	Step     int64   `parquet:"step,delta"`
	Mode     string  `parquet:"mode,dict"`
	ModeStep int64   `parquet:"mode_step,delta"`
	Time     int64   `parquet:"time,delta,timestamp(millisecond)"`
	Count    int64   `parquet:"count,delta"`
	NaN      int64   `parquet:"nan,delta"`
	PosInf   int64   `parquet:"posinf,delta"`
	NegInf   int64   `parquet:"neginf,delta"`
	Zeros    int64   `parquet:"zeros,delta"`
	Min      float64 `parquet:"min,split"`
	Max      float64 `parquet:"max,split"`
	Mean     float64 `parquet:"mean,split"`
	M2       float64 `parquet:"m2,split"`
	L1       float64 `parquet:"l1,split"`
	Std      float64 `parquet:"std,split"`
	Hist     []byte  `parquet:"hist,optional"`
	Part     int32   `parquet:"part,delta"`
	Position int32   `parquet:"position,delta"`
}

// scalarRow is one row of the table of scalars and derived numbers.
type scalarRow struct {
	Series   string  `parquet:"series,dict"`
	Stat     string  `parquet:"stat,dict"`
	Worker   string  `parquet:"worker,dict"`
	Step     int64   `parquet:"step,delta"`
	Mode     string  `parquet:"mode,dict"`
	ModeStep int64   `parquet:"mode_step,delta"`
	FromStep int64   `parquet:"from_step,delta"` // mode step compared with; -1: none
	Value    float64 `parquet:"value,split"`
	Part     int32   `parquet:"part,delta"`
	Position int32   `parquet:"position,delta"`
}

// stepRow is one row of the table of steps, in the order in which they came.
type stepRow struct {
	Worker   string  `parquet:"worker,dict"`
	Step     int64   `parquet:"step,delta"`
	Mode     string  `parquet:"mode,dict"`
	ModeStep int64   `parquet:"mode_step,delta"`
	Time     int64   `parquet:"time,delta,timestamp(millisecond)"`
	Seconds  float64 `parquet:"seconds,split"`
	Overhead float64 `parquet:"overhead,split"`
	Skipped  bool    `parquet:"skipped"`
	Raw      string  `parquet:"raw,dict"` // JSON list of tensor names
}

// completeRow is one decision that a step is complete, or that a window of time
// closed: that has step and mode step -1, mode GLOBAL and its end as time.
type completeRow struct {
	Step     int64  `parquet:"step,delta"`
	Mode     string `parquet:"mode,dict"`
	ModeStep int64  `parquet:"mode_step,delta"`
	Time     int64  `parquet:"time,delta,timestamp(millisecond)"`
	Workers  string `parquet:"workers,dict"` // JSON list
	Joined   string `parquet:"joined,dict"`  // JSON list of numbers; the first runs have none
	Window   string `parquet:"window,dict"`  // JSON of a windowDecision, "" of a step; earlier runs have none
}

// windowDecision is a decision on a window as the table spells it.
type windowDecision struct {
	Index int64       `json:"index"`
	From  int64       `json:"from"` // nanoseconds since 1970
	To    int64       `json:"to"`
	Late  []string    `json:"late,omitempty"`
	Rows  record.Rows `json:"rows"`
}
