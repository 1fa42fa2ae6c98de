package record

import "fmt"

// endings are exit codes of processes that a signal ended, as a shell gives them.
var endings = map[int]string{
	130: "interrupted (Ctrl-C)",
	131: "ended by SIGQUIT",
	134: "aborted (SIGABRT)",
	135: "crashed (SIGBUS)",
	136: "crashed (SIGFPE)",
	137: "killed (SIGKILL); often lack of memory",
	139: "crashed (SIGSEGV)",
	143: "ended by SIGTERM",
}

// Word is the run's status in one word, for people: one that Ctrl-C ended is interrupted.
func (r *Run) Word() string {
	if r.Status == Failed && r.ExitCode != nil && *r.ExitCode == 130 {
		return "interrupted"
	}
	return r.Status
}

// Ending says how the run ended, for people: in the words of its status, and for
// one that failed by what ended it.
func (r *Run) Ending() string {
	switch r.Status {
	case Stopped:
		if r.StoppedBy != "" {
			return "stopped by " + r.StoppedBy
		}
		return "stopped by `vigil stop`"
	case Ended:
		return "ended, exit code unknown"
	case Failed:
	default:
		return r.Status
	}
	switch {
	case r.ExitCode == nil:
		return "failed"
	case r.OutOfMemory:
		return fmt.Sprintf("killed for lack of memory, exit code %d", *r.ExitCode)
	case endings[*r.ExitCode] != "":
		return fmt.Sprintf("%s, exit code %d", endings[*r.ExitCode], *r.ExitCode)
	case r.Exception != "":
		return fmt.Sprintf("crashed with %s, exit code %d", r.Exception, *r.ExitCode)
	}
	return fmt.Sprintf("failed with exit code %d", *r.ExitCode)
}
