package timeline

import (
	"fmt"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// group is the counter that a series belongs to: all with the same beginning.
func group(name string) (counter, key string) {
	if i := strings.LastIndexByte(name, '/'); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	return name, "value"
}

// series is one series of a host while it is written.
type series struct {
	key string
	sum float64
	n   int
}

// counters are those of a host: series by the counter that they belong to, in
// the order in which they came.
type counters struct {
	places map[string][2]int // by the name of the series: counter, and place in it
	names  []string
	series [][]series
}

func (c *counters) add(name string, value float64) {
	at, there := c.places[name]
	if !there {
		counter, key := group(name)
		at = [2]int{len(c.names), 0}
		for i, n := range c.names {
			if n == counter {
				at = [2]int{i, len(c.series[i])}
			}
		}
		if at[0] == len(c.names) {
			c.names, c.series = append(c.names, counter), append(c.series, nil)
		}
		c.series[at[0]] = append(c.series[at[0]], series{key: key})
		c.places[name] = at
	}
	s := &c.series[at[0]][at[1]]
	s.sum += value
	s.n++
}

// samples writes the machine metrics of a host as counters: means of several
// samples where there are too many. It gives the stretches without samples.
func (b *builder) samples(pid int, host string) (gaps []record.Event) {
	values, samples := 0, 0
	err := b.run.Metrics.Samples(host, time.Time{}, time.Time{}, func(s *record.Sample) error {
		values += len(s.Values)
		samples++
		return nil
	})
	limit := max(b.o.Values/max(len(b.run.Metrics.Hosts()), 1), 100)
	each := max((values+limit-1)/limit, 1)
	if each > 1 {
		b.note("Machine metrics of %s are means of %d samples each.", host, each)
	}
	if err == nil {
		c := counters{places: map[string][2]int{}}
		var at, last time.Time
		step, held := time.Duration(0), 0
		err = b.run.Metrics.Samples(host, time.Time{}, time.Time{}, func(s *record.Sample) error {
			if took := s.Time.Sub(last); !last.IsZero() {
				if step > 0 && took > 5*step && took > 5*time.Second {
					b.counters(pid, at, &c)
					held = 0
					gaps = append(gaps, record.Event{Host: host, Kind: noSamples, Start: last.Add(step), End: s.Time})
				} else {
					step = took
				}
			}
			if held == 0 {
				at = s.Time
			}
			for _, v := range s.Values {
				c.add(v.Name, v.Value)
			}
			last = s.Time
			if held++; held == each {
				b.counters(pid, at, &c)
				held = 0
			}
			return b.out.err
		})
		if held > 0 {
			b.counters(pid, at, &c)
		}
	}
	if err != nil {
		b.fail(fmt.Errorf("read machine metrics of %q: %w", host, err))
	}
	return gaps
}

// counters writes the means since the last call.
func (b *builder) counters(pid int, at time.Time, c *counters) {
	ts := b.out.since(at)
	for i, name := range c.names {
		var args []arg
		for k := range c.series[i] {
			s := &c.series[i][k]
			if s.n > 0 {
				args = append(args, arg{s.key, s.sum / float64(s.n)})
			}
			s.sum, s.n = 0, 0
		}
		if len(args) > 0 {
			b.out.counter(pid, name, ts, args...)
		}
	}
}
