package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/facts"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// Write writes the report of a run to w. now is the time the report names.
func Write(w io.Writer, t *trial.Trial, now time.Time) error {
	c, err := collect(t, now)
	if err != nil {
		return err
	}
	return render(w, c)
}

// WriteFile writes the report to a file, which is replaced only when the new
// one is whole.
func WriteFile(path string, t *trial.Trial, now time.Time) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".report-*")
	if err != nil {
		return fmt.Errorf("create report %q: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	if err := Write(tmp, t, now); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		tmp.Close()
		return fmt.Errorf("write report %q: %w", path, err)
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("write report %q: %w", path, err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("write report %q: %w", path, err)
	}
	return nil
}

func collect(t *trial.Trial, now time.Time) (*content, error) {
	run := t.Run()
	c := &content{
		Title:       run.Name + " · Vigil",
		Run:         run,
		Command:     strings.Join(run.Command, " "),
		Groups:      t.Groups(),
		Rules:       t.Statuses(),
		NotCaptured: run.NotCaptured,
		Generated:   now,
	}
	findings := t.Findings()
	c.Verdict = judge(run, findings)
	c.Cards = cards(run)
	if f, err := record.ParseFacts(run.Facts); err == nil && f != nil {
		c.Facts = facts.Lines(f)
		c.Network, c.MoreModules = facts.Network(f.Network)
	}

	infos := t.Tensors()
	clock := newClock(t)
	var err error
	if c.Data.Losses, err = losses(t, infos, clock); err != nil {
		return nil, err
	}
	if c.Data.Heat, err = heatMaps(t, infos, clock); err != nil {
		return nil, err
	}
	c.HasLayers = len(c.Data.Heat) > 0
	c.Data.Findings = marks(findings)
	c.Captured = captured(run, infos)
	for _, d := range t.Damage() {
		c.Damage = append(c.Damage, damage{d.File, d.Reason})
	}
	return c, nil
}

// clock turns mode steps into global steps, which all charts share.
type clock map[record.Mode]map[int64]int64

func newClock(t *trial.Trial) clock {
	c := clock{}
	for _, mode := range t.Modes() {
		c[mode] = map[int64]int64{}
		for _, s := range t.StepInfos(mode, "") {
			c[mode][s.ModeStep] = s.Step
		}
	}
	return c
}

func (c clock) global(mode record.Mode, steps []int64) []int64 {
	out := make([]int64, len(steps))
	for i, s := range steps {
		g, ok := c[mode][s]
		if !ok {
			g = s
		}
		out[i] = g
	}
	return out
}

// losses are the loss in every mode, then further losses and logged numbers.
func losses(t *trial.Trial, infos []record.TensorInfo, clock clock) ([]curve, error) {
	var curves []curve
	names := []string{"loss"}
	for _, kind := range []record.Kind{record.Loss, record.Metric} {
		for _, info := range infos {
			if info.Kind == kind && info.AliasOf == "" && !slices.Contains(names, info.Name) && !ofBoosting(info) {
				names = append(names, info.Name)
			}
		}
	}
	for _, name := range names {
		for _, mode := range t.Modes() {
			if len(curves) == maxCurves {
				return curves, nil
			}
			steps, values, err := t.Series(trial.Query{Tensor: name, Mode: mode})
			if errors.Is(err, fs.ErrNotExist) || (err == nil && len(steps) == 0) {
				continue // announced, but without a value in this mode
			}
			if err != nil {
				return nil, fmt.Errorf("read series %q: %w", name, err)
			}
			steps, values = thin(clock.global(mode, steps), values, maxCurvePoints)
			label := name
			if mode != record.Global {
				label += " (" + mode.String() + ")"
			}
			cv := curve{Name: label, Steps: steps, Values: make([]precise, len(values))}
			for i, v := range values {
				cv.Values[i] = precise(v)
			}
			curves = append(curves, cv)
		}
	}
	return curves, nil
}

// ofBoosting tells the many numbers of a boosting that are no course of a
// training: settings, and shares of features.
func ofBoosting(info record.TensorInfo) bool {
	return slices.ContainsFunc(info.Collections, func(c string) bool {
		return c == plan.Hyperparameters || c == plan.FeatureImportance || c == plan.AverageShap
	})
}

// judge says in one line how the run went.
func judge(run record.Run, findings []record.Finding) verdict {
	count := map[record.Severity]int{}
	for _, f := range findings {
		if !f.Muted {
			count[f.Severity]++
		}
	}
	plural := func(n int, what string) string {
		if n == 1 {
			return fmt.Sprintf("1 %s", what)
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	var parts []string
	class := "ok"
	for _, s := range []record.Severity{record.Info, record.Warning, record.Error} {
		if n := count[s]; n > 0 {
			class = string(s)
			parts = append([]string{plural(n, string(s))}, parts...)
		}
	}
	text := "Nothing to report: no rule found anything wrong"
	if len(parts) > 0 {
		text = "Found " + strings.Join(parts, ", ")
	}
	switch run.Status {
	case record.Running:
		text += "; the run is still going on"
	case record.Stopped:
		text += "; the run was stopped"
		if run.StoppedBy != "" {
			text += " by " + run.StoppedBy
		}
	case record.Failed:
		text += "; the training failed"
		if run.ExitCode != nil {
			text += fmt.Sprintf(" with exit code %d", *run.ExitCode)
		}
	case record.Ended:
		text += "; the training ended, its exit code is not known"
	case record.Lost:
		text += "; the processes of the run vanished"
	}
	return verdict{class, text + "."}
}

func cards(run record.Run) []card {
	list := []card{{"status", run.Status}}
	if run.Framework.Name != "" {
		list = append(list, card{"framework", run.Framework.Name + " " + run.Framework.Version})
	}
	list = append(list, card{"host", run.Host}, card{"started", run.Started.UTC().Format("2006-01-02 15:04:05") + " UTC"})
	if run.Ended != nil {
		list = append(list, card{"duration", run.Ended.Sub(run.Started).Round(100 * time.Millisecond).String()})
	}
	for _, mode := range []record.Mode{record.Train, record.Eval, record.Predict, record.Global} {
		if n := run.Steps[mode.String()]; n > 0 {
			list = append(list, card{mode.String() + " steps", fmt.Sprint(n)})
		}
	}
	switch o := run.Overhead; {
	case o.StepSeconds >= 2:
		list = append(list, card{"overhead of capture", fmt.Sprintf("%.2f %%", o.Percent)})
	case o.StepSeconds > 0: // too little training for a share of it to say anything
		list = append(list, card{"time that capture took", fmt.Sprintf("%.1f ms", o.CapturedSeconds*1e3)})
	}
	for _, r := range run.Resumptions {
		list = append(list, card{"resumed", r.Time.UTC().Format("2006-01-02 15:04:05") + " UTC " + r.Text()})
	}
	if n := len(run.Workers); n > 1 {
		list = append(list, card{"workers", fmt.Sprint(n)})
	}
	return list
}

func captured(run record.Run, infos []record.TensorInfo) string {
	count := map[record.Kind]int{}
	for _, info := range infos {
		count[info.Kind]++
	}
	var parts []string
	for _, k := range []struct {
		kind record.Kind
		name string
	}{{record.Loss, "losses"}, {record.Weight, "weights"}, {record.Bias, "biases"}, {record.Gradient, "gradients"},
		{record.Input, "module inputs"}, {record.Output, "module outputs"}, {record.Label, "labels of losses"}, {record.Prediction, "predictions given to losses"},
		{record.State, "tensors that optimisers keep"}, {record.Metric, "logged numbers"}, {record.Custom, "saved tensors"}} {
		if n := count[k.kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k.name))
		}
	}
	text := "Nothing was captured."
	if len(parts) > 0 {
		text = "Series of " + strings.Join(parts, ", ") + "."
	}
	var dropped int64
	for _, n := range run.Dropped {
		dropped += n
	}
	if dropped > 0 {
		text += fmt.Sprintf(" %d values were dropped because there was no room for them.", dropped)
	}
	return text
}

func marks(findings []record.Finding) []mark {
	out := []mark{}
	for _, f := range findings {
		if !f.Muted && len(out) < maxMarks {
			out = append(out, mark{f.Step, f.Rule, f.Severity, f.Subject})
		}
	}
	return out
}
