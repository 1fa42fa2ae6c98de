package record

// Labels are what people write on a run, and may change at any time: tags and a
// note. They lie in a file of their own, so that nobody but who changes them
// writes it.
type Labels struct {
	Tags map[string]string `json:"tags"`
	Note string            `json:"note,omitempty"`
}

// Empty tells that nothing is written on the run.
func (l Labels) Empty() bool { return len(l.Tags) == 0 && l.Note == "" }
