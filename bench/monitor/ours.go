//go:build linux

package main

import (
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/monitor"
	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

// measured is what our sampler took.
type measured struct {
	core               float64       // % of one core
	each               time.Duration // CPU of one sample
	values             int
	bytes, allocations float64 // of one sample
	deviation          float64 // of the distance between samples, % of the interval
	within99, worst    float64
	totals             map[string]float64 // means
}

// ours samples as the agent does: at multiples of the interval.
func (b *bench) ours(job *job, every time.Duration) measured {
	directory, _ := os.Getwd()
	s := monitor.New(monitor.Options{Host: "here", Directory: directory, Trainers: func() []monitor.Trainer {
		return []monitor.Trainer{{ID: proc.ID{PID: job.pid()}, Label: "0"}}
	}})
	defer s.Close()
	var totals monitor.Totals
	s.Sample(time.Now())
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, began := processTime(), time.Now()
	var m measured
	var last time.Time
	var gaps []float64
	n := 0
	for next := began.Add(every); next.Sub(began).Seconds() <= b.seconds; next = next.Add(every) {
		time.Sleep(time.Until(next))
		now := time.Now()
		if !last.IsZero() {
			gaps = append(gaps, 100*math.Abs(now.Sub(last).Seconds()-every.Seconds())/every.Seconds())
		}
		last = now
		x := s.Sample(now)
		totals.Add(x)
		m.values = len(x.Values)
		n++
	}
	wall, used := time.Since(began), processTime()-cpu
	runtime.ReadMemStats(&after)
	m.core, m.each = 100*used.Seconds()/wall.Seconds(), used/time.Duration(max(n, 1))
	m.bytes, m.allocations = float64(after.TotalAlloc-before.TotalAlloc)/float64(n), float64(after.Mallocs-before.Mallocs)/float64(n)
	slices.Sort(gaps)
	for _, g := range gaps {
		m.deviation += g * g
	}
	if len(gaps) > 0 {
		m.deviation = math.Sqrt(m.deviation / float64(len(gaps)))
		m.within99, m.worst = gaps[int(0.99*float64(len(gaps)-1))], gaps[len(gaps)-1]
	}
	m.totals = map[string]float64{}
	for _, name := range totals.Names() {
		t, _ := totals.Of(name)
		m.totals[name] = t.Mean
	}
	return m
}

// processTime is the CPU time of this process, its garbage collector included.
func processTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// day is the memory and the time of a day of samples.
func day() (heap uint64, took time.Duration) {
	s := record.Sample{}
	for i := range 100 {
		s.Values = append(s.Values, record.Scalar{Name: "cpu/" + strconv.Itoa(i)})
	}
	size := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := size()
	var totals monitor.Totals
	began := processTime()
	for n := range 24 * 3600 * 10 {
		for i := range s.Values {
			s.Values[i].Value = float64((n*7+i*31)%10001) / 100
		}
		totals.Add(s)
	}
	took = processTime() - began
	heap = size() - before
	runtime.KeepAlive(&totals)
	return heap, took
}
