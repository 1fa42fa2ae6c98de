//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"
)

// answer is what peers.py says.
type answer struct {
	Version string  `json:"version"`
	Core    float64 `json:"core"` // % of one core that sampling took
	CPU     float64 `json:"cpu"`  // means of what was sampled, in %
	Memory  float64 `json:"memory"`
	Job     float64 `json:"job"`
}

// psutil samples the same families in a loop.
func (b *bench) psutil(job *job, every time.Duration) (answer, error) {
	return b.ask("psutil", job, every, func() {})
}

// wandb is an offline run that does nothing but sample; what one takes that does
// not sample is subtracted.
func (b *bench) wandb(job *job, every time.Duration) (answer, error) {
	with, err := b.ask("wandb", job, every, func() {})
	if err != nil {
		return with, err
	}
	without, err := b.ask("wandb-off", job, every, func() {})
	with.Core -= without.Core
	return with, err
}

// ask has a peer sample. begins is called when it does.
func (b *bench) ask(who string, job *job, every time.Duration, begins func()) (a answer, err error) {
	cmd := exec.Command(b.python, "bench/monitor/peers.py", who, strconv.Itoa(job.pid()), fmt.Sprint(every.Seconds()), fmt.Sprint(b.seconds))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return a, fmt.Errorf("ask %s: %w", who, err)
	}
	lines := bufio.NewReader(out)
	if _, err = lines.ReadString('\n'); err == nil { // it is ready
		begins()
		err = json.NewDecoder(lines).Decode(&a)
	}
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return a, fmt.Errorf("ask %s: %w\n%s", who, err, &said)
	}
	return a, nil
}
