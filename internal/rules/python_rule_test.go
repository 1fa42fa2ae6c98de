package rules_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/rules/pyrule"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// pythonJob judges by a class Mine in a file of the given text.
func pythonJob(t *testing.T, text string, kv ...string) *job {
	t.Helper()
	source := filepath.Join(t.TempDir(), "my_rules.py")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return newJobWith(t, inPython(t), config("mine", append([]string{"source", source}, kv...)...))
}

// inPython gives an engine the interpreter of the tests, and time.
func inPython(t *testing.T) func(*rules.Options) {
	return func(o *rules.Options) {
		o.Python = &pyrule.Host{Python: testenv.Python(t), Lib: filepath.Join(testenv.Root(), "python"), Run: "a run", Path: "/nowhere/a run"}
		o.Patient = true
	}
}

// rule is the text of a class whose invoke_at_step has the given lines.
func ruleText(lines ...string) string {
	return "from vigil.rules import Rule, modes\n\nclass Mine(Rule):\n    def invoke_at_step(self, step):\n        " + strings.Join(lines, "\n        ") + "\n"
}

const fires = `return self.base_trial.tensor("loss").value(step) > 2`

// What a class reads and finds, by the steps at which it makes a finding.
func TestPythonRules(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kv         []string
		in         []input
		want       []int64
	}{
		{"a scalar", ruleText(fires), nil, lossAt(1, 3, 3, 1, 3), []int64{1, 2, 4}},
		{"of an earlier step", ruleText(`t = self.base_trial.tensor("loss")`, `steps = t.prev_steps(step, 2)`, `return len(steps) == 2 and t.value(step) > 2 * t.value(steps[0])`),
			nil, lossAt(1, 3, 4, 9), []int64{1, 3}},
		{"parameters have the type of their default", `
from vigil.rules import Rule

class Mine(Rule):
    def __init__(self, base_trial, limit=10.0, flag=False, name="x", count=2, other_trials=None):
        super().__init__(base_trial, other_trials)
        assert (limit, flag, name, count) == (2.0, True, "7", 3), (limit, flag, name, count)
        self.limit = limit

    def invoke_at_step(self, step):
        return self.base_trial.tensor("loss").value(step) > self.limit
`, []string{"limit", "2", "flag", "true", "name", "7", "count", "3"}, lossAt(1, 3), []int64{1}},
		{"settings that it has a parameter for", `
from vigil.rules import Rule

class Mine(Rule):
    def __init__(self, base_trial, tensor_regex=(), collection_names=None, start_step=0):
        super().__init__(base_trial)
        assert (tensor_regex, collection_names, start_step) == (("lo", "x{2,3}"), "losses", 1), (tensor_regex, collection_names, start_step)

    def invoke_at_step(self, step):
        return True
`, []string{"tensor_regex", `["lo","x{2,3}"]`, "collection_names", "losses", "start_step", "1"}, lossAt(1, 1), []int64{1}},
		{"what it requires has to be there", `
from vigil.rules import Rule

class Mine(Rule):
    def set_required_tensors(self, step):
        self.req_tensors.add("acc", steps=[step])

    def invoke_at_step(self, step):
        assert [t.name for t in self.req_tensors.get()] == ["acc"]
        return True
`, nil, []input{lossAt(1)[0], {step: 1, scalars: map[string]float64{"acc": 1}}, {step: 2, scalars: map[string]float64{"loss": 1}}}, []int64{1}},
		{"statistics", ruleText(`t = self.base_trial.tensor("a.weight")`, `return t.reduction_value(step, "max", abs=True) > 2 and t.reduction_value(step, "zeros") == 1`),
			[]string{"tensor_regex", "weight"}, vectors([2]float64{1, 1}, [2]float64{-3, 1}), []int64{1}},
		{"median and product", ruleText(`t = self.base_trial.tensor("a.weight")`, `assert t.reduction_value(step, "prod") == t.reduction_value(step, "prod_sign") == 0`, `return t.reduction_value(step, "median") == -1.5`),
			[]string{"tensor_regex", "weight", "computed", "median,prod"}, vectors([2]float64{1, 1}, [2]float64{-3, 1}), []int64{1}},
		{"values", ruleText(`import numpy as np`, `x = self.base_trial.tensor("a.weight").value(step)`, `assert isinstance(x, np.ndarray) and x.shape == (2,) and x.dtype == np.float64`, `return bool((x == 5).any())`),
			[]string{"raw", "^a"}, vectors([2]float64{1, 1}, [2]float64{5, 1}), []int64{1}},
		{"values of all that it reads", ruleText(`return self.base_trial.tensor("b.weight").value(step)[0] == 7`),
			[]string{"tensor_regex", "weight", "raw", "true"}, vectors([2]float64{1, 7}), []int64{0}},
		{"modes", ruleText(`trial = self.base_trial`, `return trial.mode(step) == modes.EVAL and trial.tensor("loss").value(trial.mode_step(step), mode=modes.EVAL) > trial.tensor("loss").value(0, modes.TRAIN)`),
			nil, []input{lossAt(1)[0], inMode(record.Eval, 1, "loss", 1), inMode(record.Eval, 2, "loss", 2)}, []int64{2}},
		{"only from a step on, up to another", ruleText("return True"), []string{"start_step", "1", "end_step", "3"}, lossAt(1, 1, 1, 1), []int64{1, 2}},
		{"no more after the first", ruleText("return True"), []string{"on_fire", "stop"}, lossAt(1, 1, 1), []int64{0}},
		{"the class says that it is over", ruleText(`from vigil.exceptions import RuleEvaluationConditionMet`, `raise RuleEvaluationConditionMet("Mine", step, end_of_rule=True)`), nil, lossAt(1, 1, 1), []int64{0}},
		{"a last word", ruleText(`return False`) + "\n    def finish(self):\n        self.finding('it is over')\n", nil, lossAt(1, 1), []int64{1}},
		{"libraries that are mapped take no memory", "import torch\n" + ruleText("return bool(torch.tensor(step) == 1)"), []string{"max_memory", "1GB"}, lossAt(1, 1), []int64{1}},
		{"smdebug's own style", `
from vigil.rules import Rule

class Mine(Rule):
    def __init__(self, base_trial, threshold="10.0"):
        super().__init__(base_trial, other_trials=None)
        self.threshold = float(threshold)

    def set_required_tensors(self, step):
        for tname in self.base_trial.tensor_names(collection="losses"):
            self.req_tensors.add(tname, steps=[step])

    def invoke_at_step(self, step):
        for tensor in self.req_tensors.get():
            if abs(tensor.reduction_value(step, "mean")) > self.threshold:
                self.logger.info("large")
                return True
        return False
`, []string{"threshold", "2"}, lossAt(1, 3, 1), []int64{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := pythonJob(t, c.text, c.kv...)
			j.feed(c.in...)
			j.engine.Finish(record.Completed)
			if s := j.status(); s.Status == rules.StatusError || !slices.Equal(j.fired(), c.want) {
				t.Errorf("fired at %v, want %v; %s %s", j.fired(), c.want, s.Status, s.Details)
			}
		})
	}
}

// A finding carries the evidence that the class gives, and what it leaves out
// is taken from the configuration.
func TestPythonFindings(t *testing.T) {
	j := pythonJob(t, ruleText(
		`if step == 1:`,
		`    self.finding("too much", subject="loss", observed=float("inf"), threshold=2, comparator=">", check="size", severity="error", context={"list": [1, float("nan")]})`,
		`    self.finding("and more", cause_class="data-scaling", remedy="less")`,
		`    self.note("seen")`,
		`if step == 2:`,
		`    self.base_trial.tensor("loss").value(step)`,
		`    self.report["Details"] = {"a": 1}`,
		`    return True`,
	), "severity", "info", "cause_class", "labels", "cause", "a bad batch")
	j.feed(lossAt(1, 3, 4)...)
	j.engine.Finish(record.Completed)
	if len(j.found) != 3 {
		t.Fatalf("found %+v; %+v", j.found, j.status())
	}
	a, b, c := j.found[0], j.found[1], j.found[2]
	if a.Message != "too much" || a.Subject != "loss" || asJSON(t, a.Observed) != `"Inf"` || a.Threshold != 2 || a.Comparator != ">" || a.Check != "size" || a.Severity != record.Error ||
		asJSON(t, a.Context) != `{"list":[1,"NaN"]}` || a.Cause != "a bad batch" || a.Rule != "mine" || a.RuleClass != "Mine" || a.Step != 1 || !a.Time.Equal(epoch.Add(1e9)) {
		t.Errorf("first: %+v", a)
	}
	if b.CauseClass != "data-scaling" || b.Remedy != "less" || b.Severity != record.Info {
		t.Errorf("second: %+v", b)
	}
	if c.Message != "The class Mine fired on loss at TRAIN step 2." || c.Subject != "loss" || c.CauseClass != "labels" || asJSON(t, c.Context) != `{"details":{"a":1}}` {
		t.Errorf("third: %+v", c)
	}
	if s := j.status(); s.Status != rules.IssuesFound || s.RuleTriggered != 2 || s.Violations != 3 || s.Datapoints != 1 || !strings.Contains(s.Details, "seen") {
		t.Errorf("status %+v", s)
	}
}

// Whatever a class does wrong is its own status Error, with a text that says
// what and where; a rule next to it judges on.
func TestBadPythonRules(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kv         []string
		details    []string
	}{
		{"raises", ruleText(`x = step - 1`, `return 1 / x`), nil, []string{"at step 1: my_rules.py:6, in invoke_at_step: ZeroDivisionError", "(return 1 / x)"}},
		{"raises below", ruleText(`import numpy`, `return numpy.linalg.inv(numpy.zeros((2, 3)))`), nil, []string{"my_rules.py:6, in invoke_at_step: LinAlgError"}},
		{"has a syntax error", "from vigil.rules import Rule\nclass Mine(Rule:\n    pass\n", nil, []string{"my_rules.py:2: SyntaxError:", "class Mine(Rule:"}},
		{"has no such class", ruleText("return True"), []string{"class", "Min"}, []string{"my_rules.py has no class Min; did you mean Mine? (it has Mine)"}},
		{"has no class", "x = 1\n", nil, []string{"has no class Mine (it has no class at all)"}},
		{"is no rule", "class Mine: pass\n", nil, []string{"Mine of my_rules.py is not a rule", "invoke_at_step"}},
		{"is not derived", "class Mine:\n    def __init__(self, base_trial): pass\n    def invoke_at_step(self, step): return True\n", nil, []string{"Mine is not derived from vigil.rules.Rule"}},
		{"does not call super", ruleText("return True") + "    def __init__(self, base_trial): pass\n", nil, []string{"must call super().__init__(base_trial)"}},
		{"imports what is missing", "import no_such_module\n", nil, []string{"my_rules.py:1: ModuleNotFoundError: No module named 'no_such_module' (import no_such_module); the rule is run by ", "install it there"}},
		{"imports smdebug", "from smdebug.rules.rule import Rule\n", nil, []string{"ModuleNotFoundError", "from vigil.rules import Rule"}},
		{"raises when it is loaded", "raise ValueError('no')\n", nil, []string{"my_rules.py:1: ValueError: no"}},
		{"has no such parameter", ruleText("return True") + "    def __init__(self, base_trial, limit=1): super().__init__(base_trial)\n", []string{"limt", "3"}, []string{"Mine has no parameter limt; did you mean limit? (it takes limit)"}},
		{"gets a text for a number", ruleText("return True") + "    def __init__(self, base_trial, limit=1.0): super().__init__(base_trial)\n", []string{"limit", "much"}, []string{"parameter limit of Mine is a number, not 'much'"}},
		{"lacks a parameter", ruleText("return True") + "    def __init__(self, base_trial, limit): super().__init__(base_trial)\n", nil, []string{"Mine needs the parameter limit"}},
		{"ends its process", ruleText("import os", "os._exit(7)"), nil, []string{"at step 0: its process ended with exit code 7"}},
		{"exits", ruleText("import sys", "sys.exit(3)"), nil, []string{"SystemExit: 3", "must not end its process"}},
		{"crashes", ruleText("import ctypes", "ctypes.string_at(0)"), nil, []string{"at step 0: its process was ended by the signal segmentation fault"}},
		{"is killed", ruleText("import os, signal", "os.kill(os.getpid(), signal.SIGKILL)"), nil, []string{"signal killed"}},
		{"hangs", ruleText("import time", "while True:", "    time.sleep(3600)"), []string{"max_seconds", "2"}, []string{"at step 0: it did not judge the step within 2s (max_seconds); it was in my_rules.py:7, in invoke_at_step"}},
		{"hangs in C", ruleText("import ctypes", "ctypes.PyDLL(None).pause()"), []string{"max_seconds", "2"}, []string{"it did not judge the step within 2s"}},
		{"hangs and will not die", ruleText("import signal", "signal.signal(signal.SIGTERM, signal.SIG_IGN)", "while True: pass"), []string{"max_seconds", "2"}, []string{"it did not judge the step within 2s (max_seconds); it was in my_rules.py:7"}},
		{"takes too much memory", ruleText("self.held = bytearray(1 << 31)"), []string{"max_memory", "300MB"}, []string{"at step 0: my_rules.py:5, in invoke_at_step: it needs more than its limit of 300MB of memory (max_memory)"}},
		{"takes it bit by bit", ruleText("self.held = []", "while True: self.held.append(bytearray(1 << 20))"), []string{"max_memory", "300MB"}, []string{"it needs more than its limit of 300MB of memory"}},
		{"prints without end", ruleText("while True: print('x' * 1000)"), nil, []string{"at step 0: it printed more than 1024 KB without a line end"}},
		{"finds without end", ruleText("while True: self.finding('x')"), nil, []string{"my_rules.py:5, in invoke_at_step: InvalidValue: record finding: there are 1000 at this step already"}},
		{"has a finding that is none", ruleText("self.finding('x', severity='bad')"), nil, []string{"my_rules.py:5", "unknown severity 'bad'; known are error, warning, info"}},
		{"has a finding about no number", ruleText("self.finding('x', observed='much')"), nil, []string{"observed is a number, not 'much'"}},
		{"writes what is no finding", ruleText("import os, struct", "os.write(4, struct.pack('<I', 5) + b'D{}}}')"), nil, []string{"it sent an invalid finding"}},
		{"writes a finding by itself", ruleText("from vigil import _frames", "_frames.write(4, b'D', {'step': step, 'findings': [{'severity': 'bad'}]})"), nil, []string{`it has a finding of severity "bad"`}},
		{"speaks of another step", ruleText("from vigil import _frames", "_frames.write(4, b'D', {'step': 99})"), nil, []string{"it reported on step 99"}},
		{"writes rubbish", ruleText("import os", "os.write(4, b'\\xff' * 100)"), nil, []string{"read frame"}},
		{"has no interpreter", ruleText("return True"), []string{"python", "/nowhere/python"}, []string{`start the rule: start "/nowhere/python"`}},
		{"could judge nothing", ruleText(`return self.base_trial.tensor("nothing").value(step) > 1`), nil, []string{"it could not judge any of 2 steps: nothing was captured of a tensor 'nothing' so far"}},
		{"reads values that were not stored", ruleText(`return self.base_trial.tensor("a.weight").value(step)[0] > 1`), []string{"tensor_regex", "weight"}, []string{"the values of the tensor 'a.weight' were not stored at GLOBAL step 1, only their statistics", "raw: of the rule"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := pythonJob(t, c.text, c.kv...)
			j.feed(input{step: 0, scalars: map[string]float64{"loss": 1}, tensors: map[string]values{"a.weight": vec(1, 2)}},
				input{step: 1, scalars: map[string]float64{"loss": 1}, tensors: map[string]values{"a.weight": vec(1, 2)}})
			j.engine.Finish(record.Completed)
			s := j.status()
			for _, want := range c.details {
				if !strings.Contains(s.Details, want) {
					t.Errorf("details %q lack %q", s.Details, want)
				}
			}
			if s.Status != rules.StatusError {
				t.Errorf("status %s", s.Status)
			}
		})
	}
}

// remembers fires when the loss is above the mean of all before it.
const remembers = `
from vigil.rules import Rule

class Mine(Rule):
    def __init__(self, base_trial):
        super().__init__(base_trial)
        self.seen = []

    def invoke_at_step(self, step):
        x = float(self.base_trial.tensor("loss").value(step))
        fired = bool(self.seen) and x > sum(self.seen) / len(self.seen)
        self.seen.append(x)
        if fired:
            self.finding("above the mean of %d" % (len(self.seen) - 1), observed=x)
`

func steps(n int) []*record.Complete {
	var out []*record.Complete
	for i := range int64(n) {
		p := &record.Step{Worker: "worker_0", Step: i, ModeStep: i, Time: epoch.Add(1e9), Scalars: []record.Scalar{{Name: "loss", Value: float64(i * i % 7)}}}
		out = append(out, rules.NewComplete([]*record.Step{p}))
	}
	return out
}

// pythonEngine judges by the class Mine of a file, besides a rule of ours.
func pythonEngine(t *testing.T, source string, o rules.Options) (*rules.Engine, *[]record.Finding) {
	t.Helper()
	inPython(t)(&o)
	o.Patient = false
	o.Configs = []rules.Config{config("mine", "source", source), config("ours", "expression", `series("loss").last() > 3`)}
	var found []record.Finding
	o.OnFinding = func(f record.Finding) { found = append(found, f) }
	e, err := rules.NewEngine(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, &found
}

// catchUp gives the rules that are behind what they miss, as the agent does.
func catchUp(e *rules.Engine, list []*record.Complete) {
	for {
		from, behind := e.Behind()
		if !behind {
			return
		}
		for _, c := range list {
			if c.Step > from.Step {
				e.CatchUp(c)
			}
		}
	}
}

// A rule whose evaluator is restarted, once or more, and one that is too slow
// to be given every step at once, find what they find otherwise; and what is on
// record is not told again.
func TestPythonRulesCatchUp(t *testing.T) {
	t.Parallel()
	source := filepath.Join(t.TempDir(), "my_rules.py")
	if err := os.WriteFile(source, []byte(remembers), 0o644); err != nil {
		t.Fatal(err)
	}
	const n = 700 // more than may wait
	all := steps(n)
	e, found := pythonEngine(t, source, rules.Options{})
	fellBehind := false
	for _, c := range all {
		e.Observe(c)
		_, behind := e.Behind()
		fellBehind = fellBehind || behind
	}
	if !fellBehind {
		t.Error("a rule that has not started yet was given all steps")
	}
	catchUp(e, all)
	e.Finish(record.Completed)
	want, wantStatuses := *found, e.Statuses()
	if len(want) < 100 || wantStatuses[0].Status != rules.IssuesFound {
		t.Fatalf("found %d; %+v", len(want), wantStatuses)
	}

	var stored []record.Finding
	var state []byte
	at := 0
	for _, until := range []int{300, 301, n} {
		e, found := pythonEngine(t, source, rules.Options{Stored: stored})
		if state != nil {
			if err := e.Restore(state); err != nil {
				t.Fatal(err)
			}
			if _, behind := e.Behind(); !behind {
				t.Error("a rule whose process is new is not behind")
			}
		}
		for i, c := range all[at:until] {
			e.Observe(c)
			if i == 10 {
				catchUp(e, all[:at+i+1])
			}
		}
		catchUp(e, all[:until])
		if until == n {
			e.Finish(record.Completed)
			equal(t, "statuses", e.Statuses(), wantStatuses)
			equal(t, "all findings", e.Findings(), sortedFindings(want))
		} else {
			e.Tick(epoch)
			var err error
			if state, err = e.Save(); err != nil {
				t.Fatal(err)
			}
			e.Close()
		}
		stored = append(stored, *found...)
		at = until
	}
	equal(t, "findings that were told", sortedFindings(stored), sortedFindings(want))
}

func sortedFindings(list []record.Finding) []record.Finding {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b record.Finding) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), strings.Compare(a.Rule, b.Rule))
	})
	return out
}

// What a class did wrong is not tried again after a restart, nor what has come
// to its end.
func TestPythonRuleThatEndedStaysSo(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"error": ruleText("return 1 / 0"), "over": ruleText("raise __import__('vigil.exceptions').exceptions.RuleEvaluationConditionMet('', step, True)")} {
		source := filepath.Join(t.TempDir(), "my_rules.py")
		if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		e, _ := pythonEngine(t, source, rules.Options{})
		all := steps(3)
		e.Observe(all[0])
		for s := e.Statuses()[0]; s.Status == rules.InProgress; s = e.Statuses()[0] {
			e.Tick(epoch)
			time.Sleep(10 * time.Millisecond)
		}
		state, err := e.Save()
		if err != nil {
			t.Fatal(err)
		}
		before := e.Statuses()
		again, found := pythonEngine(t, source, rules.Options{Stored: e.Findings()})
		if err := again.Restore(state); err != nil {
			t.Fatal(err)
		}
		if _, behind := again.Behind(); behind {
			t.Errorf("%s: a rule that has ended is behind", name)
		}
		again.Observe(all[1])
		equal(t, name, again.Statuses()[0], before[0])
		if len(*found) != 0 {
			t.Errorf("%s: found %+v again", name, *found)
		}
	}
}

// Without what Python needs the rule says so.
func TestPythonRulesNeedAHost(t *testing.T) {
	source := filepath.Join(t.TempDir(), "my_rules.py")
	if err := os.WriteFile(source, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	j := newJob(t, config("mine", "source", source))
	if s := j.status(); s.Status != rules.StatusError || !strings.Contains(s.Details, "cannot be run here") {
		t.Errorf("%+v", s)
	}
}

// Mistakes in a configuration are told before anything starts.
func TestPythonConfigurations(t *testing.T) {
	source := filepath.Join(t.TempDir(), "my_rules.py")
	if err := os.WriteFile(source, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		kv   []string
		want string
	}{
		{"Mine", nil, "cannot be the name of a rule"},
		{"dead_relu", nil, "already exists"},
		{"mine", []string{"source", "/nowhere/rules.py"}, "no such file"},
		{"mine", []string{"source", "/tmp"}, "is a directory"},
		{"mine", []string{"class", "a b"}, `"a b" cannot be the name of a class`},
		{"mine", []string{"max_seconds", "0"}, "max_seconds"},
		{"mine", []string{"max_memory", "much"}, `"much" is not a size; write for example 2GB`},
		{"mine", []string{"max_memory", "10"}, "less than 1MB"},
		{"mine", []string{"severity", "bad"}, "severity"},
		{"mine", []string{"tensor_regex", "("}, "tensor_regex"},
		{"mine", []string{"raw", "("}, "raw"},
		{"mine", []string{"raw", "true"}, "what the rule reads is not given"},
		{"mine", []string{"a-b", "1"}, `"a-b" cannot be the name of a parameter`},
		{"mine", []string{"expression", "true"}, "one of the two"},
	} {
		kv := c.kv
		if !slices.Contains(kv, "source") {
			kv = append([]string{"source", source}, kv...)
		}
		if err := rules.Check(config(c.name, kv...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.kv, err, c.want)
		}
	}
	if err := rules.Check(config("mine", "source", source, "limit", "3")); err != nil {
		t.Errorf("a parameter of the class: %v", err)
	}
}
