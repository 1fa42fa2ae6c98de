package cli

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/vigil-ml/vigil/internal/action"
	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// TestExample starts the actions of the documented configuration file, as the
// agent does.
func TestExample(t *testing.T) {
	file := filepath.Join(testenv.Root(), "docs", "vigil.example.yaml")
	run, err := config.Resolve(config.Flags{Config: &file}, nil, t.TempDir(), agent.Known())
	if err != nil {
		t.Fatal(err)
	}
	var stops []record.Finding
	o := action.Options{Configurations: map[string]string{}, StopOn: run.StopOn.String(), Stop: func(f record.Finding) { stops = append(stops, f) }, Record: func(any) error { return nil }}
	for _, rc := range run.Rule {
		o.Configurations[rc.Configuration] = rc.Rule
	}
	for _, a := range run.Actions {
		if len(a.Command) > 0 {
			o.Commands = append(o.Commands, action.Command{Argv: []string{"true"}, On: a.On.String(), Timeout: a.Timeout})
		}
	}
	if len(o.Commands) == 0 {
		t.Fatal("the example has no action")
	}
	r, err := action.NewRunner(o)
	if err != nil {
		t.Fatal(err)
	}
	r.Fire(record.Finding{Rule: "not_finite", Configuration: "not_finite", Severity: record.Error, Context: map[string]any{}})
	if err := r.Close(context.Background()); err != nil || len(stops) != 1 {
		t.Errorf("stops %v, error %v", stops, err)
	}
}
