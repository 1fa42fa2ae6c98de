//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// figure is one thing that was measured, with its goal.
type figure struct {
	Part   string    `json:"part"`
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Values []float64 `json:"values"`
	Goal   float64   `json:"goal,omitempty"` // the most it may be; 0: there is none
	Of     string    `json:"of,omitempty"`   // what the goal is for: "" the median, or "p95"
	Note   string    `json:"note,omitempty"`
	Failed string    `json:"failed,omitempty"` // why there is no figure
	Peer   *figure   `json:"tensorboard,omitempty"`
}

// at is a quantile of the values.
func (f *figure) at(q float64) float64 {
	if len(f.Values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(f.Values))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

// verdict is ok, missed, failed, or "" where there is no goal.
func (f *figure) verdict() string {
	q := 0.5
	if f.Of == "p95" {
		q = 0.95
	}
	switch {
	case f.Failed != "":
		return "failed"
	case f.Goal == 0:
		return ""
	case f.at(q) > f.Goal:
		return "**missed**"
	}
	return "ok"
}

// MarshalJSON adds what a reader would compute.
func (f *figure) MarshalJSON() ([]byte, error) {
	type plain figure
	return json.Marshal(struct {
		*plain
		Median  float64 `json:"median"`
		P95     float64 `json:"p95"`
		Verdict string  `json:"verdict,omitempty"`
	}{(*plain)(f), f.at(0.5), f.at(0.95), strings.Trim(f.verdict(), "*")})
}

const tableHead = "| what | Vigil: median | p95 | of | goal | | TensorBoard: median | p95 | remarks |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"

// row is the figure's line of the table.
func (f *figure) row() string {
	goal := "-"
	if f.Goal > 0 {
		goal = strings.TrimSpace(f.Of + " " + written(f.Goal, f.Unit))
	}
	notes := f.Note
	peer := [2]string{"-", "-"}
	if f.Peer != nil {
		peer = f.Peer.spread()
		if f.Peer.Note != "" {
			notes = strings.TrimSpace(notes + " TensorBoard: " + f.Peer.Note)
		}
	}
	ours := f.spread()
	return fmt.Sprintf("| %s | %s | %s | %d | %s | %s | %s | %s | %s |\n", f.Name, ours[0], ours[1], len(f.Values), goal, f.verdict(), peer[0], peer[1], notes)
}

// spread is median and p95 in words.
func (f *figure) spread() [2]string {
	switch {
	case f.Failed != "":
		return [2]string{"failed: " + strings.ReplaceAll(f.Failed, "\n", " "), "-"}
	case len(f.Values) < 2:
		return [2]string{written(f.at(0.5), f.Unit), "-"}
	}
	return [2]string{written(f.at(0.5), f.Unit), written(f.at(0.95), f.Unit)}
}

func written(v float64, unit string) string {
	digits := 1
	switch {
	case unit == "s" || unit == "x":
		digits = 2
	case v >= 100:
		digits = 0
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + unit
}

// result is everything that was measured.
type result struct {
	Date    string    `json:"date"`
	System  string    `json:"system"`
	Cores   int       `json:"cores"`
	Load    string    `json:"load_at_start"`
	Browser string    `json:"browser"`
	Commit  string    `json:"commit"`
	Figures []*figure `json:"figures"`
}

func (r *result) print(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
