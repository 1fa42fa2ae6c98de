package record

// LoadFact is a call of load_state_dict(strict=False) with names that the module does
// not have, or without names that it has.
type LoadFact struct {
	Module     string   `json:"module"`     // class of the module
	Given      int64    `json:"given"`      // tensors it was given
	Matched    int64    `json:"matched"`    // of them, those whose names the module has
	Missing    int64    `json:"missing"`    // names of the module that were not given
	Unexpected []string `json:"unexpected"` // the first of those given that the module does not have
	Absent     []string `json:"absent"`     // the first of those of the module that were not given
	// Parameters of the module, and of them those that have other values than before the
	// call, of what was loaded at any time or, where they are frozen, by whatever means.
	Parameters int64 `json:"parameters"`
	Loaded     int64 `json:"loaded"`
	Trained    bool  `json:"trained"` // one of them asks for gradients
}
