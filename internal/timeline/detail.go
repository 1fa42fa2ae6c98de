package timeline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// ParseDetail reads a stored piece of single steps in detail: Chrome's trace
// events, with times since 1970.
func ParseDetail(b []byte) ([]record.Interval, error) {
	var file struct {
		Events []struct {
			Phase string      `json:"ph"`
			Name  string      `json:"name"`
			TS    json.Number `json:"ts"`
			Dur   json.Number `json:"dur"`
			Args  struct {
				Step       int64       `json:"step"`
				Mode       record.Mode `json:"mode"`
				ModeStep   int64       `json:"mode_step"`
				MicroBatch int         `json:"micro_batch"`
			} `json:"args"`
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, fmt.Errorf("read trace events: %w", err)
	}
	var list []record.Interval
	for i, e := range file.Events {
		if e.Phase != "X" {
			continue
		}
		part, known := partOf(e.Name)
		start, err := nanoseconds(e.TS)
		if err != nil || !known {
			return nil, fmt.Errorf("trace event %d: %q at %q is not a part of a step", i, e.Name, e.TS)
		}
		length, err := nanoseconds(e.Dur)
		if err != nil {
			return nil, fmt.Errorf("trace event %d: %q is not a length", i, e.Dur)
		}
		at := time.Unix(0, start).UTC()
		list = append(list, record.Interval{
			Part: part, Start: at, End: at.Add(time.Duration(length)), Step: e.Args.Step, Mode: e.Args.Mode, ModeStep: e.Args.ModeStep, MicroBatch: e.Args.MicroBatch,
		})
	}
	return list, nil
}

func partOf(name string) (record.StepPart, bool) {
	for p := range record.StepParts {
		if p.String() == name {
			return p, true
		}
	}
	return 0, false
}

// nanoseconds reads microseconds exactly.
func nanoseconds(n json.Number) (int64, error) {
	whole, rest, _ := strings.Cut(n.String(), ".")
	if len(rest) > 3 {
		rest = rest[:3]
	}
	ns, err := strconv.ParseInt(whole+rest+"000"[len(rest):], 10, 64)
	if err != nil || whole == "" || ns < 0 {
		return 0, fmt.Errorf("%q is not a time", n)
	}
	return ns, nil
}
