package record

// EarlierRuns is how long a step took in the last runs of the same script on the
// same machine. It is the Facts of an EarlierRunsEvent: what was known when the run
// began, so that whoever judges the run later compares it with the same.
type EarlierRuns struct {
	Runs  int      `json:"runs"`
	Names []string `json:"names,omitempty"` // newest first
	// PerStep are the seconds of an update, the median over the runs, Most those of
	// the slowest of them, Parts the medians by part.
	PerStep float64            `json:"per_step"`
	Most    float64            `json:"most"`
	Parts   map[string]float64 `json:"parts"`
	// Changed is what is different from the last of them: code, packages, settings.
	Changed []string `json:"changed,omitempty"`
	// Known says that both runs know what they were made of: nothing in Changed
	// means that nothing changed.
	Known bool `json:"known,omitempty"`
}
