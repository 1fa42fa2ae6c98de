package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// Write writes the report of a run to w. now is the time the report names.
func Write(w io.Writer, t source.Run, now time.Time) error {
	c, err := collect(t, now)
	if err != nil {
		return err
	}
	return render(w, c)
}

// WriteFile writes the report to a file, which is replaced only when the new
// one is whole.
func WriteFile(path string, t source.Run, now time.Time) error {
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

// maxDiff keeps the page below its size.
const maxDiff = 200 << 10

// shortened is a diff as the page shows it.
func shortened(diff []byte) string {
	if len(diff) <= maxDiff {
		return string(diff)
	}
	return strings.ToValidUTF8(string(diff[:maxDiff]), "") + "\n… the rest is in code.diff of the run"
}

func collect(t source.Run, now time.Time) (*content, error) {
	run := t.Run()
	c := &content{
		Title:       run.Name + " · Vigil",
		Run:         run,
		Command:     strings.Join(run.Command, " "),
		Cards:       view.Properties(run, view.LearningRate(t)),
		Made:        view.Provenance(run),
		Diff:        shortened(t.Diff()),
		Findings:    view.FindingsOf(t),
		Captured:    view.Captured(run, t.Tensors()),
		NotCaptured: record.OfTraining(run.NotCaptured),
		Generated:   now,
		clock:       run.Clock(),
		words:       view.TensorWords(t.Tensors(), "`"),
	}
	standings := view.Standings(c.Findings.Rules, func(record.RuleStatus) string { return "" })
	c.RulesText = view.StandingText(standings)
	for _, s := range standings {
		if s.Stand == view.FoundSomething || s.Stand == view.CouldNot {
			c.Loud = append(c.Loud, s)
		} else {
			c.Quiet = append(c.Quiet, s)
		}
	}
	c.Verdict = view.VerdictOf(run, c.Findings.Judged())
	f, err := record.ParseFacts(run.Facts)
	if err == nil && f != nil {
		c.Facts = view.Facts(f)
	}
	c.Network = view.NetworkOf(f, t.Announced())
	c.Layers, _, _ = c.Network.First(view.ShownLayers)
	c.MoreLayers = c.Network.Rest(view.ShownLayers)
	curves, err := view.Curves(t, size)
	if err != nil {
		return nil, err
	}
	maps, spreads, err := view.HeatMaps(t, size)
	if err != nil {
		return nil, err
	}
	c.HasLayers = len(maps) > 0
	if c.Machine, c.MoreHosts, err = view.MachineCurves(t); err != nil {
		return nil, err
	}
	c.NotOfMachine = record.OfMachine(run.NotCaptured)
	c.Data = pageData{losses(curves), []curve{}, heat(maps), histograms(spreads), view.Marks(t, c.Findings.All, size), machines(c.Machine)}
	if rate, ok := view.Rates(f); ok {
		c.HasRates, c.Data.Rates = true, losses([]view.Curve{rate})
	}
	c.Flames = view.Flames(t)
	if c.Time, err = view.SpentOf(t); err != nil {
		return nil, err
	}
	c.Damage = t.Damage() // of all that was read
	return c, nil
}
