package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/server"
	"github.com/vigil-ml/vigil/internal/testenv/timed"
	"github.com/vigil-ml/vigil/internal/testenv/written"
)

// What the dashboard says of a run is what the command line says.
func TestDashboardSaysWhatTheCommandLineSays(t *testing.T) {
	root := t.TempDir()
	written.Write(t, root, "run")
	timed.Write(t, root, "timed", timed.Options{Started: timedStart, Seconds: 5})
	api := httptest.NewServer(server.New(server.Options{Root: root, Version: "test"}).Handler())
	defer api.Close()
	get := func(path string) map[string]any {
		t.Helper()
		r, err := http.Get(api.URL + "/api/v1" + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %.300s %v", path, r.Status, b, err)
		}
		return decoded(t, b)
	}
	said := func(args ...string) map[string]any {
		t.Helper()
		out, errs, code := vigilIn(t, root, append(args, "--json")...)
		if code != 0 {
			t.Fatalf("vigil %v: exit code %d, %s", args, code, errs)
		}
		return decoded(t, []byte(out))
	}

	for _, tt := range []struct {
		run, series, tensor string
		flags               []string
	}{
		{"run", "loss", "loss", nil},
		{"run", "loss||EVAL", "loss", []string{"--mode", "EVAL"}},
		{"run", "loss||TRAIN|worker_0", "loss", []string{"--worker", "worker_0"}},
		{"run", "accuracy", "accuracy", nil},
		{"run", "fc.weight", "fc.weight", nil},
		{"run", "fc.weight|l2|TRAIN", "fc.weight", []string{"--stat", "l2"}},
		{"run", "gradient%2Ffc.weight|abs_max", "gradient/fc.weight", []string{"--stat", "abs_max"}},
		{"timed", "time%2Fdata||TRAIN", "time/data", []string{"--mode", "TRAIN"}},
		{"timed", "time%2Fstep||EVAL", "time/step", []string{"--mode", "EVAL"}},
		{"timed", "cpu%2Ftotal", "cpu/total", nil},
		{"timed", "disk%2Fnvme0n1%2Fread_per_s||GLOBAL", "disk/nvme0n1/read_per_s", nil},
	} {
		want := said(append([]string{"values", filepath.Join(root, tt.run), tt.tensor}, tt.flags...)...)
		line := get("/runs/" + tt.run + "/series?columns=4096&s=" + url.QueryEscape(tt.series))["series"].([]any)[0].(map[string]any)
		if line["error"] != "" || line["raw"] != true {
			t.Errorf("%s: raw %v, error %v", tt.series, line["raw"], line["error"])
		}
		for _, of := range [][2]string{{"steps", "x"}, {"values", "mean"}} {
			if want[of[0]] == nil {
				t.Fatalf("%s: vigil values says no %s", tt.series, of[0])
			}
			if diff := cmp.Diff(want[of[0]], line[of[1]]); diff != "" {
				t.Errorf("%s: %s and %s (-vigil values +API):\n%s", tt.series, of[0], of[1], diff)
			}
		}
		if mode := want["mode"]; mode != nil && mode != line["mode"] {
			t.Errorf("%s: mode %v, want %v", tt.series, line["mode"], mode)
		}
	}

	// A finding has all that the command line says, and a name besides.
	want, got := said("findings", filepath.Join(root, "run")), get("/runs/run/findings")
	for _, list := range []string{"findings", "groups", "rules", "damage", "actions"} {
		if diff := cmp.Diff(want[list], within(want[list], got[list])); diff != "" {
			t.Errorf("%s (-vigil findings +API):\n%s", list, diff)
		}
	}
	for path, args := range map[string][]string{"/rules": {"rules", "list"}, "/rules/exploding_tensor": {"rules", "describe", "exploding_tensor"}, "/rules/Overfit": {"rules", "describe", "overfit"}} {
		want, got := said(args...), get(path)
		if diff := cmp.Diff(want, within(want, got)); diff != "" {
			t.Errorf("%s (-vigil %v +API):\n%s", path, args, diff)
		}
	}
}

func decoded(t *testing.T, b []byte) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%v in %.300s", err, b)
	}
	return m
}

// within is what of got has a place in want. Where the command line writes null for
// a list or map that is empty, the API writes it as one.
func within(want, got any) any {
	switch w := want.(type) {
	case nil:
		if list, ok := got.([]any); ok && len(list) == 0 {
			return nil
		}
		if m, ok := got.(map[string]any); ok && len(m) == 0 {
			return nil
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		out := map[string]any{}
		for k, v := range w {
			if there, ok := g[k]; ok {
				out[k] = within(v, there)
			}
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return got
		}
		out := make([]any, len(w))
		for i := range w {
			out[i] = within(w[i], g[i])
		}
		return out
	}
	return got
}
