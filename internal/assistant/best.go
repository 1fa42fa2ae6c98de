package assistant

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/ranking"
	"github.com/vigil-ml/vigil/internal/record"
)

type bestAsked struct {
	asks
	Metric string   `json:"metric,omitempty" jsonschema:"the number that runs are ranked by, as list_runs names it; a loss of evaluation where it is left out"`
	Better string   `json:"better,omitempty" jsonschema:"less or more; by the metric's name where it is left out"`
	Runs   []string `json:"runs,omitempty" jsonschema:"only these runs, by their whole names; all where it is left out"`
}

// best ranks the runs and says what goes with the ranking.
func (t tools) best(ctx context.Context, in bestAsked) (string, error) {
	list, err := t.Index.All(ctx)
	if err != nil {
		return "", fmt.Errorf("list the runs: %w", err)
	}
	var given []ranking.Run
	for i := range list.Rows {
		row := &list.Rows[i]
		if len(in.Runs) > 0 && !slices.Contains(in.Runs, row.Name) {
			continue
		}
		one, err := ranking.Of(row)
		if err != nil {
			return "", err
		}
		given = append(given, one)
	}
	for _, name := range in.Runs {
		if !slices.ContainsFunc(given, func(r ranking.Run) bool { return r.Name == name }) {
			return "", fmt.Errorf("there is no run %q; list_runs lists them", name)
		}
	}
	a, err := ranking.Rank(given, ranking.Question{Metric: in.Metric, Better: in.Better})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", line(strings.TrimSpace(a.Text+" "+a.Difference)))
	if a.Metric == "" {
		return b.String(), nil
	}
	fmt.Fprintf(&b, "by the %s value of %s (%s is better), best first:\n", a.Stat, line(a.Metric), a.Better)
	for i, p := range a.Runs {
		fmt.Fprintf(&b, "  %s: %s", line(p.Name), figure(float64(p.Value)))
		if math.IsNaN(float64(p.Value)) {
			b.WriteString(" (none)")
		}
		for _, q := range a.Parameters[:min(len(a.Parameters), 6)] {
			if v := q.Values[i]; v != nil {
				fmt.Fprintf(&b, ", %s", line(q.Name+"="+*v))
			}
		}
		if len(p.Distrust) > 0 {
			fmt.Fprintf(&b, "; not to be trusted: error finding %s", strings.Join(p.Distrust, ", "))
		}
		b.WriteString("\n")
	}
	for _, q := range a.Parameters {
		var groups []string
		for _, g := range q.Groups {
			value := "not given"
			if g.Value != nil {
				value = *g.Value
			}
			groups = append(groups, fmt.Sprintf("%s: %s, best %s, median %s", value, record.Several(int64(g.Runs), "run"), figure(float64(g.Best)), figure(float64(g.Median))))
		}
		if len(groups) > 0 {
			fmt.Fprintf(&b, "by %s: %s\n", line(q.Name), line(strings.Join(groups, "; ")))
		}
		if c := q.Correlation; c != nil {
			fmt.Fprintf(&b, "rank correlation of %s with it: %.2f (95 %% interval %.2f to %.2f, %d runs)%s\n", line(q.Name), c.Rho, c.Low, c.High, c.Runs, map[bool]string{true: "", false: ", which may be chance"}[c.Clear])
		}
	}
	return b.String(), nil
}
