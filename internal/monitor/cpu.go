package monitor

import (
	"bytes"
	"strconv"
)

// times are the clock ticks that a core has spent, each kind since the machine
// began.
type times struct{ total, idle, iowait, steal uint64 }

// cores are the times of all cores together and of each, by number.
type cores struct {
	all   times
	each  []times // zero for a core that is off
	forks uint64  // processes and threads that were ever started
}

const mostCores = 4096

// parseStat reads /proc/stat.
func parseStat(b []byte, c *cores) bool {
	c.all, c.forks = times{}, 0
	clear(c.each)
	found := false
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		name, rest := word(l)
		if string(name) == "processes" {
			c.forks, _, _ = next(rest)
			break // what is before it are cores and a long line of interrupts
		}
		if !bytes.HasPrefix(name, []byte("cpu")) {
			continue
		}
		// user nice system idle iowait irq softirq steal; guests are in user.
		var t times
		var n uint64
		ok := true
		for i := 0; i < 8 && ok; i++ {
			if n, rest, ok = next(rest); !ok {
				break
			}
			t.total += n
			switch i {
			case 3:
				t.idle = n
			case 4:
				t.iowait = n
			case 7:
				t.steal = n
			}
		}
		if len(name) == 3 {
			c.all, found = t, true
			continue
		}
		core, ok := number(name[3:])
		if !ok || core >= mostCores {
			continue
		}
		for len(c.each) <= int(core) {
			c.each = append(c.each, times{})
		}
		c.each[core] = t
	}
	return found
}

// cpu is the family of the processors.
type cpu struct {
	now, before cores
	names       []cpuNames // by core
}

type cpuNames struct{ cpu, iowait string }

func (c *cpu) read(b []byte, o *output) bool {
	c.now, c.before = c.before, c.now
	if !parseStat(b, &c.now) {
		return false
	}
	if o.since == 0 {
		return true
	}
	spent(o, "cpu/total", "iowait/total", c.before.all, c.now.all)
	if d, ok := grown(c.before.all, c.now.all); ok {
		o.percent("steal/total", d.steal, d.total)
	}
	for i, t := range c.now.each {
		for len(c.names) <= i {
			n := strconv.Itoa(len(c.names))
			c.names = append(c.names, cpuNames{"cpu/" + n, "iowait/" + n})
		}
		if t.total > 0 && i < len(c.before.each) && c.before.each[i].total > 0 {
			spent(o, c.names[i].cpu, c.names[i].iowait, c.before.each[i], t)
		}
	}
	return true
}

// growth is what was spent between two readings.
type growth struct{ total, idle, iowait, steal float64 }

// grown is what was spent; ok is false when nothing was counted. The kernel lets
// single kinds go back by a little.
func grown(a, b times) (g growth, ok bool) {
	more := func(a, b uint64) float64 {
		if b < a {
			return 0
		}
		return float64(b - a)
	}
	g = growth{more(a.total, b.total), more(a.idle, b.idle), more(a.iowait, b.iowait), more(a.steal, b.steal)}
	return g, g.total > 0
}

func spent(o *output, cpu, iowait string, a, b times) {
	if d, ok := grown(a, b); ok {
		o.percent(cpu, d.total-d.idle-d.iowait, d.total)
		o.percent(iowait, d.iowait, d.total)
	}
}
