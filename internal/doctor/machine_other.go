//go:build !linux

package doctor

import "github.com/vigil-ml/vigil/internal/launch"

// Machine says that capture needs another system.
func Machine(string) []Check {
	return []Check{fail("system", "reading, judging and showing runs works here", "%v", launch.Supported()), switchedOff()}
}
