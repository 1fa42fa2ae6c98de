package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Window is a window of detail that is asked for before the job starts: from one
// TRAIN step to another, or from one second of the run to another.
type Window struct {
	Spec      string  `json:"spec"`
	FirstStep *int64  `json:"first_step,omitempty"`
	EndStep   *int64  `json:"end_step,omitempty"` // the first step after it
	From      float64 `json:"from,omitempty"`     // seconds after the run began
	Seconds   float64 `json:"seconds,omitempty"`  // its length
}

// Why is what asked for it.
func (w *Window) Why() string { return "--profile " + w.Spec }

// WindowKind is the kind of detail that there is.
const WindowKind = "stacks"

// MaxWindowSeconds is the longest length of a window.
const MaxWindowSeconds = 600

// maxWindows is how many windows a run may be started with.
const maxWindows = 20

// parseWindows reads SPECs of windows between semicolons.
func parseWindows(text string) ([]Window, error) {
	var list []Window
	for _, spec := range specs(text) {
		w, err := ParseWindow(spec)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("it names no window; write %s:steps=50-80", WindowKind)
	}
	if len(list) > maxWindows {
		return nil, fmt.Errorf("%d windows are too many; the limit is %d", len(list), maxWindows)
	}
	return list, nil
}

// ParseKinds reads the kinds of detail of --kinds.
func ParseKinds(text string) error {
	for kind := range strings.SplitSeq(text, ",") {
		if err := checkKind(strings.TrimSpace(kind)); err != nil {
			return err
		}
	}
	return nil
}

func checkKind(kind string) error {
	if kind != WindowKind {
		return fmt.Errorf("there is no kind %q of detail; known: %s", kind, WindowKind)
	}
	return nil
}

// ParseWindow reads KIND:steps=A-B or KIND:seconds=A-B; both ends are included.
func ParseWindow(spec string) (Window, error) {
	w := Window{Spec: spec}
	kind, rest, _ := strings.Cut(spec, ":")
	if err := checkKind(kind); err != nil {
		return w, err
	}
	key, span, ok := strings.Cut(rest, "=")
	if !ok || key != "steps" && key != "seconds" {
		return w, fmt.Errorf("%q says neither steps nor seconds; write %s:steps=50-80 or %s:seconds=5-10", spec, kind, kind)
	}
	first, last, ranged := strings.Cut(span, "-")
	if !ranged {
		last = first
	}
	if key == "steps" {
		a, errA := strconv.ParseInt(first, 10, 64)
		b, errB := strconv.ParseInt(last, 10, 64)
		if errA != nil || errB != nil || a < 0 || b < a {
			return w, fmt.Errorf("%q: steps are two numbers, the first not above the second, as in %s:steps=50-80", spec, kind)
		}
		b++
		w.FirstStep, w.EndStep = &a, &b
		return w, nil
	}
	a, errA := strconv.ParseFloat(first, 64)
	b, errB := strconv.ParseFloat(last, 64)
	if errA != nil || errB != nil || !ranged || !(a >= 0 && b > a && b-a <= MaxWindowSeconds) {
		return w, fmt.Errorf("%q: seconds are two numbers, the second above the first by at most %d, as in %s:seconds=5-10", spec, MaxWindowSeconds, kind)
	}
	w.From, w.Seconds = a, b-a
	return w, nil
}
