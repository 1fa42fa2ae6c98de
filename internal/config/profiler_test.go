package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The sampling of the machine that a request asks for is --monitor; a variable
// and a flag count before it.
func TestRequestedMonitoring(t *testing.T) {
	for _, c := range []struct {
		name, profiler string // the value of ProfilerConfig
		env, flag      string
		want           int
		warning        string
	}{
		{"nothing said", `{}`, "", "", 500, ""},
		{"null", `null`, "", "", 500, ""},
		{"the interval", `{"ProfilingIntervalInMilliseconds": 100}`, "", "", 100, ""},
		{"as text", `{"ProfilingIntervalInMilliseconds": "60000"}`, "", "", 60000, ""},
		{"an interval of null", `{"ProfilingIntervalInMilliseconds": null, "DisableProfiler": null}`, "", "", 500, ""},
		{"off", `{"DisableProfiler": true}`, "", "", 0, ""},
		{"off, as text", `{"DisableProfiler": "True"}`, "", "", 0, ""},
		{"off, before an interval", `{"DisableProfiler": true, "ProfilingIntervalInMilliseconds": 1000}`, "", "", 0, ""},
		{"off, after an interval", `{"ProfilingIntervalInMilliseconds": 1000, "DisableProfiler": true}`, "", "", 0, ""},
		{"not off", `{"DisableProfiler": false, "ProfilingIntervalInMilliseconds": 5000}`, "", "", 5000, ""},
		{"the variable", `{"ProfilingIntervalInMilliseconds": 100}`, "200", "", 200, ""},
		{"the flag", `{"ProfilingIntervalInMilliseconds": 100}`, "200", "1000", 1000, ""},
		{"the flag, off", `{"ProfilingIntervalInMilliseconds": 100}`, "", "off", 0, ""},
		{"the variable, on", `{"DisableProfiler": true}`, "100", "", 100, ""},
		{"more than that", `{"S3OutputPath": "s3://a/b", "ProfilingIntervalInMilliseconds": 200, "ProfilingParameters": {"DetailedProfilingConfig": "{}"}}`, "", "", 200,
			"r.json:1:2: S3OutputPath, ProfilingParameters of ProfilerConfig: stored with the run, without effect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "r.json"), []byte(`{"ProfilerConfig": `+c.profiler+`}`), 0o600); err != nil {
				t.Fatal(err)
			}
			flags := Flags{Config: ptr("r.json")}
			if c.flag != "" {
				flags.Monitor = &c.flag
			}
			run, err := Resolve(flags, []string{"VIGIL_MONITOR=" + c.env}, dir, catalogue)
			if err != nil {
				t.Fatal(err)
			}
			if run.Monitor != c.want {
				t.Errorf("the interval is %d, want %d", run.Monitor, c.want)
			}
			if got := strings.Join(run.Warnings, "\n"); got != c.warning {
				t.Errorf("warnings %q, want %q", got, c.warning)
			}
			if c.profiler != "{}" && c.profiler != "null" && !strings.Contains(string(run.Profiler), `"ProfilerConfig":{"`) {
				t.Errorf("kept with the run: %s", run.Profiler)
			}
		})
	}
}

// Every interval that can be set can be requested, and no other.
func TestRequestedMonitoringErrors(t *testing.T) {
	const known = " is none of 100, 200, 500, 1000, 5000, 60000 milliseconds, or off"
	for _, c := range []struct{ name, profiler, message, hint string }{
		{"an interval between", `{"ProfilingIntervalInMilliseconds": 250}`, `c.json:1:56: ProfilingIntervalInMilliseconds: "250"` + known, ""},
		{"a wrong interval, switched off", `{"DisableProfiler": true, "ProfilingIntervalInMilliseconds": "1s"}`, `ProfilingIntervalInMilliseconds: "1s"` + known, ""},
		{"0", `{"ProfilingIntervalInMilliseconds": 0}`, `"0"` + known, ""},
		{"neither on nor off", `{"DisableProfiler": "maybe"}`, `DisableProfiler: "maybe" is neither true nor false`, ""},
		{"a list", `[500]`, "ProfilerConfig must be key: value pairs, not a list", ""},
		{"a list of intervals", `{"ProfilingIntervalInMilliseconds": [100]}`, "ProfilingIntervalInMilliseconds must be a single value, not a list", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := resolveDocument(t, `{"ProfilerConfig": `+c.profiler+`}`, Flags{})
			refused(t, err, c.message, c.hint)
		})
	}
}

// Profiling rules are kept with the run, and a word says that they are not rules here.
func TestRequestedProfilerRules(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:   "",
		`null`: "",
		`[{"RuleConfigurationName": "P", "RuleParameters": {"rule_to_invoke": "ProfilerReport"}}]`: "c.json:1:2: ProfilerRuleConfigurations: stored with the run, without effect: " +
			"profiling rules of SageMaker Debugger are not among the rules here",
	} {
		run, err := resolveDocument(t, `{"ProfilerRuleConfigurations": `+text+`}`, Flags{})
		if err != nil || strings.Join(run.Warnings, "\n") != want || want != "" && !strings.Contains(string(run.Profiler), "ProfilerReport") {
			t.Errorf("%s: %q, %s, %v", text, run.Warnings, run.Profiler, err)
		}
	}
}
