package rules

import "github.com/vigil-ml/vigil/internal/record"

// Opposed reports whether two findings ask for opposite things.
func Opposed(a, b *record.Finding) bool { return opposed(a, b) }

// GroupFindings groups findings as an engine with the built-in rules does.
func GroupFindings(findings []record.Finding) []record.Group {
	return group(findings, Catalogue(), nil)
}
