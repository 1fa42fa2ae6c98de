//go:build linux

// Command monitor measures what sampling the machine costs, how regular it is and
// whether its figures are right, and prints a Markdown table.
//
//	go run ./bench/monitor [-seconds S] [-peers] [-python PY]
//
// It samples a job of one trainer and four workers. With -peers a loop over psutil
// and wandb's system metrics (offline) do the same in turn, in an environment that
// is made in build/env (some 100 MB), and a psutil loop next to ours says whether
// both mean the same. Nothing else may run meanwhile.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/environment"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == jobWord {
		work(os.Args[2:])
		return
	}
	b := bench{}
	flag.Float64Var(&b.seconds, "seconds", 20, "how long each is measured")
	flag.StringVar(&b.python, "python", environment.Interpreter(environment.Monitors), "interpreter with psutil and wandb")
	peers := flag.Bool("peers", false, "also psutil and wandb")
	flag.Parse()
	if err := b.all(*peers); err != nil {
		fmt.Fprintln(os.Stderr, "monitor:", err)
		os.Exit(1)
	}
}

type bench struct {
	seconds float64
	python  string
}

// intervals are those of the job's settings; the longest are computed from the cost
// of one sample.
var intervals = []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second}

func (b *bench) all(peers bool) error {
	if peers && b.python == environment.Interpreter(environment.Monitors) {
		if err := environment.Make(environment.Monitors); err != nil {
			return err
		}
	}
	fmt.Printf("%s, %s/%s, %d cores, %s; each for %.0f s\n\n", time.Now().Format("2006-01-02"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), b.seconds)
	fmt.Println("| what | measured | goal | |")
	fmt.Println("| --- | --- | --- | --- |")
	job, err := startJob()
	if err != nil {
		return err
	}
	defer job.end()
	var each time.Duration
	for _, every := range intervals {
		m := b.ours(job, every)
		each = m.each
		row(fmt.Sprintf("every %v: CPU of the sampler", every), fmt.Sprintf("%.3f %% of a core, %.0f µs a sample of %d values, %.1f KB in %.1f allocations", m.core, micro(m.each), m.values, m.bytes/1024, m.allocations),
			goalOf(every), every != 500*time.Millisecond || m.core <= mostCPU)
		if every == 100*time.Millisecond {
			row("every 100ms: distance of samples", fmt.Sprintf("standard deviation %.2f %%, 99 %% within %.2f %%, worst %.1f %%", m.deviation, m.within99, m.worst), "99 % within 10 %", m.within99 < 10)
		}
		if !peers {
			continue
		}
		p, err := b.psutil(job, every)
		if err != nil {
			return err
		}
		row(fmt.Sprintf("every %v: a loop over psutil %s", every, p.Version), fmt.Sprintf("%.3f %% of a core, %.1f times ours", p.Core, p.Core/m.core), "", true)
		w, err := b.wandb(job, every)
		if err != nil {
			return err
		}
		row(fmt.Sprintf("every %v: system metrics of wandb %s", every, w.Version), fmt.Sprintf("%.3f %% of a core, %.1f times ours", w.Core, w.Core/m.core), "", true)
	}
	for _, every := range []time.Duration{5 * time.Second, time.Minute} {
		row(fmt.Sprintf("every %v: CPU of the sampler, computed", every), fmt.Sprintf("%.4f %% of a core", 100*each.Seconds()/every.Seconds()), "", true)
	}
	heap, took := day()
	row("24 hours every 100 ms, 100 series: memory of totals and histograms", fmt.Sprintf("%.1f MB, %.0f ns a value", float64(heap)/1e6, float64(took.Nanoseconds())/(24*3600*10*100)), "30 MB", heap < 30e6)
	if peers {
		return b.agree(job)
	}
	return nil
}

const mostCPU = 0.5

func goalOf(every time.Duration) string {
	if every == 500*time.Millisecond {
		return "0.5 %"
	}
	return ""
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// agree has both sample next to each other while the job works and rests.
func (b *bench) agree(job *job) error {
	var m measured
	var ours sync.WaitGroup
	p, err := b.ask("psutil", job, 100*time.Millisecond, func() {
		ours.Go(func() { m = b.ours(job, 100*time.Millisecond) })
	})
	ours.Wait()
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		ours float64
		peer float64
	}{
		{"use of all cores", m.totals["cpu/total"], p.CPU},
		{"use of memory", m.totals["memory/used_percent"], p.Memory},
		{"use of a core by trainer and workers", m.totals["process/0/cpu_percent"] + m.totals["process/0/children_cpu_percent"], p.Job},
	} {
		apart := math.Abs(c.ours - c.peer)
		row("beside psutil: "+c.name, fmt.Sprintf("%.2f %%, psutil %.2f %%", c.ours, c.peer), "2 points", apart <= 2)
	}
	return nil
}

// row prints what was measured next to its goal; no goal is neither reached nor
// missed.
func row(what, measured, goal string, reached bool) {
	verdict := ""
	switch {
	case goal == "":
	case reached:
		verdict = "reached"
	default:
		verdict = "missed"
	}
	fmt.Printf("| %s | %s | %s | %s |\n", what, measured, goal, verdict)
}
