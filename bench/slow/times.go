package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// timed are the seconds of training of a pair, one number for each run; what Python
// takes to import PyTorch is not in them.
type timed struct {
	Slow   []float64 `json:"slow"`
	Mended []float64 `json:"mended"`
}

// faster is how many times as fast the mended training is.
func (t timed) faster() float64 { return median(t.Slow) / median(t.Mended) }

// share is the part of the slow training's time that the cause takes.
func (t timed) share() float64 { return 1 - median(t.Mended)/median(t.Slow) }

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	if len(s) == 0 {
		return 0
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// readTimes reads the measured times; a file that is missing holds none.
func readTimes(file string) (map[string]timed, error) {
	known := map[string]timed{}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &known)
	}
	if err != nil {
		return nil, fmt.Errorf("read the measured times: %w", err)
	}
	return known, nil
}

// measureAll measures pairs and adds their times to the file, which is written after
// each pair.
func measureAll(python, file string, pairs []pair, runs int) error {
	known, err := readTimes(file)
	if err != nil {
		return err
	}
	var imports []float64
	for range 3 {
		s, err := seconds(python, "-c", "import torch, numpy")
		if err != nil {
			return err
		}
		imports = append(imports, s)
	}
	fmt.Printf("importing PyTorch takes %.2f s\n\n| pair | cause | slow | mended | faster | share |\n| --- | --- | --- | --- | --- | --- |\n", median(imports))
	for _, p := range pairs {
		var t timed
		for i := range runs {
			for _, of := range []struct {
				name string
				to   *[]float64
			}{{"slow", &t.Slow}, {"mended", &t.Mended}} {
				fmt.Fprintf(os.Stderr, "\r\033[K%s: %s, run %d of %d", p.Name, of.name, i+1, runs)
				s, err := seconds(python, p.script(of.name))
				if err != nil {
					return err
				}
				*of.to = append(*of.to, s-median(imports))
			}
		}
		fmt.Fprint(os.Stderr, "\r\033[K")
		fmt.Printf("| %s | %s | %.1f s | %.1f s | %.2f | %.0f %% |\n", p.Name, p.Cause, median(t.Slow), median(t.Mended), t.faster(), 100*t.share())
		known[p.Name] = t
		b, err := json.MarshalIndent(known, "", " ")
		if err == nil {
			err = os.WriteFile(file, append(b, '\n'), 0o644)
		}
		if err != nil {
			return fmt.Errorf("keep the times: %w", err)
		}
	}
	return nil
}

// seconds runs a script in a folder of its own and says how long it took.
func seconds(python string, args ...string) (float64, error) {
	dir, err := os.MkdirTemp("", "vigil-slow-")
	if err != nil {
		return 0, fmt.Errorf("make a work folder: %w", err)
	}
	defer os.RemoveAll(dir)
	if filepath.Ext(args[0]) == ".py" {
		if args[0], err = filepath.Abs(args[0]); err != nil {
			return 0, fmt.Errorf("find the script: %w", err)
		}
	}
	cmd := exec.Command(python, args...)
	cmd.Dir = dir
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("run %q: %w\n%s", args, err, out[max(0, len(out)-2000):])
	}
	return time.Since(began).Seconds(), nil
}
