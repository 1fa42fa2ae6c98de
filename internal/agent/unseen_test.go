package agent

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// What is said of a run without a step: that nothing was trained is not known
// where the job went wrong, and where it did not, only what was seen is said.
func TestWhyARunIsEmpty(t *testing.T) {
	good, bad := Ended{Status: record.Completed}, Ended{ExitCode: 1, Status: record.Failed}
	const seen = "PyTorch was imported, but nothing was trained"
	for _, tt := range []struct {
		name      string
		said      untrained
		ended     Ended
		coded     bool
		connected bool
		want      string
	}{
		{"nothing was said", untrained{}, good, true, false, "no training in a supported framework was seen"},
		{"a process said what it saw", untrained{seen: seen}, good, true, false, seen},
		{"a worker began", untrained{}, good, true, true, "a process started to train, but no complete update of its weights and no complete evaluation was seen"},
		{"the script raised", untrained{error: "KeyError"}, bad, true, false, "the script ended with an error (KeyError) before a training was seen"},
		{"its Python has no PyTorch", untrained{error: "ModuleNotFoundError", lacks: "PyTorch is not installed for /usr/bin/python3"}, bad, true, false, "PyTorch is not installed for /usr/bin/python3"},
		{"one process had none, the job went on", untrained{error: "ModuleNotFoundError", lacks: "PyTorch is not installed for /usr/bin/python3", seen: seen}, good, true, false, seen},
		{"one process ended well, then one raised", untrained{seen: seen, error: "KeyError"}, bad, true, false, "the script ended with an error (KeyError) before a training was seen"},
		{"a process raised, the job went on", untrained{error: "KeyError"}, good, true, false, "a process of the job ended with an error (KeyError) before a training was seen"},
		{"one raised, one ended well, and so did the job", untrained{seen: seen, error: "KeyError"}, good, true, false, seen},
		{"the script exited with a code", untrained{seen: seen}, Ended{ExitCode: 3, Status: record.Failed}, true, false, "the command ended with exit code 3 before a training was seen"},
		{"a worker began, then the command failed", untrained{}, Ended{ExitCode: 137, Status: record.Failed}, true, true, "the command ended with exit code 137 before the end of the first step was seen"},
		{"stopped", untrained{seen: seen}, Ended{ExitCode: 143, Status: record.Stopped}, true, false, "the job was stopped before a training was seen"},
		{"the launcher was killed, the script raised", untrained{error: "KeyError"}, Ended{Status: record.Ended}, false, false, "the script ended with an error (KeyError) before a training was seen"},
		{"the launcher was killed, a process said what it saw", untrained{seen: seen}, Ended{Status: record.Ended}, false, false, seen},
		{"cut off", untrained{}, Ended{Status: record.Lost}, false, false, "the job ended, it is unknown how, before a training was seen"},
		{"a process that was followed is gone", untrained{}, Ended{Status: record.Failed}, false, true, "the job ended, it is unknown how, before the end of the first step was seen"},
	} {
		if got := tt.said.why(tt.ended, tt.coded, tt.connected); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
