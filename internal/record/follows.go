package record

// Follows names the root cause of a finding, which mending it fixes. Who shows
// such a finding names no remedy of its own; the record keeps it.
type Follows struct {
	Rule string `json:"rule"`
	Step int64  `json:"step"`
}
