//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// jobWord has this program be a job, or one of its workers.
const jobWord = "the-job"

// job is one trainer with four workers. It works for a fifth of the time.
type job struct {
	cmd *exec.Cmd
	in  io.Closer
}

func startJob() (*job, error) {
	j := &job{cmd: exec.Command(os.Args[0], jobWord, "trainer")}
	in, err := j.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the job: %w", err)
	}
	j.in = in
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the job: %w", err)
	}
	if err := j.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the job: %w", err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("start the job: %w", err)
	}
	return j, nil
}

func (j *job) pid() int { return j.cmd.Process.Pid }

func (j *job) end() {
	_ = j.in.Close()
	_ = j.cmd.Wait()
}

// work is the job, until its standard input ends.
func work(args []string) {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if len(args) > 0 && args[0] == "trainer" {
		for range 4 {
			c := exec.Command(os.Args[0], jobWord)
			if _, err := c.StdinPipe(); err != nil || c.Start() != nil {
				os.Exit(1)
			}
		}
		fmt.Println("ready")
		for {
			for began := time.Now(); time.Since(began) < 20*time.Millisecond; {
				_ = began
			}
			time.Sleep(80 * time.Millisecond)
		}
	}
	for {
		time.Sleep(10 * time.Millisecond)
	}
}
