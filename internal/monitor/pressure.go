package monitor

import "bytes"

// stalls are the microseconds in which some, and in which all, that would run
// waited for a resource.
type stalls struct{ some, full uint64 }

// parsePressure reads a file of /proc/pressure.
func parsePressure(b []byte) (s stalls, ok bool) {
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		kind, rest := word(l)
		for w := kind; len(w) > 0; w, rest = word(rest) {
			text, is := bytes.CutPrefix(w, []byte("total="))
			n, isNumber := number(text)
			switch {
			case !is || !isNumber:
			case string(kind) == "some":
				s.some, ok = n, true
			case string(kind) == "full":
				s.full = n
			}
		}
	}
	return s, ok
}
