package agent

import (
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// control sends a command to the agent and gives its answer.
func control(t *testing.T, set Settings, c capture.Control) map[string]any {
	t.Helper()
	conn, err := net.Dial("unix", set.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	b, err := capture.AppendMessage(nil, capture.TypeControl, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
	m, err := capture.ReadMessage(conn)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := m.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// session connects as a hook in a language would.
func session(t *testing.T, set Settings, id, language string) *capture.Client {
	t.Helper()
	c, err := capture.Dial(capture.ClientOptions{Socket: set.Socket, Hello: capture.Hello{
		Session: strings.Repeat(id, 32), PID: 1, World: 1, Framework: record.Framework{Name: "pytorch"}, Language: record.Framework{Name: language},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// seen are samples of a window as a hook sends them.
func seen(id string, number int) json.RawMessage {
	return fmt.Appendf(nil, `{"number":%d,"session":%q,"pid":1,"began_ns":1767323045000000000,"seconds":2,"first_step":3,"end_step":9,"cut":"","workers":0,"processes":[{"pid":1,"kind":"rank","name":null,"samples":300,"ns":2000000000,"interval_ns":10000000,"frames":[["train.py",3,"main"]],"stacks":[["MainThread",[0],2000000000,300,0]]}]}`, number, strings.Repeat(id, 32))
}

func askProfile(seconds float64) capture.Control {
	return capture.Control{Cmd: "profile", Window: &capture.WindowRequest{Seconds: seconds, Why: "a test"}}
}

// refusedWith reports whether an answer is a refusal with certain words.
func refusedWith(answer map[string]any, words string) bool {
	text, _ := answer["error"].(string)
	return answer["ok"] == false && strings.Contains(text, words)
}

func TestWindowsOfAJob(t *testing.T) {
	set := settings(t)
	a := startAgent(t, set)
	if got := control(t, set, askProfile(2)); !refusedWith(got, "no process of the job trains") {
		t.Errorf("before anybody trains: %v", got)
	}
	c := session(t, set, "0", "python")
	for _, wrong := range []*capture.WindowRequest{nil, {}, {Seconds: -1}, {Seconds: 601}, {Steps: -1}, {Steps: 1 << 40}} {
		if got := control(t, set, capture.Control{Cmd: "profile", Window: wrong}); !refusedWith(got, "up to 600 seconds or 1000000 steps") {
			t.Errorf("%+v: %v", wrong, got)
		}
	}
	if got := control(t, set, askProfile(2)); got["ok"] != true || got["number"] != 1.0 || got["workers"] != 1.0 {
		t.Errorf("the first window: %v", got)
	}
	if got := control(t, set, askProfile(2)); !refusedWith(got, "window 1 is being recorded") {
		t.Errorf("a second one meanwhile: %v", got)
	}
	if got := control(t, set, capture.Control{Cmd: "window", Number: 1}); got["state"] != "asked" {
		t.Errorf("how far it is: %v", got)
	}
	for name, bad := range map[string]json.RawMessage{"of another run": seen("7", 1), "without sense": json.RawMessage(`{"number":1}`)} {
		if got := control(t, set, capture.Control{Cmd: "samples", Samples: bad}); got["ok"] != false {
			t.Errorf("samples %s: %v", name, got)
		}
	}
	if got := control(t, set, capture.Control{Cmd: "samples", Samples: seen("0", 1)}); got["ok"] != true {
		t.Errorf("samples: %v", got)
	}
	if got := control(t, set, capture.Control{Cmd: "window", Number: 1}); got["state"] != "stored" {
		t.Errorf("how far it is: %v", got)
	}
	if got := control(t, set, capture.Control{Cmd: "window", Number: 5}); !refusedWith(got, "there is no window 5") {
		t.Errorf("another window: %v", got)
	}
	// One whose process goes.
	if got := control(t, set, askProfile(100)); got["number"] != 2.0 {
		t.Errorf("the second window: %v", got)
	}
	c.Close()
	wait(t, "the end of the window", func() bool {
		return control(t, set, capture.Control{Cmd: "window", Number: 2})["state"] == "failed"
	})
	b, _ := json.Marshal(control(t, set, capture.Control{Cmd: "window", Number: 2}))
	if !strings.Contains(string(b), "the process ended in the window, before it could send its samples") {
		t.Errorf("why: %s", b)
	}
	a.completed()
	tr, err := trial.Open(filepath.Join(set.Dir, set.Name))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	w, err := tr.Stacks(source.Window{Number: 1, Worker: "worker_0"})
	if err != nil || w.Why != "a test" || w.Worker != "worker_0" || len(w.Processes) != 1 || w.Automatic {
		t.Errorf("stored: %+v, %v", w, err)
	}
	if damage, err := tr.Verify(t.Context(), nil); len(damage) != 0 || err != nil {
		t.Errorf("damage %v, %v", damage, err)
	}
}

func TestAWindowOfAJobInAnotherLanguage(t *testing.T) {
	set := settings(t)
	first, end := int64(5), int64(8)
	set.Config.Windows = []config.Window{{Spec: "stacks:steps=5-7", FirstStep: &first, EndStep: &end}}
	a := startAgent(t, set)
	c := session(t, set, "0", "go")
	wait(t, "the notice", func() bool {
		return strings.Contains(notices(a), "there is no window of detail: the job does not train in Python")
	})
	if got := control(t, set, askProfile(2)); !refusedWith(got, "not in Python") {
		t.Errorf("got %v", got)
	}
	c.End()
	c.Close()
	a.completed()
}

// The disk is full when the samples come: the user reads so, and training goes on.
func TestTheDiskIsFullWhenAWindowEnds(t *testing.T) {
	var full atomic.Bool
	was := disk
	disk = vfs.WithFaults(vfs.OS, func(op vfs.Op) error {
		if full.Load() && (op.Kind == vfs.OpWrite || op.Kind == vfs.OpCreate) {
			return syscall.ENOSPC
		}
		return nil
	})
	defer func() { disk = was }()
	set := settings(t)
	a := startAgent(t, set)
	c := session(t, set, "0", "python")
	control(t, set, askProfile(2))
	full.Store(true)
	got := control(t, set, capture.Control{Cmd: "samples", Samples: seen("0", 1)})
	full.Store(false)
	if !refusedWith(got, "the disk is full, its samples are lost") {
		t.Errorf("got %v", got)
	}
	if got := control(t, set, capture.Control{Cmd: "window", Number: 1}); got["state"] != "failed" {
		t.Errorf("how far it is: %v", got)
	}
	if got := control(t, set, askProfile(2)); got["ok"] != true {
		t.Errorf("the next one: %v", got)
	}
	wait(t, "the notice of the full disk", func() bool { return strings.Contains(notices(a), "window 1 of worker_0: the disk is full") })
	c.End()
	c.Close()
	a.completed()
	tr, err := trial.Open(filepath.Join(set.Dir, set.Name))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if list := tr.Windows(); len(list) != 0 {
		t.Errorf("stored: %v", list)
	}
}

// Windows by themselves: when they may begin, how many, how long.
func TestOwnWindows(t *testing.T) {
	for _, c := range []struct {
		name    string
		steps   int64
		seconds int
		want    bool
	}{
		{"in the first steps, however long they take", 3, 500, false},
		{"before step 20", 19, 5, false},
		{"from step 20 on", 20, 1, true},
		{"after a minute", 4, 61, true},
	} {
		j := &job{set: Settings{Started: time.Now().Add(-time.Duration(c.seconds) * time.Second)}}
		j.counts.init()
		j.counts.steps["worker_0"] = map[string]int64{record.Train.String(): c.steps}
		if got := j.windowsMayBegin(time.Now()); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	set := settings(t)
	r, err := start(t.Context(), set, discard{}, func(*job, string, string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	c := session(t, set, "0", "python")
	if r.job.ownWindow("too early") {
		t.Error("there was one before step 20")
	}
	r.job.set.Started = time.Now().Add(-time.Hour)
	r.job.cmu.Lock()
	r.job.counts.steps["worker_0"] = map[string]int64{record.Train.String(): 100}
	r.job.cmu.Unlock()
	for n := 1; n <= 4; n++ {
		if got := r.job.ownWindow("a check asks"); got != (n <= autoWindows) {
			t.Errorf("window %d: %v", n, got)
		}
		if w := r.job.windows.of(n); n <= autoWindows && (!w.auto || w.asked.Seconds != 5) {
			t.Errorf("window %d: %+v", n, w)
		}
		r.job.samples(seen("0", n))
	}
	r.job.set.Config.NoProfile = true
	r.job.windows.list = nil
	if r.job.ownWindow("a check asks") {
		t.Error("there was one with --no-profile")
	}
	c.End()
	c.Close()
	if err := r.finish(Ended{Status: record.Completed}, false); err != nil {
		t.Error(err)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// Windows that were asked for before the job started stand in the welcome of each
// worker that connects: its first steps may be over in milliseconds.
func TestWindowsOfTheConfigurationAreSentOnce(t *testing.T) {
	set := settings(t)
	first, end := int64(5), int64(8)
	set.Config.Windows = []config.Window{{Spec: "stacks:steps=5-7", FirstStep: &first, EndStep: &end}, {Spec: "stacks:seconds=1-2", From: 1, Seconds: 1}}
	a := startAgent(t, set)
	c := session(t, set, "0", "python")
	if got := c.Windows(); len(got) != 2 || *got[0].FirstStep != 5 || *got[0].EndStep != 8 || got[1].Seconds != 1 || got[1].After <= 0 {
		t.Errorf("the welcome has the windows %+v", got)
	}
	control(t, set, capture.Control{Cmd: "samples", Samples: seen("0", 1)})
	if got := control(t, set, askProfile(2)); got["number"] != 3.0 {
		t.Errorf("one more: %v", got)
	}
	c.End()
	c.Close()
	a.completed()
	told := notices(a)
	if want := "the window stacks:seconds=1-2 was not recorded: the training ended before it, after 0 steps"; strings.Count(told, "was not recorded") != 1 || !strings.Contains(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// notices are the texts of all notices of an agent.
func notices(a *testAgent) string {
	var b strings.Builder
	for _, e := range a.list() {
		if e.Notice != nil {
			b.WriteString(e.Notice.Text + "\n")
		}
	}
	return b.String()
}

// Stacks of a job with 500 processes that load data: all are listed, in one group
// where they stand at one place.
func TestStacksOfManyProcesses(t *testing.T) {
	set := settings(t)
	a := startAgent(t, set)
	c := session(t, set, "0", "python")
	const many = 500
	script := `import os, sys, time
sys.path.insert(0, os.environ["VIGIL_TEST_LIB"])
from vigil import _stacks
_stacks.register()
pids = []
for _ in range(int(sys.argv[1])):
    pid = os.fork()
    if pid == 0:
        while True:
            time.sleep(60)
    pids.append(pid)
print("ready", flush=True)
sys.stdin.read()
for pid in pids:
    os.kill(pid, 9)
`
	cmd := exec.Command(testenv.Python(t), "-c", script, fmt.Sprint(many))
	cmd.Env = append(cmd.Environ(), "VIGIL_SOCKET="+set.Socket, "VIGIL_TEST_LIB="+filepath.Join(testenv.Root(), "python"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(control(t, set, capture.Control{Cmd: "stacks"}))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Processes []stacks.Process }
	if err := json.Unmarshal(b, &answer); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, p := range answer.Processes {
		if p.Parent != cmd.Process.Pid {
			continue
		}
		if p.Read == stacks.Signalled {
			read++
			if len(p.Threads) != 1 || len(p.Threads[0].Frames) != 1 || p.Threads[0].Frames[0].Line != 10 {
				t.Fatalf("process %d stands at %+v", p.PID, p.Threads)
			}
		}
	}
	children := 0
	for _, p := range answer.Processes {
		if p.Parent == cmd.Process.Pid {
			children++
		}
	}
	// On a machine that is too busy the time is over before all were read: these have a line from the kernel.
	if children != many || read == 0 {
		t.Errorf("%d children, %d of them read", children, read)
	}
	if groups := stacks.Groups(answer.Processes); len(groups) > 8 {
		t.Errorf("%d groups", len(groups))
	}
	in.Close()
	_ = cmd.Wait()
	c.End()
	c.Close()
	a.completed()
}
