package record

import "time"

// Interval is a piece of one step of one worker in detail: where its main thread
// was, from when to when. Those of a worker follow each other in time.
type Interval struct {
	Part       StepPart
	Start, End time.Time
	Step       int64 // global step; the gap before a step belongs to it
	Mode       Mode
	ModeStep   int64
	MicroBatch int // within the step, from 0, where gradients are accumulated
}
