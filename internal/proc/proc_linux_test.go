package proc_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/proc"
)

func TestRead(t *testing.T) {
	p, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if p.Parent != os.Getppid() || p.Start == 0 || p.Zombie {
		t.Errorf("this process is %+v, its parent is %d", p, os.Getppid())
	}
	if proc.Table()[os.Getpid()] != p {
		t.Errorf("the table has %+v, want %+v", proc.Table()[os.Getpid()], p)
	}
	if _, err := proc.Read(-1); err == nil {
		t.Error("process -1 was read")
	}
}

func TestAlive(t *testing.T) {
	self, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		id   proc.ID
		want bool
	}{
		{"this process", self.ID, true},
		{"its start is not known", proc.ID{PID: os.Getpid()}, true},
		{"an earlier process of this pid", proc.ID{PID: os.Getpid(), Start: self.Start - 1}, false},
		{"no process", proc.ID{PID: 1 << 30}, false},
	} {
		if got := proc.Alive(c.id); got != c.want {
			t.Errorf("%s: alive is %v", c.name, got)
		}
	}
}

// TestCarrying: a child is found by its environment, one of the agent is not.
func TestCarrying(t *testing.T) {
	const variable = "VIGIL_PROC_TEST=here and there"
	var pids []int
	for _, env := range [][]string{{variable}, {variable, proc.Agent + "=1"}, {variable + "!"}} {
		c := exec.Command("sleep", "60")
		c.Env = env
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		pids = append(pids, c.Process.Pid)
	}
	got := proc.Carrying(variable)
	if len(got) != 1 || got[0].PID != pids[0] {
		t.Errorf("%s is carried by %v, want %d alone", variable, got, pids[0])
	}
	if l := proc.Carrying("VIGIL_PROC_TEST=here"); slices.ContainsFunc(l, func(id proc.ID) bool { return id.PID == pids[0] }) {
		t.Error("half a value was enough")
	}
}

// FuzzParse: no line of a process table makes parsing fail otherwise than by
// an error.
func FuzzParse(f *testing.F) {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("1 (a) b) S 2"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := proc.Parse(7, b); err == nil && p.PID != 7 {
			t.Errorf("%q is process %d", b, p.PID)
		}
	})
}
