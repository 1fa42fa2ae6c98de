package monitor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/proc"
)

// sampleOf prints what is sampled of a process, and what is not.
func sampleOf(pid string) {
	n, _ := strconv.Atoi(pid)
	s := New(Options{Trainers: func() []Trainer { return []Trainer{{proc.ID{PID: n}, "0"}} }})
	defer s.Close()
	now := time.Now()
	s.Sample(now)
	time.Sleep(300 * time.Millisecond) // the kernel counts in hundredths of a second
	for _, v := range s.Sample(now.Add(time.Second)).Values {
		fmt.Println(v.Name)
	}
	for _, m := range s.Missing() {
		fmt.Println(m.Name + ": " + m.Reason)
	}
}

// Another user's process: what everybody may see is sampled, the rest is absent,
// each with one line.
func TestAnotherUsersProcess(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become somebody else")
	}
	root := started(t, "nothing")
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "sampler")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program)
	c.Dir = "/"
	c.Env = []string{"VIGIL_TEST_LOAD=sample", "VIGIL_TEST_PID=" + strconv.Itoa(root.Process.Pid)}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Skipf("nobody cannot run a program here: %v %s", err, out)
	}
	for _, want := range []string{"cpu/total\n", "process/0/rss_bytes\n", "process/0/cpu_percent\n", "process/0/threads\n",
		"process/read_per_s: no permission to see what processes of the job read and write (/proc/PID/io)\n",
		"process/open_files: no permission to count the open files of the job's processes (/proc/PID/fd)\n"} {
		if strings.Count(string(out), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, out)
		}
	}
	for _, absent := range []string{"process/0/read_per_s\n", "process/0/open_files\n"} {
		if strings.Contains(string(out), absent) {
			t.Errorf("%q is there:\n%s", absent, out)
		}
	}
}
