package record

// ThreadFacts say how many threads a process computes with.
type ThreadFacts struct {
	At        int64 `json:"at"`
	Operation int64 `json:"operation"` // threads that may work on one operation together
}
