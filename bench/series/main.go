// Command series measures how fast numbers are taken in, how many bytes they
// take, and how fast they are read, and prints a Markdown table.
//
//	go run ./bench/series [-python PY] [-seconds S] [-rate N] [-runs N] [-peers] [-table N] [-only a,b]
//
// Numbers come from one Python process through vigil.log, a hundred a call, as
// they come from a user's script under `vigil run`; what is read back is counted.
// What is read cold is read by an agent's reader that has seen nothing of the
// run, from files that the kernel was asked to forget.
//
// With -peers, wandb (offline) and TensorBoard log next to Vigil, taking turns,
// and TensorBoard's reader reads next to ours. Nothing else may run meanwhile.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
)

type bench struct {
	python, vigil, dir string
	seconds, rate      float64
	runs, table        int
}

func main() {
	b := bench{}
	flag.StringVar(&b.python, "python", "python3", "interpreter; with -peers that of scripts/requirements-peer-trackers.txt")
	flag.Float64Var(&b.seconds, "seconds", 12, "how long numbers are logged")
	flag.Float64Var(&b.rate, "rate", 1.1e6, "numbers a second that are logged")
	flag.IntVar(&b.runs, "runs", 100, "runs that are read as chart data")
	flag.IntVar(&b.table, "table", 1_000_000, "numbers of the series that TensorBoard reads too")
	peers := flag.Bool("peers", false, "also wandb and TensorBoard")
	only := flag.String("only", "", "comma-separated of ingest, charts, tensors, trackers, readers (default: all)")
	flag.Parse()
	if err := b.all(*peers, *only); err != nil {
		fmt.Fprintln(os.Stderr, "series:", err)
		os.Exit(1)
	}
}

func (b *bench) all(peers bool, only string) error {
	var err error
	if b.dir, err = os.MkdirTemp("", "vigil-series-"); err != nil {
		return fmt.Errorf("make work directory: %w", err)
	}
	defer os.RemoveAll(b.dir)
	b.vigil = filepath.Join(b.dir, "vigil")
	if err := testenv.Build(b.vigil); err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d cores, %s\n\n", time.Now().Format("2006-01-02"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	fmt.Println("| what | measured | goal | |")
	fmt.Println("| --- | --- | --- | --- |")
	type part struct {
		name string
		run  func() error
	}
	parts := []part{{"ingest", b.ingest}, {"charts", b.charts}, {"tensors", b.tensors}}
	if peers {
		parts = append(parts, part{"trackers", b.trackers}, part{"readers", b.readers})
	}
	for _, p := range parts {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		if err := p.run(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
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

// spent is what a call took: on the clock, and of this program's threads.
type spent struct{ wall, cpu time.Duration }

func (s spent) String() string {
	return fmt.Sprintf("%.0f ms (CPU %.0f ms)", float64(s.wall)/1e6, float64(s.cpu)/1e6)
}

// took is the time of a call.
func took(f func() error) (spent, error) {
	begin, cpu := time.Now(), processTime()
	err := f()
	return spent{time.Since(begin), processTime() - cpu}, err
}
