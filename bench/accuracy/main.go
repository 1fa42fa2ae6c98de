// Accuracy measures how well the default diagnosis does: it lets `vigil run`
// watch many small PyTorch programs, each with one fault or with none, and
// compares what the default rules say with what is known. See docs/accuracy.md.
//
//	go run ./bench/accuracy [-python P] [-seeds 3] [-only REGEX] [-split tune|held|all] [-jobs 2] [-out FILE.md] [-keep DIR] [-rules default]
//	go run ./bench/accuracy -check -keep DIR
//	go run ./bench/accuracy -leave-out -keep DIR
//	go run ./bench/accuracy -warm -seeds 1 -compare bench/accuracy/testdata/answers-a11050b.jsonl.gz
//
// It is run from the top of the checkout.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv/forks"
)

type options struct {
	python, suite, only, split, out, keep, rules string
	seeds, jobs                                  int
	timeout                                      time.Duration
	check, leaveOut, warm                        bool
	list, answers, compare                       string
}

func main() {
	var o options
	flag.StringVar(&o.python, "python", "python3", "interpreter with PyTorch")
	flag.StringVar(&o.suite, "suite", "bench/accuracy", "folder of the programs")
	flag.IntVar(&o.seeds, "seeds", 3, "runs of each program, with seeds 0, 1, …")
	flag.StringVar(&o.only, "only", "", "only programs whose path matches this regular expression")
	flag.StringVar(&o.split, "split", "all", "programs of which split: tune, held or all")
	flag.IntVar(&o.jobs, "jobs", 2, "programs that run at the same time")
	flag.DurationVar(&o.timeout, "timeout", 3*time.Minute, "longest a program may take")
	flag.StringVar(&o.out, "out", "", "file for the report (default: standard output)")
	flag.StringVar(&o.keep, "keep", "", "folder in which the runs are kept")
	flag.StringVar(&o.rules, "rules", "default", "sets of rules that judge; \"default,experimental\" scores experimental checks as well")
	flag.BoolVar(&o.check, "check", false, "train nothing: judge the runs kept in -keep again")
	flag.BoolVar(&o.leaveOut, "leave-out", false, "train nothing: choose the thresholds anew without each family, on the runs kept in -keep, and score the choice on it")
	flag.BoolVar(&o.warm, "warm", false, "fork the programs from one process that has PyTorch in its memory")
	flag.StringVar(&o.list, "list", "", "file with the paths of the programs to run, one a line (default: all)")
	flag.StringVar(&o.answers, "answers", "", "file in which the answers are kept, one line of JSON for each run; compressed if it ends with .gz")
	flag.StringVar(&o.compare, "compare", "", "file of kept answers to compare with: ends with exit code 1 when a program is no longer recognised or a healthy one alarms anew")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if (o.check || o.leaveOut) && o.keep == "" {
		return fmt.Errorf("-check and -leave-out judge kept runs: -keep names their folder")
	}
	if o.seeds < 1 {
		return fmt.Errorf("-seeds is %d; each program runs at least once", o.seeds)
	}
	programs, err := choose(o)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "vigil-accuracy-")
	if err != nil {
		return fmt.Errorf("make work directory: %w", err)
	}
	defer os.RemoveAll(tmp)
	b := bench{runs: filepath.Join(tmp, "runs"), rules: o.rules, timeout: o.timeout}
	if o.keep != "" {
		b.runs = o.keep
	}
	if b.runs, err = filepath.Abs(b.runs); err != nil {
		return err
	}
	if err := os.MkdirAll(b.runs, 0o755); err != nil {
		return fmt.Errorf("make folder for runs: %w", err)
	}
	if b.suite, err = filepath.Abs(o.suite); err != nil {
		return err
	}
	if b.vigil, err = build(tmp); err != nil {
		return err
	}
	if b.python, err = interpreter(o.python); err != nil && !o.check && !o.leaveOut {
		return err
	}
	if o.leaveOut {
		text, err := b.leaveOut(programs, o.seeds, o.jobs)
		if err != nil {
			return err
		}
		return o.write(text)
	}
	do := b.check
	if !o.check {
		missing, err := lacking(b.python, programs)
		if err != nil {
			return err
		}
		if o.warm {
			if b.warm, err = forks.Watched(b.python, tmp); err != nil {
				return err
			}
			defer b.warm.Close()
		}
		do = possible(missing, b.train)
	}
	begin := time.Now()
	verdicts := all(programs, o.seeds, o.jobs, do)
	text := report(verdicts)
	fmt.Fprintf(os.Stderr, "%d runs in %v\n", len(verdicts), time.Since(begin).Round(time.Second))
	if o.answers != "" {
		if err := writeAnswers(o.answers, verdicts); err != nil {
			return err
		}
	}
	if o.compare == "" {
		return o.write(text)
	}
	kept, err := readAnswers(o.compare)
	if err != nil {
		return err
	}
	var now []answer
	for _, v := range verdicts {
		now = append(now, answerOf(v))
	}
	c := compare(kept, now)
	if err := o.write(text + "\n" + c.text()); err != nil {
		return err
	}
	if c.worse() {
		return fmt.Errorf("compared with %q: %d programs no longer recognised, %d new alarms on healthy programs, %d no longer scored",
			o.compare, len(c.Lost), len(c.New), len(c.Broken))
	}
	return nil
}

// write puts the report where it was asked for.
func (o options) write(text string) error {
	if o.out == "" {
		_, err := fmt.Print(text)
		return err
	}
	return os.WriteFile(o.out, []byte(text), 0o644)
}

// choose gives the programs that were asked for.
func choose(o options) ([]Program, error) {
	pattern, err := regexp.Compile(o.only)
	if err != nil {
		return nil, fmt.Errorf("read -only: %w", err)
	}
	if o.split != "all" && o.split != "tune" && o.split != "held" {
		return nil, fmt.Errorf("-split is %q; it can be tune, held or all", o.split)
	}
	known, err := discover(o.suite)
	if err != nil {
		return nil, err
	}
	if o.list != "" {
		if known, err = listed(known, o.list); err != nil {
			return nil, err
		}
	}
	var programs []Program
	for _, p := range known {
		if pattern.MatchString(p.Path) && (o.split == "all" || o.split == p.Split) {
			programs = append(programs, p)
		}
	}
	if len(programs) == 0 {
		return nil, fmt.Errorf("none of %d programs below %q was asked for", len(known), o.suite)
	}
	return programs, nil
}

// listed gives the programs that a file names, one path a line; a line that
// begins with # is a comment.
func listed(known []Program, name string) ([]Program, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read -list: %w", err)
	}
	byPath := map[string]Program{}
	for _, p := range known {
		byPath[p.Path] = p
	}
	var programs []Program
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p, ok := byPath[line]
		if !ok {
			return nil, fmt.Errorf("read -list %q: the suite has no program %q", name, line)
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// all runs do for each program and seed, jobs at a time, and says how each went.
// The verdicts come in the order of programs and seeds.
func all(programs []Program, seeds, jobs int, do func(Program, int) verdict) []verdict {
	verdicts := make([]verdict, len(programs)*seeds)
	next := make(chan int)
	var done int
	var lock sync.Mutex
	var group sync.WaitGroup
	for range max(1, jobs) {
		group.Go(func() {
			for i := range next {
				begin := time.Now()
				v := do(programs[i/seeds], i%seeds)
				verdicts[i] = v
				lock.Lock()
				done++
				fmt.Fprintf(os.Stderr, "[%d/%d] %s seed %d: %s (%.1f s)\n", done, len(verdicts), v.Program.Name(), v.Seed, v.line(), time.Since(begin).Seconds())
				lock.Unlock()
			}
		})
	}
	// Every program once before any is run with another seed.
	for seed := range seeds {
		for p := range programs {
			next <- p*seeds + seed
		}
	}
	close(next)
	group.Wait()
	return verdicts
}
