// Package builtin holds the rules that come with Vigil, one file for each. A
// rule is added by a file and a line in the list below.
package builtin

import "github.com/vigil-ml/vigil/rule"

var all = []*rule.Definition{}

// All gives the definitions in the order of the documentation.
func All() []*rule.Definition { return all }
