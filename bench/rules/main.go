// Command rules measures what judging costs the agent, and how long a finding
// takes to become an action, and prints a Markdown table.
//
//	go run ./bench/rules [-steps N] [-rounds N] [-runs N]
//
// The steps are those of a network with 1,000 tensors, measured as the agent
// measures them, with everything that the rules ask for. Rules judge every one of
// these steps. Goals: 100 configurations of built-in rules at most 10 ms a step, 100
// expressions at most 60 ms.
//
// The way from the end of a step to an action is measured from outside: this
// program trains under `vigil run`, notes when each step ends, and is the
// webhook's receiver. Goal: at most 500 ms for 99 of 100 firings.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// tensorCount is the number of tensors of a step.
const tensorCount = 1000

// configCount is the number of configurations that judge it.
const configCount = 100

func main() {
	steps := flag.Int("steps", 120, "steps that are judged in a round")
	rounds := flag.Int("rounds", 3, "rounds; the conditions take turns in each. 0: not at all")
	runs := flag.Int("runs", 3, "runs that measure the way to an action; each has 100 firings. 0: not at all")
	pace := flag.Duration("pace", 50*time.Millisecond, "time of a step in these runs")
	keep := flag.String("keep", "", "directory to leave the runs in (default: they are removed)")
	times := flag.String("train", "", "used by the program itself: train, and write when steps ended to this file")
	flag.Parse()
	if err := work(*steps, *rounds, *runs, *pace, *keep, *times); err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}

func work(steps, rounds, runs int, pace time.Duration, keep, times string) error {
	if times != "" {
		return train(times, pace)
	}
	fmt.Printf("%d tensors at every step, %d configurations, %s/%s, %d cores\n\n", tensorCount, configCount, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Println("| what | median | p99 | CPU (median) | goal | |")
	fmt.Println("| --- | --- | --- | --- | --- | --- |")
	if rounds > 0 {
		if err := judging(steps, rounds); err != nil {
			return err
		}
	}
	if runs == 0 {
		return nil
	}
	took, err := latencies(runs, pace, keep)
	if err != nil {
		return err
	}
	timing{wall: took}.row("end of a step to webhook received", 0.99, 500*time.Millisecond)
	return nil
}

// timing is what was measured of one condition: on the clock, and of the
// evaluating thread where that says something.
type timing struct{ wall, cpu []time.Duration }

// row prints it next to its goal, which is one for the quantile q on the clock.
func (t timing) row(what string, q float64, goal time.Duration) {
	verdict, cpu := "reached", ""
	if quantile(t.wall, q) > goal {
		verdict = "missed"
	}
	if len(t.cpu) > 0 {
		cpu = millis(quantile(t.cpu, 0.5))
	}
	fmt.Printf("| %s | %s | %s | %s | %s at most %s | %s |\n", what, millis(quantile(t.wall, 0.5)), millis(quantile(t.wall, 0.99)), cpu, name(q), millis(goal), verdict)
}

func name(q float64) string {
	if q == 0.5 {
		return "median"
	}
	return fmt.Sprintf("p%g", 100*q)
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }

// quantile is the smallest value that a share q of all does not exceed.
func quantile(list []time.Duration, q float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}
