// Alike runs a training command bare twice and under vigil run, each in a fresh
// copy of its folder, and says whether the run under Vigil differs from a bare
// one by more than two bare ones differ: exit code, output, files, checkpoints
// (names and tensors in them), and the weights that live at the end.
//
//	go run ./bench/alike [-folder DIR] [-seed] [-python PY] [-vigil PATH] -- COMMAND
//
// It prints what was compared and each difference, and exits with 1 when there is one.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vigil-ml/vigil/internal/testenv"
)

func main() {
	var r runner
	flag.StringVar(&r.folder, "folder", ".", "folder of the training: each run has a copy of it and begins there")
	flag.BoolVar(&r.seed, "seed", false, "seed PyTorch, numpy and random before the script, which does not do it itself")
	flag.StringVar(&r.python, "python", filepath.Join(testenv.Root(), "build/env/torch/bin/python"), "interpreter that reads checkpoints")
	flag.StringVar(&r.vigil, "vigil", "", "the vigil program (default: built from this source)")
	flag.Parse()
	found, err := alike(r, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "alike:", err)
		os.Exit(2)
	}
	fmt.Println(found)
	if len(found.Differences) > 0 {
		os.Exit(1)
	}
}

func alike(r runner, command []string) (*Report, error) {
	if len(command) == 0 {
		return nil, fmt.Errorf("no command: go run ./bench/alike -- COMMAND")
	}
	if r.vigil == "" {
		dir, err := os.MkdirTemp("", "vigil-alike-program-")
		if err != nil {
			return nil, fmt.Errorf("make a folder: %w", err)
		}
		defer os.RemoveAll(dir)
		r.vigil = filepath.Join(dir, "vigil")
		if err := testenv.Build(r.vigil); err != nil {
			return nil, err
		}
	}
	return r.compare(command)
}
