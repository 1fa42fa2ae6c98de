package slow

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// waiting is what a thread waits for. What says more of it comes later.
type waiting int

const (
	nothing waiting = iota
	forEvents
	forThread
	forProcess
	forNetwork
)

// stands says what a thread waits for whose innermost call is of a library; nothing
// where that computes, or nobody can know. A sleep and a lock that are called by the
// script have no frame, and look like any other function written in C.
func stands(f rule.Frame) waiting {
	switch path := ofLibrary(f.File); path {
	case "socket.py", "ssl.py", "urllib3/util/connection.py":
		return forNetwork
	case "subprocess.py", "multiprocessing/popen_fork.py", "multiprocessing/synchronize.py":
		return forProcess
	case "multiprocessing/connection.py":
		// Its other functions pickle.
		if slices.Contains([]string{"_recv", "_send", "_poll", "wait"}, lastName(f.Function)) {
			return forProcess
		}
	case "threading.py", "queue.py":
		return forThread
	case "selectors.py":
		return forEvents
	}
	return nothing
}

// outside says what a wait is for by a library that is on the way to it.
func outside(path string) waiting {
	folder, _, _ := strings.Cut(path, "/")
	switch folder {
	case "socket.py", "ssl.py", "http", "urllib", "urllib3", "requests", "httpx", "httpcore", "smtplib.py", "ftplib.py":
		return forNetwork
	case "subprocess.py", "multiprocessing":
		return forProcess
	}
	return nothing
}

// waitsFor says what the script waits for when a stack was taken, in a call of Python's
// library. What PyTorch, the hook or a debugger wait for has other causes, and so has
// what waits without code of the script, as a notebook does between two cells.
func waitsFor(s *rule.StackShare) (what waiting) {
	if len(s.Frames) == 0 {
		return nothing
	}
	if what = stands(s.Frames[0]); what == nothing {
		return nothing
	}
	for _, f := range s.Frames {
		path := ofLibrary(f.File)
		switch {
		case !rule.Library(f.File):
			return what
		case strings.HasPrefix(path, "torch/"), strings.Contains(f.File, "/vigil/_"), path == "bdb.py":
			return nothing
		}
		what = max(what, outside(path))
	}
	return nothing
}

// waits are the words for each, and what causes it.
var waits = map[waiting]struct{ what, cause string }{
	forEvents:  {"an event loop", "the steps wait for what an event loop is to bring"},
	forThread:  {"other threads", "the steps wait for a lock, a queue or another thread"},
	forProcess: {"other processes", "the steps start commands or other processes, and wait for them"},
	forNetwork: {"the network", "the steps wait for answers of a server"},
}

// waited are the parts of a step in which the script may wait. Those for other ranks and
// for checkpoints have causes of their own.
var waited = []rule.StepPart{rule.WaitForData, rule.Forward, rule.Backward, rule.Optimizer, rule.OtherPart}

// blocked: the steps wait for what is outside of the training.
var blocked = check{
	Check: rule.Check{
		ID: "slow_training/blocked", Status: rule.Experimental, Files: []string{"slow/blocked.go", "slow/calls.go"}, Severity: rule.Warning, CauseClass: "external-wait", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The script waits in its steps for the network, a process or a thread, in calls of Python's library, for a large share of the time.",
		Evidence:        "waiting for the network, processes or threads: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the steps wait for a server, a process or a thread",
		Remedy:          "do it once before the training, every so many steps, or in a thread that the steps do not wait for",
	},
	claim: func(c *Case, s *Span) *Claim {
		if !c.Lines.Enough() {
			return nil
		}
		of := map[waiting]float64{}
		seconds, most := c.ofParts(s, waited, func(x *rule.StackShare) float64 {
			what := waitsFor(x)
			if what == nothing {
				return 0
			}
			stood := max(0, x.Seconds-x.Python) // the rest computes
			of[what] += stood
			return stood
		})
		if seconds == 0 {
			return nil
		}
		largest := nothing
		for what, took := range of {
			if took > of[largest] || took == of[largest] && what > largest {
				largest = what
			}
		}
		// What is waited for may use a core meanwhile, and would do so no longer.
		claim := &Claim{Seconds: seconds, CPU: seconds, Takes: most, Subject: "waiting for " + waits[largest].what, Cause: waits[largest].cause}
		claim.Message = "The training waits for " + waits[largest].what + " %s of its time"
		lines := c.Lines.Lines(func(x *rule.StackShare) bool {
			return waitsFor(x) != nothing && slices.ContainsFunc(waited, func(p rule.StepPart) bool { return inPart(p)(x) })
		})
		claim.Where = heaviest(lines, 0.2)
		if len(lines) > 0 && len(lines[0].Calls) > 0 {
			claim.Context = map[string]any{"calls": strings.Join(lines[0].Calls[:min(3, len(lines[0].Calls))], ", ")}
		}
		return claim
	},
	needs: doesMore,
}
