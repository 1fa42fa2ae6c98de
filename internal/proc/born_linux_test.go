package proc

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestBorn(t *testing.T) {
	before := time.Now()
	c := exec.Command("sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Signal(os.Kill)
	p, err := Read(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	born, err := Born(p.ID)
	if err != nil || born.Before(before.Add(-2*time.Second)) || born.After(time.Now().Add(2*time.Second)) {
		t.Errorf("a process that was started at %v was born at %v, %v", before, born, err)
	}
	if _, err := Born(ID{PID: p.PID}); err == nil {
		t.Error("a process of which no start is known was born")
	}
}
