package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/launch"
)

// Interpreter is a Python that a command would use.
type Interpreter struct {
	Path  string   // the program to start
	Flags []string // its options in the command, before the script
	From  string   // how it was found, for a person
}

// FindPython finds the interpreter of a command: the command itself, the one
// in the #! line of a script such as torchrun, or, for an empty command, the
// python of PATH. The error says why there is none.
func FindPython(command []string) (Interpreter, error) {
	if len(command) == 0 {
		for _, name := range []string{"python", "python3"} {
			if path, err := exec.LookPath(name); err == nil {
				return Interpreter{Path: path, From: name + " in PATH"}, nil
			}
		}
		return Interpreter{}, errors.New("there is no python or python3 in PATH")
	}
	path, err := launch.Lookup(command[0])
	if err != nil {
		return Interpreter{}, err
	}
	if isPython(path) {
		return Interpreter{Path: path, Flags: options(command[1:]), From: command[0]}, nil
	}
	if words := shebang(path); len(words) > 0 {
		if filepath.Base(words[0]) == "env" && len(words) > 1 {
			words = words[1:]
		}
		if isPython(words[0]) {
			if found, err := exec.LookPath(words[0]); err == nil {
				return Interpreter{Path: found, Flags: options(words[1:]), From: "the first line of " + path}, nil
			}
		}
	}
	return Interpreter{}, fmt.Errorf("%q is not Python; the Python processes that it starts are captured when they train", command[0])
}

func isPython(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(base, "python") || strings.HasPrefix(base, "pypy")
}

// shebang are the words of a script's #! line.
func shebang(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, 512)
	n, _ := f.Read(b)
	line, _, _ := bytes.Cut(b[:n], []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return nil
	}
	return strings.Fields(string(rest))
}

// options are Python's own options at the start of args, without those that
// say what to run.
func options(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !strings.HasPrefix(a, "-") || a == "-" || a == "-c" || a == "-m" {
			break
		}
		out = append(out, a)
		if (a == "-W" || a == "-X") && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	return out
}

// probe is the program that looks around in the interpreter. It runs on any
// Python.
const probe = `
import sys, json
out = {"version": list(sys.version_info[:3]), "executable": sys.executable,
       "isolated": bool(getattr(sys.flags, "isolated", 0)), "no_site": bool(sys.flags.no_site),
       "ignore_environment": bool(sys.flags.ignore_environment)}
m = sys.modules.get("sitecustomize")
out["sitecustomize"] = getattr(m, "__file__", None)
try:
    import vigil
    out["vigil"] = vigil.__file__
except Exception as e:
    out["vigil_error"] = "%s: %s" % (type(e).__name__, e)
try:
    import importlib.util
    out["torch_there"] = importlib.util.find_spec("torch") is not None
    out["xgboost_there"] = importlib.util.find_spec("xgboost") is not None
    try:
        from importlib.metadata import version
        out["torch"] = version("torch")
    except Exception:
        pass
except Exception:
    pass
print("vigil-doctor " + json.dumps(out))
`

// answer is what the probe says.
type answer struct {
	Version           []int  `json:"version"`
	Executable        string `json:"executable"`
	Isolated          bool   `json:"isolated"`
	NoSite            bool   `json:"no_site"`
	IgnoreEnvironment bool   `json:"ignore_environment"`
	Sitecustomize     string `json:"sitecustomize"`
	Vigil             string `json:"vigil"`
	VigilError        string `json:"vigil_error"`
	TorchThere        bool   `json:"torch_there"`
	XGBoostThere      bool   `json:"xgboost_there"`
	Torch             string `json:"torch"`
}

// probeTime is how long an interpreter may take to start; slow network file
// systems need seconds.
const probeTime = 60 * time.Second

// Python starts the interpreter the way a training would be started, and says
// what of Vigil works in it. boot and lib are the directories in front of
// PYTHONPATH.
func Python(ctx context.Context, p Interpreter, boot, lib string) []Check {
	a, err := ask(ctx, p, boot, lib)
	if err != nil {
		return []Check{fail("python", "can it be started by hand?", "%s (%s): %v", p.Path, p.From, err)}
	}
	version := fmt.Sprintf("%d.%d.%d", a.Version[0], a.Version[1], a.Version[2])
	checks := []Check{ok("python", "%s is Python %s (%s)", p.Path, version, p.From)}
	if a.Version[0] < 3 || a.Version[0] == 3 && a.Version[1] < 8 {
		return []Check{fail("python", "use Python 3.8 or later", "%s is Python %s: too old, 3.8 or later is needed", p.Path, version)}
	}
	return append(checks, start(a, boot), torch(a))
}

func ask(ctx context.Context, p Interpreter, boot, lib string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Path, append(append([]string{}, p.Flags...), "-c", probe)...)
	cmd.Env = launch.PythonEnviron(os.Environ(), boot, lib)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var a answer
	for line := range strings.Lines(stdout.String()) {
		if rest, found := strings.CutPrefix(line, "vigil-doctor "); found {
			if err := json.Unmarshal([]byte(rest), &a); err != nil {
				return a, fmt.Errorf("read its answer: %w", err)
			}
		}
	}
	if len(a.Version) == 3 {
		return a, nil
	}
	if ctx.Err() != nil {
		return a, fmt.Errorf("no response within %v", probeTime)
	}
	if last := lastLine(stderr.String()); last != "" {
		return a, errors.New(last)
	}
	if err == nil {
		err = errors.New("it printed nothing")
	}
	return a, err
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// start says whether Vigil is loaded when the interpreter starts.
func start(a answer, boot string) Check {
	two := "leave out the option, or install vigil-ml there and add two lines to the script: import vigil.torch as vg; hook = vg.Hook()"
	switch {
	case a.Isolated || a.IgnoreEnvironment:
		return fail("start", two, "the interpreter ignores PYTHONPATH (option -I or -E): Vigil is not loaded automatically")
	case a.NoSite:
		return fail("start", two, "the interpreter does not load sitecustomize (option -S): Vigil is not loaded automatically")
	case a.Vigil == "":
		return fail("start", "please report this line", "the package vigil cannot be imported: %s", a.VigilError)
	case a.Sitecustomize == "":
		return fail("start", "is PYTHONPATH changed by a wrapper or by an activation script?", "no sitecustomize was loaded: Vigil does not start automatically")
	case !within(a.Sitecustomize, boot):
		return ok("start", "Vigil is loaded, then your %s", a.Sitecustomize)
	}
	return ok("start", "Vigil is loaded when the interpreter starts")
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && !strings.HasPrefix(rel, "..")
}

func torch(a answer) Check {
	switch {
	case !a.TorchThere && a.XGBoostThere:
		return ok("framework", "XGBoost is installed, PyTorch is not")
	case !a.TorchThere:
		return fail("framework", "is the right virtual environment active?", "neither PyTorch nor XGBoost is installed for %s: nothing will be captured there but what a script logs", a.Executable)
	case a.Torch == "":
		return ok("framework", "PyTorch is installed")
	}
	var major, minor int
	if n, _ := fmt.Sscanf(a.Torch, "%d.%d", &major, &minor); n == 2 && (major < 1 || major == 1 && minor < 13) {
		return fail("framework", "PyTorch 1.13 or later is needed", "PyTorch %s is too old", a.Torch)
	}
	return ok("framework", "PyTorch %s", a.Torch)
}
