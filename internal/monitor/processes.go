package monitor

import "bytes"

// processStat is what /proc/PID/stat says.
type processStat struct {
	zombie  bool
	parent  uint64
	ticks   uint64 // of processor time, by the process and its threads
	threads uint64
	start   uint64 // ticks since boot
	pages   uint64 // resident
}

// parseProcessStat reads /proc/PID/stat.
func parseProcessStat(b []byte) (p processStat, ok bool) {
	// The name in parentheses may hold anything: fields are counted from its end.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return p, false
	}
	state, rest := word(b[i+1:])
	if len(state) != 1 {
		return p, false
	}
	p.zombie = state[0] == 'Z' || state[0] == 'X'
	var user, system uint64
	for _, f := range []struct {
		skipped int
		into    *uint64
	}{{0, &p.parent}, {9, &user}, {0, &system}, {4, &p.threads}, {1, &p.start}, {1, &p.pages}} {
		if *f.into, rest, ok = next(skip(rest, f.skipped)); !ok {
			return p, false
		}
	}
	p.ticks = user + system
	return p, true
}

// switches are how often the main thread of a process gave the processor away
// because it waited, and how often it was taken away.
type switches struct{ waited, preempted uint64 }

// parseSwitches reads /proc/PID/status.
func parseSwitches(b []byte) (s switches, ok bool) {
	// They stand at the end of a long text.
	i := bytes.LastIndex(b, []byte("\nvoluntary_ctxt_switches:"))
	if i < 0 {
		return s, false
	}
	keyed(b[i+1:], func(key []byte, v uint64) {
		switch string(key) {
		case "voluntary_ctxt_switches":
			s.waited, ok = v, true
		case "nonvoluntary_ctxt_switches":
			s.preempted = v
		}
	})
	return s, ok
}

// transfer is what a process read from and wrote to storage, in bytes.
type transfer struct{ read, written uint64 }

// parseIO reads /proc/PID/io.
func parseIO(b []byte) (t transfer, ok bool) {
	keyed(b, func(key []byte, v uint64) {
		switch string(key) {
		case "read_bytes":
			t.read, ok = v, true
		case "write_bytes":
			t.written = v
		}
	})
	return t, ok
}
