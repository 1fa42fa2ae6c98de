package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// report is all that the finished stages found.
type report struct {
	Date   string     `json:"date"` // when the first of them began
	Device string     `json:"device"`
	Stages []*outcome `json:"stages"`
}

// report writes DATE.json and DATE.md.
func (b *bench) report() error {
	date, err := b.date()
	if err != nil {
		return err
	}
	r := report{Date: date, Device: b.device}
	for _, s := range stages(b.dry) {
		text, err := os.ReadFile(b.file(s.name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var o outcome
		if err == nil {
			err = json.Unmarshal(text, &o)
		}
		if err != nil {
			return fmt.Errorf("read what %s found: %w", s.name, err)
		}
		r.Stages = append(r.Stages, &o)
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return fmt.Errorf("make the folder of the report: %w", err)
	}
	for end, text := range map[string]string{".json": string(text) + "\n", ".md": r.table()} {
		if err := os.WriteFile(filepath.Join(b.out, date+end), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}

// date of the first call.
func (b *bench) date() (string, error) {
	path := filepath.Join(b.state, "date")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text = []byte(time.Now().Format("2006-01-02"))
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("keep the date: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// table is the report for people.
func (r *report) table() string {
	var w strings.Builder
	fmt.Fprintf(&w, "# %s, %s\n\nRatios are to a bare process that trained in turn with it, with 95 %% intervals. Goals: 1.05x after the first 50 steps, 1.10x for the first 240.\n\n", r.Device, r.Date)
	w.WriteString("| what | | wall | CPU | a bare step |\n| --- | --- | --- | --- | --- |\n")
	for _, o := range r.Stages {
		for _, c := range o.Costs {
			fmt.Fprintf(&w, "| %s | %s | %s | %s | %.2f ms |\n", o.Stage, c.Way, interval(c.Wall), interval(c.CPU), c.StepMS)
		}
	}
	w.WriteString("\n| what | | found |\n| --- | --- | --- |\n")
	for _, o := range r.Stages {
		for _, l := range o.lines() {
			fmt.Fprintf(&w, "| %s | %s | %s |\n", o.Stage, l[0], l[1])
		}
	}
	return w.String()
}

func interval(r fmt.Stringer) string { return strings.ReplaceAll(r.String(), " | ", ", ") }

// lines are what a stage found that is no cost.
func (o *outcome) lines() (out [][2]string) {
	add := func(name, format string, v ...any) { out = append(out, [2]string{name, fmt.Sprintf(format, v...)}) }
	if o.Error != "" {
		first, _, _ := strings.Cut(o.Error, "\n")
		add("could not be done", "%s", strings.ReplaceAll(first, "|", "/"))
	}
	if o.Skipped != "" {
		add("left out", "%s", o.Skipped)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Equal)) {
		said := map[bool]string{true: "equal", false: "DIFFERENT"}[o.Equal[name]]
		add(name, "%s", said)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Statistics)) {
		s := o.Statistics[name]
		add(name, "counts %s, others within %.1g", map[bool]string{true: "equal", false: "DIFFERENT"}[s.Counts], s.Relative)
	}
	step := 0.0
	for _, ms := range o.Parts["events"] {
		step += ms
	}
	for _, part := range slices.Sorted(maps.Keys(o.Parts["events"])) {
		ours, theirs := o.Parts["Vigil"][part], o.Parts["events"][part]
		add(part, "%.3f ms, by events %.3f ms: %.1f %% of a step apart", ours, theirs, 100*math.Abs(ours-theirs)/step)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Metrics)) {
		m := o.Metrics[name]
		add(name, "%.1f, nvidia-smi %.1f (goal: 1 point)", m[0], m[1])
	}
	return out
}
