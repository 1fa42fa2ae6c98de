package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// round is one training that is killed.
type round struct {
	vigil, python string
	peers         []string
	victim        string // "training", "helper" (Vigil's agent, wandb's process) or "both"
	delay         time.Duration
	out           string
}

// end is what one tool had in the end. Steps are counted from 0.
type end struct {
	tool   string
	logged int   // steps whose call had returned
	safe   int   // steps that the tool had called safe; -1 where it has no word for that
	read   []int // steps that are read back
	raised string
}

// lostSafe is how many steps are lost that were called safe.
func (e end) lostSafe() int { return max(e.safe, 0) - have(e.read, e.safe) }

// lost is how many steps are lost whose call had returned.
func (e end) lost() int { return e.logged - have(e.read, e.logged) }

// have is how many of the steps below n are among steps.
func have(steps []int, n int) int {
	count := 0
	for _, s := range steps {
		if s < n {
			count++
		}
	}
	return count
}

func (e end) String() string {
	safe := "-"
	if e.safe >= 0 {
		safe = strconv.Itoa(e.safe)
	}
	s := fmt.Sprintf("%s: logged %d, called safe %s, read %d", e.tool, e.logged, safe, len(e.read))
	if e.raised != "" {
		s += ", raised " + e.raised
	}
	return s
}

const patience = 15 * time.Minute // for anything that takes seconds

func (r round) run() ([]end, error) {
	argv := append([]string{"run", "--dir", filepath.Join(r.out, "runs"), "--name", "killed", "--every", "1", "--rules", "none", "--quiet", "--",
		r.python, "bench/durable/train.py", r.out}, r.peers...)
	cmd := exec.Command(r.vigil, argv...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for this program
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %q: %w", argv, err)
	}
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	defer cmd.Process.Kill()

	var s side
	for limit := time.Now().Add(patience); s.ends["vigil"].safe < 1; s = readSide(r.out) {
		select {
		case <-done:
			return nil, fmt.Errorf("the training ended before it was killed:\n%s", &said)
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(limit) {
			return nil, fmt.Errorf("nothing was acknowledged in %s:\n%s", patience, &said)
		}
	}
	time.Sleep(r.delay)
	agent, err := r.agent()
	if err != nil {
		return nil, err
	}
	for who, pids := range map[string][]int{"training": {s.pid}, "helper": append(s.helpers, agent)} {
		for _, pid := range pids {
			if r.victim == who || r.victim == "both" {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
					return nil, fmt.Errorf("kill process %d: %w", pid, err)
				}
			}
		}
	}
	if r.victim == "helper" {
		time.Sleep(time.Second) // the training goes on without
		if err := os.WriteFile(filepath.Join(r.out, "stop"), nil, 0o644); err != nil {
			return nil, fmt.Errorf("stop the training: %w", err)
		}
	}
	select {
	case <-done:
	case <-time.After(patience):
		syscall.Kill(s.pid, syscall.SIGKILL)
		return nil, fmt.Errorf("the training did not end in %s", patience)
	}
	return r.read()
}

// agent is Vigil's agent's process, as run.json names it.
func (r round) agent() (int, error) {
	tr, err := trial.Open(filepath.Join(r.out, "runs", "killed"))
	if err != nil {
		return 0, err
	}
	defer tr.Close()
	if a := tr.Run().Agent; a != nil {
		return a.PID, nil
	}
	return 0, fmt.Errorf("run.json names no agent")
}

// read is what each tool has in the end.
func (r round) read() ([]end, error) {
	s := readSide(r.out)
	var ends []end
	for _, tool := range append([]string{"vigil"}, r.peers...) {
		e := s.ends[tool]
		e.tool = tool
		var err error
		if tool == "vigil" {
			e.read, err = r.stored()
		} else {
			e.read, err = r.peer(tool)
		}
		if err != nil {
			return nil, err
		}
		ends = append(ends, e)
	}
	return ends, nil
}

// stored are the steps whose loss is in the run, which must be whole.
func (r round) stored() ([]int, error) {
	path := filepath.Join(r.out, "runs", "killed")
	if out, err := exec.Command(r.vigil, "fsck", path).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("vigil fsck: %w\n%s", err, out)
	}
	tr, err := trial.Open(path)
	if err != nil {
		return nil, err
	}
	defer tr.Close()
	at, _, err := tr.Series(trial.Query{Tensor: "loss", Mode: record.Train})
	steps := make([]int, len(at))
	for i, n := range at {
		steps[i] = int(n)
	}
	if slices.Sort(steps); len(slices.Compact(slices.Clone(steps))) != len(steps) {
		return nil, fmt.Errorf("steps are stored twice: %v", steps)
	}
	return steps, err
}

// peer are the steps that the peer's own reader finds. A peer that cannot be read has none.
func (r round) peer(tool string) ([]int, error) {
	cmd := exec.Command(r.python, "bench/durable/read.py", tool, r.out)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s cannot be read:\n%s", tool, &stderr)
		return nil, nil
	}
	var steps []int
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &steps); err != nil {
		return nil, fmt.Errorf("read what %s printed: %w", tool, err)
	}
	return steps, nil
}

// side is what the training wrote about itself.
type side struct {
	pid     int
	helpers []int
	ends    map[string]end
}

func readSide(out string) side {
	s := side{ends: map[string]end{}}
	f, err := os.Open(filepath.Join(out, "side"))
	if err != nil {
		return s
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		w := strings.Fields(lines.Text())
		switch {
		case len(w) == 2 && w[0] == "pid":
			s.pid, _ = strconv.Atoi(w[1])
		case len(w) == 3 && w[0] == "helper":
			pid, _ := strconv.Atoi(w[2])
			s.helpers = append(s.helpers, pid)
		case len(w) == 3 && w[0] == "raised":
			e := s.ends[w[1]]
			e.raised = w[2]
			s.ends[w[1]] = e
		case len(w) > 2 && w[0] == "step":
			for at := 2; at+2 < len(w); at += 3 {
				e := s.ends[w[at]]
				last, _ := strconv.Atoi(w[at+1])
				e.logged = last + 1
				if safe, _ := strconv.Atoi(w[at+2]); w[at] == "wandb" {
					e.safe = -1
				} else {
					e.safe = safe + 1
				}
				s.ends[w[at]] = e
			}
		}
	}
	return s
}
