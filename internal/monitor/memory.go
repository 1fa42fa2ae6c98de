package monitor

// memory is /proc/meminfo, in bytes.
type memory struct{ total, available, swapTotal, swapFree uint64 }

// parseMeminfo reads /proc/meminfo. Kernels before 3.14 do not say what is
// available: then it is what is free or caches files.
func parseMeminfo(b []byte) (m memory, ok bool) {
	var free, buffers, cached uint64
	known := false
	keyed(b, func(key []byte, v uint64) {
		v *= 1024
		switch string(key) {
		case "MemTotal":
			m.total = v
		case "MemAvailable":
			m.available, known = v, true
		case "MemFree":
			free = v
		case "Buffers":
			buffers = v
		case "Cached":
			cached = v
		case "SwapTotal":
			m.swapTotal = v
		case "SwapFree":
			m.swapFree = v
		}
	})
	if !known {
		m.available = free + buffers + cached
	}
	return m, m.total > 0 && m.available <= m.total && m.swapFree <= m.swapTotal
}

func (m memory) write(o *output) {
	used := m.total - m.available
	o.percent("memory/used_percent", float64(used), float64(m.total))
	o.add("memory/used_bytes", float64(used))
	o.add("memory/total_bytes", float64(m.total))
	o.add("swap/used_bytes", float64(m.swapTotal-m.swapFree))
}

// swapping is /proc/vmstat: pages that were ever written to swap and read back.
type swapping struct{ in, out uint64 }

func parseVmstat(b []byte) (s swapping, ok bool) {
	keyed(b, func(key []byte, v uint64) {
		switch string(key) {
		case "pswpin":
			s.in, ok = v, true
		case "pswpout":
			s.out = v
		}
	})
	return s, ok
}
