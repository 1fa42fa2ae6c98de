// Slow judges the checks of slow trainings. Pairs of trainings that lose time to one
// cause, and the same without it, were written by people who had not seen the checks;
// so were healthy ones that only look slow.
//
// With -times it measures: each pair is run several times, slow and mended in turns,
// without Vigil. The times of the two give the share that the cause really takes, and
// what mending it really brings. They are kept in a file.
//
// Without it, each program is run once under vigil run, and what is found is set
// next to the measured times: is the first cause the right one, is its share right,
// does the gain hold, and are the healthy and the mended ones silent?
//
//	go run ./bench/slow -times [-runs N] [-python PY] [-only REGEXP] [-file FILE]
//	go run ./bench/slow [-python PY] [-only REGEXP] [-file FILE] [-keep DIR [-again]]
//
// With -again the runs that are kept there are judged once more, and nothing trains.
//
// Nothing else may run on the machine meanwhile.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/vigil-ml/vigil/internal/testenv"
)

func main() {
	python := flag.String("python", "build/env/torch/bin/python", "interpreter with PyTorch")
	times := flag.Bool("times", false, "measure the times of the pairs, without Vigil")
	runs := flag.Int("runs", 5, "with -times: runs of each program")
	only := flag.String("only", "", "names of programs, as a regular expression")
	file := flag.String("file", "bench/slow/times.json", "the measured times")
	keep := flag.String("keep", "", "folder for the runs; empty: they are removed")
	again := flag.Bool("again", false, "judge the runs in the folder of -keep once more, and train nothing")
	flag.Parse()
	if err := run(*python, *only, *file, *keep, *again, *times, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "slow:", err)
		os.Exit(1)
	}
}

func run(python, only, file, keep string, again, measure bool, runs int) error {
	re, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if python, err = filepath.Abs(python); err != nil {
		return fmt.Errorf("find the interpreter: %w", err)
	}
	pairs, sound, err := load(re)
	if err != nil {
		return err
	}
	if measure {
		return measureAll(python, file, pairs, runs)
	}
	known, err := readTimes(file)
	if err != nil {
		return err
	}
	dir := keep
	if again && dir == "" {
		return errors.New("-again: -keep says which runs to judge")
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "vigil-slow-"); err != nil {
			return fmt.Errorf("make a folder for the runs: %w", err)
		}
		defer os.RemoveAll(dir)
	}
	vigil := filepath.Join(os.TempDir(), fmt.Sprintf("vigil-slow-%d", os.Getpid()))
	defer os.Remove(vigil)
	if err := testenv.Build(vigil); err != nil {
		return err
	}
	j := judging{python: python, vigil: vigil, dir: dir, times: known, again: again}
	return j.all(pairs, sound)
}
