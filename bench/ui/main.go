//go:build linux

// Command ui measures how long the dashboard takes to show what is large, in a real
// browser, beside TensorBoard on the same numbers written by its own writer, and
// prints a Markdown table.
//
//	go run ./bench/ui [-only NAME] [-turns N] [-peers]
//
// The runs are written once, below build/bench-ui (some 2 GB). With -peers TensorBoard
// comes from build/env/peer-tensorboard, which is made where it is not there. Nothing
// else may run meanwhile.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// scenario is one thing that is shown.
type scenario struct {
	name   string
	goal   string
	limit  time.Duration // of the goal
	write  func(root string) error
	path   string // of the page
	ready  string // true when it is on the screen, in the page's script
	cold   bool   // the kernel's file cache is dropped before
	zoom   bool   // zoom and pan are measured, too
	folder string // where another scenario's runs are used
	peer   bool   // TensorBoard shows the same
}

// drawn is true when a page shows its charts: nothing is loading and the first chart
// has ink.
const drawn = `document.querySelector("h1") && !document.querySelector("[aria-busy=true]") && [...document.querySelectorAll("canvas")].some(c => c.width > 0)`

var scenarios = []scenario{
	{name: "finished run, 2,000 series", goal: "1 s", limit: time.Second, path: "/runs/run/curves", ready: drawn, folder: "series-2000", peer: true,
		write: func(root string) error { return scalarRun(root, "run", 2000, 1000) }},
	{name: "an hour at 500 ms, 16 cores, 8 GPUs", goal: "1 s", limit: time.Second, path: "/runs/run/machine", ready: drawn, folder: "machine",
		write: func(root string) error { return machineRun(root, "run") }},
	{name: "10 million points in one chart, cold", goal: "1 s", limit: time.Second, path: "/runs/run/curves", ready: drawn, cold: true, zoom: true, folder: "points-10m", peer: true,
		write: func(root string) error { return scalarRun(root, "run", 1, 10_000_000) }},
	{name: "100 runs x 10 curves", goal: "1 s", limit: time.Second, path: "/curves?runs=" + hundred(), ready: drawn, folder: "runs-100", peer: true,
		write: func(root string) error { return listed(root, 100, 10) }},
	{name: "table of 2,000 runs x 50 columns", goal: "1 s", limit: time.Second, path: "/runs", ready: `document.querySelectorAll("[role=row]").length > 10`, folder: "runs-2000",
		write: func(root string) error { return listed(root, 2000, 50) }},
}

func hundred() string {
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("run-%04d", i)
	}
	return strings.Join(names, ",")
}

func main() {
	only := flag.String("only", "", "scenarios whose name contains this")
	turns := flag.Int("turns", 5, "how often each is opened")
	peers := flag.Bool("peers", false, "also TensorBoard")
	flag.Parse()
	if err := all(*only, *turns, *peers); err != nil {
		fmt.Fprintln(os.Stderr, "ui:", err)
		os.Exit(1)
	}
}

func all(only string, turns int, peers bool) error {
	dir, err := os.MkdirTemp("", "vigil-bench-ui-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, err := build(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d cores; each opened %d times in a new tab: median, worst\n\n", time.Now().Format("2006-01-02"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), turns)
	fmt.Println("| what | Vigil | goal | TensorBoard |")
	fmt.Println("| --- | --- | --- | --- |")
	for _, s := range scenarios {
		if !strings.Contains(s.name, only) {
			continue
		}
		root, err := once(filepath.Join("build", "bench-ui", s.folder), s.write)
		if err != nil {
			return err
		}
		ours, zooms, err := measureOurs(binary, root, s, turns)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		theirs := "-"
		if peers && s.peer {
			list, err := measureTensorBoard(root, s, turns)
			if err != nil {
				return fmt.Errorf("%s, TensorBoard: %w", s.name, err)
			}
			theirs = spread(list)
		}
		fmt.Printf("| %s | %s%s | %s | %s |\n", s.name, spread(ours), missed(ours, s.limit), s.goal, theirs)
		if s.zoom {
			fmt.Printf("| zoom and pan in it | 95 of 100 below %s%s | 100 ms | - |\n", round(at(zooms, 0.95)), missed(zooms[len(zooms)*95/100:], 100*time.Millisecond))
		}
	}
	return nil
}
