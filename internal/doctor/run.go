package doctor

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Run says why a run holds what it holds: the reasons for nothing first.
func Run(r record.Run) []Check {
	checks := []Check{status(r)}
	steps := int64(0)
	for _, n := range r.Steps {
		steps += n
	}
	switch {
	case len(r.Workers) == 0:
		checks = append(checks, unseen(r))
	case steps == 0:
		checks = append(checks, unstepped(r))
	default:
		checks = append(checks, ok("capture", "%s of %s", record.StepsText(r.Steps), workers(len(r.Workers))))
	}
	if said := r.Training(); said != "" {
		checks = append(checks, ok("training", "%s", said))
	}
	if looksOff(r.Facts) {
		checks = append(checks, ok("look", "facts of the training are not read (--no-look): only rules on curves run"))
	}
	for _, reason := range sortedReasons(r.Dropped) {
		checks = append(checks, warn("dropped", "use a longer interval (--every) or fewer tensors", "%d values: %s", r.Dropped[reason], reason))
	}
	for _, m := range record.OfTraining(r.NotCaptured) {
		if len(r.Workers) == 0 && lacks(r) {
			break // said above
		}
		text := fmt.Sprintf("%s: %s", m.Name, m.Reason)
		if m.Count > 1 {
			text += fmt.Sprintf(" (%d times)", m.Count)
		}
		checks = append(checks, warn("not captured", "", "%s", text))
	}
	return checks
}

// looksOff reports whether the hook was not to read facts of the training.
func looksOff(facts json.RawMessage) bool {
	var f record.Facts
	return json.Unmarshal(facts, &f) == nil && f.Look != nil && !*f.Look
}

func workers(n int) string {
	if n == 1 {
		return "one worker"
	}
	return fmt.Sprintf("%d workers", n)
}

func sortedReasons(m map[string]int64) []string {
	var out []string
	for reason, n := range m {
		if n > 0 {
			out = append(out, reason)
		}
	}
	sort.Strings(out)
	return out
}

func status(r record.Run) Check {
	switch r.Status {
	case record.Running:
		return ok("run", "%q is running", r.Name)
	case record.Ended:
		return warn("run", "its launcher, `vigil run`, was killed before", "%q has ended, its exit code is unknown", r.Name)
	case record.Lost:
		return warn("run", "what was captured before is kept", "%q was cut off: its processes are gone", r.Name)
	case record.Failed:
		hint := "the command's own output says why"
		if r.OutOfMemory {
			hint = "a smaller batch, or more memory for its control group"
		}
		return warn("run", hint, "%q: %s", r.Name, r.Ending())
	}
	return ok("run", "%q is %s", r.Name, r.Ending())
}

// unseen explains a run that no training process came to.
func unseen(r record.Run) Check {
	if flag := isolating(r.Command); flag != "" {
		return fail("capture", "leave out the option, or install vigil-ml there and add two lines to the script: import vigil.torch as vg; hook = vg.Hook()",
			"python %s does not load Vigil, so no process could be captured", flag)
	}
	if os.Getenv("VIGIL") == "0" {
		return fail("capture", "unset VIGIL", "VIGIL=0 switches everything off")
	}
	if r.Status == record.Failed {
		why, hint := "the command failed before a training was seen", "the command's own output says what went wrong"
		if lacks(r) {
			why, hint = record.OfTraining(r.NotCaptured)[0].Reason, "is the right virtual environment active?"
		}
		return fail("capture", hint, "%s", why)
	}
	return fail("capture",
		"`vigil doctor -- "+strings.Join(r.Command, " ")+"` checks the interpreter; processes in a container, on another host or with a separate environment are not seen",
		"no process of this run imported PyTorch (1.13 or later, Python 3.8 or later) or XGBoost and trained a model with it")
}

// lacks tells that the run ended because its Python has not the framework; that
// is then all that is missing in it.
func lacks(r record.Run) bool {
	missing := record.OfTraining(r.NotCaptured)
	return strings.HasPrefix(r.Exception, "ModuleNotFoundError") && len(missing) == 1 && strings.Contains(missing[0].Reason, "is not installed for ")
}

// isolating is the option in a Python command that keeps Vigil out.
func isolating(command []string) string {
	if len(command) == 0 || !isPython(command[0]) {
		return ""
	}
	own := options(command[1:])
	for i := 0; i < len(own); i++ {
		o := own[i]
		if o == "-W" || o == "-X" {
			i++ // its value
			continue
		}
		if strings.HasPrefix(o, "--") || strings.HasPrefix(o, "-W") || strings.HasPrefix(o, "-X") {
			continue
		}
		for _, letter := range []string{"I", "E", "S"} {
			if strings.Contains(o, letter) {
				return "-" + letter
			}
		}
	}
	return ""
}

// unstepped explains a run whose workers never took a step.
func unstepped(r record.Run) Check {
	if r.Status == record.Running {
		return warn("capture", "`vigil tail "+r.Name+"` follows it", "%s connected; no step so far", workers(len(r.Workers)))
	}
	return fail("capture",
		"a step is one optimiser update, or one forward pass in evaluation; for hand-written loops see docs/pytorch.md",
		"%s connected, but no training step was seen: no update by an optimiser, and no evaluation of a model with parameters", workers(len(r.Workers)))
}
