package trial

import (
	"os"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// alive reports whether a process is there: the same pid, started at the same
// tick since boot, and not a zombie.
func alive(p *record.Process) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/stat")
	if err != nil {
		return false
	}
	// The command's name, in parentheses, may hold anything.
	_, rest, ok := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	f := strings.Fields(rest)
	if !ok || len(f) < 20 {
		return true
	}
	if f[0] == "Z" || f[0] == "X" {
		return false
	}
	start, err := strconv.ParseUint(f[19], 10, 64)
	return err != nil || p.Start == 0 || start == p.Start
}
