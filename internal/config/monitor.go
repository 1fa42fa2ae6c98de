package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MonitorIntervals are the intervals at which machine metrics can be sampled, in
// milliseconds; 0, written off, samples nothing.
var MonitorIntervals = []int{100, 200, 500, 1000, 5000, 60000}

// DefaultMonitor is the interval when nothing is said.
const DefaultMonitor = 500

// ParseMonitor reads an interval of machine metrics.
func ParseMonitor(text string) (int, error) {
	text = strings.TrimSpace(text)
	if strings.EqualFold(text, "off") || strings.EqualFold(text, "false") { // which is what YAML makes of off
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || !slices.Contains(MonitorIntervals, n) {
		return 0, fmt.Errorf("%q is none of %s milliseconds, or off", text, intervals())
	}
	return n, nil
}

func intervals() string {
	var list []string
	for _, n := range MonitorIntervals {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, ", ")
}
