package source

import "github.com/vigil-ml/vigil/internal/record"

// Content is what is stored under one name.
type Content struct {
	Stats     []string // as StatNames gives them
	Modes     []record.Mode
	Points    [record.Global + 1]int64 // values of one statistic by mode, of all workers that have any together
	Raw       bool                     // raw values at some step
	Histogram bool
}

// Contents is for who lists all that a run has: it costs one pass, where a
// question for each name costs as many.
type Contents interface {
	// Contents is what is stored, by name.
	Contents() map[string]Content
}
