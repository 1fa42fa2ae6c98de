package pyrule

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// child is a started process, the first of a group of its own.
type child struct {
	cmd *exec.Cmd
	end chan struct{}
}

// startChild starts a program with files as descriptors 0, 1, 2 and so on; nil
// is nothing to read. The process dies with us.
func startChild(name string, args, env []string, files []*os.File) (*child, error) {
	c := &child{cmd: exec.Command(name, args...), end: make(chan struct{})}
	c.cmd.Env = env
	if files[0] != nil {
		c.cmd.Stdin = files[0]
	}
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.ExtraFiles = files[1], files[2], files[3:]
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		// The kernel sends Pdeathsig when the thread that started the child
		// ends: it has to live as long as the child does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait()
			c.kill() // what it has started itself
		}
		close(c.end)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %q: %w", name, err)
	}
	return c, nil
}

func (c *child) wait() { <-c.end }

// kill ends the process and those of its group. Of a process that has ended
// the number may be another's by now.
func (c *child) kill() {
	select {
	case <-c.end:
	default:
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// interrupt asks the process where it is.
func (c *child) interrupt() { _ = c.cmd.Process.Signal(syscall.SIGUSR1) }

// ending says how the process ended, once it has.
func (c *child) ending() string {
	status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return "its process was ended by the signal " + status.Signal().String()
	}
	return fmt.Sprintf("its process ended with exit code %d", c.cmd.ProcessState.ExitCode())
}
