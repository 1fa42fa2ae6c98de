package assistant

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/view"
)

type runAsked struct {
	asks
	Run string `json:"run,omitempty" jsonschema:"the run: its name, the beginning of one, latest, or latest~1 (the one before); the newest where it is left out"`
}

type listAsked struct {
	asks
	Name   string `json:"name,omitempty" jsonschema:"only runs whose name contains this"`
	Status string `json:"status,omitempty" jsonschema:"only runs of this status: running, completed, failed, stopped, ended, lost"`
	Most   int    `json:"most,omitempty" jsonschema:"the most runs, 20 where it is left out"`
}

// listRuns has a paragraph for each run.
func (t tools) listRuns(ctx context.Context, in listAsked) (string, error) {
	list, err := t.Index.All(ctx)
	if err != nil {
		return "", fmt.Errorf("list the runs: %w", err)
	}
	most := in.Most
	if most <= 0 {
		most = 20
	}
	var b strings.Builder
	var shown []*runs.Row
	var parameters []map[string]string
	fits := 0
	for i := range list.Rows {
		row := &list.Rows[i]
		if !strings.Contains(row.Name, in.Name) || in.Status != "" && row.Status != in.Status {
			continue
		}
		if fits++; fits > most {
			continue
		}
		detail, err := row.Details()
		if err != nil {
			return "", fmt.Errorf("read the values of run %q: %w", row.Name, err)
		}
		shown, parameters = append(shown, row), append(parameters, detail.Parameters)
	}
	if fits == 0 {
		if len(list.Rows) == 0 {
			return "There are no runs.", nil
		}
		return fmt.Sprintf("None of the %d runs fits.", len(list.Rows)), nil
	}
	same := shared(parameters)
	if len(same) > 0 {
		pairs(&b, "parameters of all these runs", same)
	}
	for _, row := range shown {
		if err := describe(&b, row, same); err != nil {
			return "", err
		}
	}
	if len(shown) < fits {
		fmt.Fprintf(&b, "%d older runs are left out; most asks for more.\n", fits-len(shown))
	}
	return b.String(), nil
}

// shared are the parameters that are the same in several runs.
func shared(of []map[string]string) map[string]string {
	if len(of) < 2 {
		return nil
	}
	same := maps.Clone(of[0])
	for _, other := range of[1:] {
		maps.DeleteFunc(same, func(key, value string) bool {
			v, there := other[key]
			return !there || v != value
		})
	}
	return same
}

// pairs writes a line of names with their values.
func pairs(b *strings.Builder, head string, values map[string]string) {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		texts = append(texts, line(key+"="+values[key]))
	}
	if len(texts) > 0 {
		fmt.Fprintf(b, "%s: %s\n", head, strings.Join(texts, ", "))
	}
}

// describe writes a run in a few lines, without the parameters that are said already.
func describe(b *strings.Builder, row *runs.Row, said map[string]string) error {
	fmt.Fprintf(b, "%s: %s, started %s", line(row.Name), row.Status, row.Started.Format("2006-01-02 15:04"))
	if row.Duration != nil {
		fmt.Fprintf(b, ", took %s", record.Seconds(*row.Duration))
	}
	fmt.Fprintf(b, ", %s\n  verdict: %s\n", record.StepsText(row.Steps), line(row.Verdict.Text))
	var found []string
	for _, f := range row.Found {
		if f.Root {
			found = append(found, fmt.Sprintf("%s %s/%s", f.Severity, f.Rule, f.Check))
		}
	}
	if len(found) > 0 {
		fmt.Fprintf(b, "  root causes: %s\n", line(strings.Join(found, ", ")))
	}
	detail, err := row.Details()
	if err != nil {
		return fmt.Errorf("read the values of run %q: %w", row.Name, err)
	}
	for _, name := range slices.Sorted(maps.Keys(detail.Values)) {
		v := detail.Values[name]
		fmt.Fprintf(b, "  %s (%s): last %s at step %d", line(strings.TrimSuffix(name, " ("+v.Mode+")")), v.Mode, figure(float64(v.Last)), v.LastStep)
		if v.Best != nil {
			at := v.MinStep
			if v.Better == "more" {
				at = v.MaxStep
			}
			fmt.Fprintf(b, ", best %s at step %d", figure(float64(*v.Best)), at)
		}
		b.WriteString("\n")
	}
	own := maps.Clone(detail.Parameters)
	maps.DeleteFunc(own, func(key, _ string) bool {
		_, known := said[key]
		return known
	})
	pairs(b, "  parameters", own)
	pairs(b, "  tags", row.Tags)
	return nil
}

// verdict is what is said at the end of a run, and what was found in it.
func (t tools) verdict(_ context.Context, in runAsked) (string, error) {
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	tr, err := trial.Open(r.Path)
	if err != nil {
		return "", err
	}
	defer tr.Close()
	o, err := view.OverviewOf(tr)
	if err != nil {
		return "", err
	}
	found, err := t.command([]string{"findings", "--dir", t.Root}, r.Name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "run %s: %s\nverdict: %s\n", line(r.Name), line(o.Ending), line(o.Verdict.Text))
	for _, p := range o.Properties {
		if p.Label != "status" {
			fmt.Fprintf(&b, "%s: %s\n", p.Label, line(p.Value))
		}
	}
	for _, phase := range o.Phases {
		if !phase.Open {
			fmt.Fprintf(&b, "phase %s: %s\n", line(phase.Name), record.Seconds(phase.To.Sub(phase.From).Seconds()))
		}
	}
	if o.Time != "" {
		var parts []string
		for _, s := range o.Shares {
			parts = append(parts, fmt.Sprintf("%s %d %%", s.Name, s.Percent))
		}
		fmt.Fprintf(&b, "time of the steps: %s: %s\n", o.Time, strings.Join(parts, ", "))
	}
	b.WriteString("\n" + found + "\n")
	words := view.TensorWords(tr.Tensors(), "`")
	for _, g := range tr.Groups() {
		if text := view.Evidence(g.Root, words); text != "" {
			fmt.Fprintf(&b, "evidence of %s/%s: %s\n", g.Root.Rule, g.Root.Check, line(text))
		}
	}
	return b.String(), nil
}

func (t tools) show(_ context.Context, in runAsked) (string, error) {
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	return t.command([]string{"show", "--dir", t.Root}, r.Name)
}

type outputAsked struct {
	runAsked
	Lines int `json:"lines,omitempty" jsonschema:"how many lines, 40 where it is left out"`
}

// output is the end of what the job printed.
func (t tools) output(_ context.Context, in outputAsked) (string, error) {
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	text, err := t.command([]string{"logs", "--dir", t.Root}, r.Name)
	if err != nil {
		return "", err
	}
	lines := strings.Split(text, "\n")
	n := in.Lines
	if n <= 0 {
		n = 40
	}
	if n < len(lines) {
		return fmt.Sprintf("(%d earlier lines are left out)\n%s", len(lines)-n, strings.Join(lines[len(lines)-n:], "\n")), nil
	}
	return text, nil
}

type seriesAsked struct {
	runAsked
	Name   string `json:"name,omitempty" jsonschema:"the series, as the answer without a name lists it"`
	Mode   string `json:"mode,omitempty" jsonschema:"TRAIN, EVAL, PREDICT or GLOBAL; the first that has values where it is left out"`
	Stat   string `json:"stat,omitempty" jsonschema:"of a tensor: min, max, mean, std, abs_mean, ...; mean where it is left out"`
	From   *int64 `json:"from,omitempty" jsonschema:"the first step of training"`
	To     *int64 `json:"to,omitempty" jsonschema:"the last step of training"`
	Points int    `json:"points,omitempty" jsonschema:"the most points, up to 1000; 40 where it is left out"`
}

// series lists names, or has a line for each point of one.
func (t tools) series(_ context.Context, in seriesAsked) (string, error) {
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	tr, err := trial.Open(r.Path)
	if err != nil {
		return "", err
	}
	defer tr.Close()
	var b strings.Builder
	if in.Name == "" {
		fmt.Fprintf(&b, "series of run %s: name, mode, group, points\n", line(r.Name))
		for _, c := range view.Charts(view.List(tr)) {
			fmt.Fprintf(&b, "%s, %s, %s, %d\n", line(c.Ask.Tensor), c.Ask.Mode, line(string(c.Group)), c.Points)
		}
		return b.String(), nil
	}
	// On this axis an evaluation is one point, after the update that came before it.
	frame := view.Frame{Axis: view.ByUpdate, From: math.NaN(), To: math.NaN(), Columns: 40}
	if in.Points > 0 {
		frame.Columns = min(in.Points, 1000)
	}
	if in.From != nil {
		frame.From = float64(*in.From)
	}
	if in.To != nil {
		frame.To = float64(*in.To)
	}
	l := view.Lines(tr, []view.Ask{{Tensor: in.Name, Stat: in.Stat, Mode: in.Mode}}, frame)[0]
	if l.Err != nil {
		return "", fmt.Errorf("read series %q of run %q: %w; read_series without a name lists what there is", in.Name, r.Name, l.Err)
	}
	fmt.Fprintf(&b, "%s (%s) of run %s, %d points", line(l.Tensor), l.Mode, line(r.Name), l.Points)
	if l.Raw {
		b.WriteString("\nstep: value\n")
		for i, x := range l.X {
			fmt.Fprintf(&b, "%s: %s\n", figure(x), figure(l.Mean[i]))
		}
		return b.String(), nil
	}
	fmt.Fprintf(&b, " in %d columns\nsteps: mean, least, greatest\n", len(l.X))
	for i, x := range l.X {
		fmt.Fprintf(&b, "%s-%s: %s, %s, %s", figure(x), figure(l.XLast[i]), figure(l.Mean[i]), figure(l.Min[i]), figure(l.Max[i]))
		if i < len(l.Odd) && l.Odd[i] != 0 {
			b.WriteString(", some are not finite")
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

type compareAsked struct {
	asks
	Runs []string `json:"runs" jsonschema:"two runs or more"`
}

func (t tools) compare(_ context.Context, in compareAsked) (string, error) {
	return t.command([]string{"compare", "--dir", t.Root}, in.Runs...)
}

type checkAsked struct {
	asks
	Check string `json:"check" jsonschema:"a rule, or rule/check"`
}

func (t tools) explain(_ context.Context, in checkAsked) (string, error) {
	return t.command([]string{"rules", "describe"}, in.Check)
}

// figure is a number in six digits.
func figure(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// line is a text of a run in one line, without characters that cannot be seen.
func line(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, strings.Join(strings.Fields(text), " "))
}
