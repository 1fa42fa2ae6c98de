package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A request says how often the machine is sampled, and whether it is; a flag counts
// before it.
func TestRequestedMonitor(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, request, flag string
		is                  func(samples int) bool
	}{
		{"usual", `{}`, "", func(n int) bool { return n > 0 }},
		{"off", `{"DisableProfiler": true}`, "", func(n int) bool { return n == 0 }},
		{"seldom", `{"ProfilingIntervalInMilliseconds": 60000}`, "", func(n int) bool { return n <= 2 }},
		{"flag", `{"DisableProfiler": true}`, "--monitor=100", func(n int) bool { return n > 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(dir, c.name+".json")
			if err := os.WriteFile(file, []byte(`{"ProfilerConfig": `+c.request+`}`), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", "--name", c.name, "--quiet", "--config", file}
			if c.flag != "" {
				args = append(args, c.flag)
			}
			cmd := exec.Command(vigil(t), append(args, "--", vigil(t), "demo-train", "--fault", "none", "--seconds", "2")...)
			cmd.Dir, cmd.Env = dir, cleanEnv(t)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			values := exec.Command(vigil(t), "values", c.name, "memory/used_bytes", "--format", "json")
			values.Dir, values.Env = dir, cleanEnv(t)
			var series struct{ Values []any }
			out, err := values.Output()
			if err == nil {
				err = json.Unmarshal(out, &series)
			}
			if n := len(series.Values); !c.is(n) || n > 0 && err != nil {
				t.Errorf("%d samples of the machine: %v, %.200s", n, err, out)
			}
		})
	}
}
