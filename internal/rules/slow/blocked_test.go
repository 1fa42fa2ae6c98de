package slow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

const socket = pythonLib + "socket.py:SocketIO.readinto"

// inCalls is a stack of calls in a part of the step, given with the innermost first.
func inCalls(part rule.StepPart, frames ...string) *rule.StackDetail {
	return stacks(stack(part, 3, 0, frames...), stack(rule.Forward, 3, 0, user+":train"))
}

func TestBlocked(t *testing.T) {
	const line = user + ":report@21"
	other, data := rule.OtherPart, rule.WaitForData
	for _, c := range []struct {
		name    string
		part    rule.StepPart
		seconds float64
		stacks  *rule.StackDetail
		want    string
	}{
		{"a request to a server", other, 0.05, inCalls(other, pythonLib+"ssl.py:SSLSocket.read", socket, pythonLib+"http/client.py:HTTPResponse.begin", packagesLib+"requests/api.py:post", line), "warning 0.48 1.9 21"},
		{"a command", other, 0.05, inCalls(other, pythonLib+"selectors.py:select", pythonLib+"subprocess.py:Popen.communicate", pythonLib+"subprocess.py:run", line), "warning 0.48 1.9 21"},
		{"a queue that a thread fills", other, 0.05, inCalls(other, pythonLib+"threading.py:Condition.wait", pythonLib+"queue.py:Queue.get", line), "warning 0.48 1.9 21"},
		{"another process answers", other, 0.05, inCalls(other, pythonLib+"multiprocessing/connection.py:Connection._recv", pythonLib+"multiprocessing/connection.py:_ConnectionBase.recv", line), "warning 0.48 1.9 21"},
		{"items come from a server", data, 0.05, inCalls(data, socket, pythonLib+"http/client.py:HTTPResponse.begin", user+":Images.__getitem__@18", fetch, dataloader, user+":train"), "warning 0.48 1.9 18"},

		{"workers of a loader", data, 0.05, inCalls(data, pythonLib+"selectors.py:select", pythonLib+"multiprocessing/connection.py:wait", pythonLib+"multiprocessing/queues.py:get", dataloader, line), ""},
		{"other ranks", other, 0.05, inCalls(other, pythonLib+"threading.py:Event.wait", packagesLib+"torch/distributed/distributed_c10d.py:barrier", line), ""},
		{"the hook", other, 0.05, inCalls(other, socket, packagesLib+"vigil/_connection.py:receive", line), ""},
		{"a debugger", other, 0.05, inCalls(other, pythonLib+"selectors.py:select", pythonLib+"asyncio/base_events.py:_run_once", pythonLib+"bdb.py:Bdb.user_line", line), ""},
		{"between two cells", other, 0.05, inCalls(other, pythonLib+"selectors.py:select", pythonLib+"asyncio/base_events.py:_run_once", packagesLib+"ipykernel/kernelapp.py:start"), ""},
		{"reads what has come", other, 0.05, inCalls(other, pythonLib+"json/decoder.py:raw_decode", packagesLib+"requests/models.py:json", line), ""},
		{"pickles what it sends", other, 0.05, inCalls(other, pythonLib+"multiprocessing/connection.py:_ConnectionBase.recv", line), ""},
		{"a file of the script has that name", other, 0.05, inCalls(other, "/home/me/threading.py:wait", line), ""},
		{"the interpreter is at work", other, 0.05, stacks(stack(other, 3, 2.8, pythonLib+"queue.py:Queue.get", line)), ""},
		{"a short wait", other, 0.004, inCalls(other, socket, line), ""},
		{"too few samples", other, 0.05, tooFew(inCalls(other, socket, line)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checkReports(t, "blocked", training{parts: stepsWith(c.part, c.seconds), used: 1, stacks: c.stacks, loader: &slow.Loader{}}); got != c.want {
				t.Errorf("reported %q, want %q", got, c.want)
			}
		})
	}
}

// The message says what is waited for, as far as the calls on the way to it tell.
func TestWhatIsWaitedFor(t *testing.T) {
	wait := pythonLib + "threading.py:Condition.wait"
	for _, c := range []struct {
		frames []string
		want   string
	}{
		{[]string{socket}, "the network"},
		{[]string{pythonLib + "selectors.py:select", packagesLib + "urllib3/util/wait.py:wait_for_read"}, "the network"},
		{[]string{packagesLib + "urllib3/util/connection.py:create_connection"}, "the network"},
		{[]string{pythonLib + "subprocess.py:Popen._execute_child"}, "other processes"},
		{[]string{wait, pythonLib + "multiprocessing/pool.py:ApplyResult.get"}, "other processes"},
		{[]string{wait, pythonLib + "concurrent/futures/_base.py:Future.result"}, "other threads"},
		{[]string{"/usr/lib64/python3.9/threading.py:wait"}, "other threads"},
		{[]string{pythonLib + "selectors.py:select", pythonLib + "asyncio/base_events.py:run_until_complete"}, "an event loop"},
	} {
		tr := training{parts: stepsWith(rule.OtherPart, 0.05), used: 1, cores: 2, seconds: 95, stacks: inCalls(rule.OtherPart, append(c.frames, user+":train")...)}
		found, _ := judge(t, &slow.Training, tr)
		want := "The training waits for " + c.want + " 48 % of its time; "
		if !slices.ContainsFunc(found, func(v rule.Violation) bool { return v.Check == "blocked" && strings.HasPrefix(v.Message, want) }) {
			t.Errorf("%v: found %v, want %q", c.frames, found, want)
		}
	}
}
