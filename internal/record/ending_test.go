package record

import "testing"

func TestEnding(t *testing.T) {
	code := func(n int) *int { return &n }
	for _, c := range []struct {
		run  Run
		want string
	}{
		{Run{Status: Running}, "running"},
		{Run{Status: Completed, ExitCode: code(0)}, "completed"},
		{Run{Status: Stopped, StoppedBy: "zero_grad"}, "stopped by zero_grad"},
		{Run{Status: Stopped, ExitCode: code(143)}, "stopped by `vigil stop`"},
		{Run{Status: Lost}, "lost"},
		{Run{Status: Ended}, "ended, exit code unknown"},
		{Run{Status: Failed}, "failed"},
		{Run{Status: Failed, ExitCode: code(4)}, "failed with exit code 4"},
		{Run{Status: Failed, ExitCode: code(1), Exception: "ValueError: bad batch 60"}, "crashed with ValueError: bad batch 60, exit code 1"},
		{Run{Status: Failed, ExitCode: code(130), Exception: "KeyboardInterrupt"}, "interrupted (Ctrl-C), exit code 130"},
		{Run{Status: Failed, ExitCode: code(137)}, "killed (SIGKILL); often lack of memory, exit code 137"},
		{Run{Status: Failed, ExitCode: code(137), OutOfMemory: true}, "killed for lack of memory, exit code 137"},
		{Run{Status: Failed, ExitCode: code(139)}, "crashed (SIGSEGV), exit code 139"},
	} {
		if got := c.run.Ending(); got != c.want {
			t.Errorf("a run with status %q ended: %q, want %q", c.run.Status, got, c.want)
		}
	}
}
