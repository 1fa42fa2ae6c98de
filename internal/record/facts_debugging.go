package record

// DebuggingFacts are aids for finding mistakes that were on while the training ran, and
// make it slower. They come at the end, where there were any.
type DebuggingFacts struct {
	At     int64      `json:"at"`
	Looked int64      `json:"looked"` // backward passes after the first steps that were looked at
	Aids   []DebugAid `json:"aids"`
}

// DebugAid is one of them.
type DebugAid struct {
	Name   string `json:"name"`   // anomaly, profiler, launch_blocking
	Passes int64  `json:"passes"` // of those looked at, those in which it was on
	Last   int64  `json:"last"`   // TRAIN steps before the last one of these
}
