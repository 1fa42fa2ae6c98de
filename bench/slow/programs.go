package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml"
)

// pair is a training that loses time, or memory, to one cause, and the same without it.
type pair struct {
	Name  string   `yaml:"name"`
	Cause string   `yaml:"cause"` // cause class
	Also  []string `yaml:"also"`  // classes that are right, too
	What  string   `yaml:"what"`
	Line  string   `yaml:"line"`    // text of the line in slow.py
	Mend  string   `yaml:"mending"` // what was done to it
	// Ratio is how many times as fast the mended one is by the authors' measure.
	Ratio float64 `yaml:"ratio"`
	// Earlier says that it is known by an earlier, faster run of the same script.
	Earlier bool `yaml:"earlier"`
}

// right tells whether a cause class is one that explains the pair.
func (p pair) right(class string) bool { return class == p.Cause || slices.Contains(p.Also, class) }

// memory tells that a pair is about memory, not time.
func (p pair) memory() bool { return p.Cause == "memory-growth" }

// healthy is a training that only looks slow.
type healthy struct {
	Name    string `yaml:"name"`
	Looks   string `yaml:"looks"`
	Healthy string `yaml:"healthy"`
}

const programs = "bench/slow/programs"

func (p pair) script(of string) string { return filepath.Join(programs, p.Name, of+".py") }
func (h healthy) script() string       { return filepath.Join(programs, h.Name, "train.py") }

// load reads the lists of programs whose names match.
func load(only *regexp.Regexp) (pairs []pair, sound []healthy, err error) {
	for _, file := range []string{"bench/slow/pairs_a.yaml", "bench/slow/pairs_b.yaml"} {
		var list []pair
		if err := read(file, &list); err != nil {
			return nil, nil, err
		}
		for _, p := range list {
			if only.MatchString(p.Name) {
				pairs = append(pairs, p)
			}
		}
	}
	var list []healthy
	if err := read("bench/slow/healthy.yaml", &list); err != nil {
		return nil, nil, err
	}
	for _, h := range list {
		if only.MatchString(h.Name) {
			sound = append(sound, h)
		}
	}
	return pairs, sound, nil
}

func read(file string, into any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the list of programs: %w", err)
	}
	if err := yaml.Unmarshal(b, into); err != nil {
		return fmt.Errorf("read the list of programs %q: %w", file, err)
	}
	return nil
}
