package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// mostGaps is how many gaps of a host are named one by one.
const mostGaps = 3

// printMachine prints what is stored of the machine and of the time of steps.
func printMachine(w io.Writer, p live.Page, t source.Run) error {
	hosts := view.Hosts(t)
	if len(hosts) > 0 {
		fmt.Fprintf(w, "\n%s\n", p.Bold("Machine:"))
	}
	for _, h := range hosts {
		fmt.Fprintln(w, p.Hang("  ", fmt.Sprintf("%s: %d series%s, %s to %s", printable(h.Name), h.Series, every(h.Interval), clockTime(h.From), clockTime(h.To))))
		var families []string
		for _, f := range h.Families {
			families = append(families, printable(f))
		}
		fmt.Fprintln(w, p.Hang("    ", strings.Join(families, ", ")))
		for i, g := range h.Gaps {
			if i == mostGaps {
				fmt.Fprintln(w, p.Hang("    ", fmt.Sprintf("and %d more gaps", len(h.Gaps)-i)))
				break
			}
			fmt.Fprintln(w, p.Hang("    ", fmt.Sprintf("nothing was sampled for %s from %s on", g.To.Sub(g.From).Round(100*time.Millisecond), clockTime(g.From))))
		}
	}
	times, err := view.StepTimes(t)
	if err != nil || len(times) == 0 {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", p.Bold("Time of steps:"))
	for _, s := range times {
		fmt.Fprintln(w, p.Hang("  ", fmt.Sprintf("%s, %s: %s", s.Mode, time.Duration(s.Seconds*1e9).Round(100*time.Millisecond), s.Text())))
	}
	return nil
}

func every(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return " every " + interval(d)
}

// interval spells the time between two samples: "500 ms", "5 s".
func interval(d time.Duration) string {
	if d < time.Second || d%time.Second != 0 {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%d s", int64(d.Seconds()))
}

func clockTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
