package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// aim is what a healthy program reaches on data that it does not train on. The
// program prints the value as its last line: "result: METRIC VALUE". So the
// suite knows that a program is healthy and need not believe it.
type aim struct {
	Metric   string
	Higher   bool    // more is better
	Baseline float64 // of a prediction that has learnt nothing
	Reaches  float64 // what each seed reaches

	stated []string // the keys that the header has
}

func (a *aim) set(key, value string) (err error) {
	a.stated = append(a.stated, key)
	switch key {
	case "metric":
		name, better, _ := strings.Cut(value, " ")
		if better != "higher" && better != "lower" {
			return fmt.Errorf("metric %q is not a name and higher or lower", value)
		}
		a.Metric, a.Higher = name, better == "higher"
	case "baseline":
		a.Baseline, err = strconv.ParseFloat(value, 64)
	case "reaches":
		a.Reaches, err = strconv.ParseFloat(value, 64)
	}
	if err != nil {
		return fmt.Errorf("%s %q is not a number", key, value)
	}
	return nil
}

// check refuses a program that states nothing better than its baseline.
func (a aim) check() error {
	if len(a.stated) == 3 && !a.better(a.Reaches, a.Baseline) {
		return fmt.Errorf("reaches %v is not better than baseline %v", a.Reaches, a.Baseline)
	}
	return nil
}

func (a aim) better(x, y float64) bool {
	if a.Higher {
		return x > y
	}
	return x < y
}

var result = regexp.MustCompile(`(?m)^result: (\S+) (\S+)$`)

// reached compares the result that a program printed with what it states: nil
// when it is as good, or when nothing is stated.
func (a aim) reached(out []byte) error {
	if len(a.stated) == 0 {
		return nil
	}
	all := result.FindAllSubmatch(out, -1)
	if len(all) == 0 {
		return fmt.Errorf("it printed no line %q", "result: "+a.Metric+" VALUE")
	}
	last := all[len(all)-1]
	if string(last[1]) != a.Metric {
		return fmt.Errorf("its result is of %q and its header states %q", last[1], a.Metric)
	}
	value, err := strconv.ParseFloat(string(last[2]), 64)
	if err != nil {
		return fmt.Errorf("its result %q is not a number", last[2])
	}
	if value != a.Reaches && !a.better(value, a.Reaches) {
		return fmt.Errorf("it is not healthy: %s is %v, its header states %v (baseline %v)", a.Metric, value, a.Reaches, a.Baseline)
	}
	return nil
}
