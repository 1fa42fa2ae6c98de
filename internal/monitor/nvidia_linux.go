package monitor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/nvml"
)

const (
	slowDriver  = 10 * time.Second // a driver that does not answer for so long hangs
	firstPause  = 10 * time.Second // before the helper is started again; doubled each time
	mostStarts  = 6
	mostPending = 1 << 20         // bytes of one answer
	lateAnswer  = 2 * time.Second // one that waited longer for a sample tells of the past
)

// nvidia is the family of NVIDIA's GPUs, which a helper reads for us. A driver that
// hangs or dies takes the helper along, and nobody else.
type nvidia struct {
	command []string
	lacks   func(name, reason string)
	names   gpuNames
	gpus    int // seen so far

	helper *helper
	starts int
	after  time.Time // when it may be started again
}

// helper is one that runs.
type helper struct {
	in      io.WriteCloser
	cmd     *exec.Cmd
	asked   time.Time // the last question; zero: it is answered
	answers chan arrived
	gone    chan struct{} // closed when it has ended
	said    beginning     // what it wrote on standard error
	once    sync.Once
}

// arrived is an answer, and when it came.
type arrived struct {
	nvml.Answer
	at time.Time
}

// driverSigns are files that an NVIDIA driver makes.
var driverSigns = []string{"/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"}

// nvidiaHelper finds the program that reads the GPUs; nil where there is no driver.
func nvidiaHelper(o Options, lacks func(name, reason string)) []string {
	if len(o.NVML) > 0 {
		return o.NVML
	}
	if o.Proc != "" || o.Sys != "" {
		return nil // a made-up machine
	}
	there := false
	for _, f := range driverSigns {
		if _, err := os.Stat(f); err == nil {
			there = true
		}
	}
	if !there {
		return nil
	}
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), nvml.Program); executable(beside) {
			return []string{beside}
		}
	}
	if path, err := exec.LookPath(nvml.Program); err == nil {
		return []string{path}
	}
	lacks("gpu", "there is an NVIDIA driver, but the program "+nvml.Program+" is neither beside vigil nor on the PATH")
	return nil
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// ask starts a reading.
func (n *nvidia) ask(now time.Time) {
	if len(n.command) == 0 {
		return
	}
	if n.helper == nil && (n.starts >= mostStarts || now.Before(n.after) || !n.start()) {
		return
	}
	h := n.helper
	select {
	case <-h.gone:
		n.ended(now, false)
		return
	default:
	}
	switch {
	case h.asked.IsZero():
		h.asked = now
		if _, err := io.WriteString(h.in, "\n"); err != nil {
			n.ended(now, false)
		}
	case now.Sub(h.asked) > slowDriver:
		n.lacks("gpu", fmt.Sprintf("the NVIDIA driver did not answer for %d seconds", int(slowDriver.Seconds())))
		n.ended(now, true)
	}
}

func (n *nvidia) start() bool {
	n.starts++
	h := &helper{answers: make(chan arrived, 4), gone: make(chan struct{})}
	h.cmd = exec.Command(n.command[0], n.command[1:]...)
	h.cmd.Stderr = &h.said
	in, err := h.cmd.StdinPipe()
	var out io.ReadCloser
	if err == nil {
		out, err = h.cmd.StdoutPipe()
	}
	if err == nil {
		err = h.cmd.Start()
	}
	if err != nil {
		n.starts = mostStarts
		n.lacks("gpu", fmt.Sprintf("the program %s, which needs glibc, cannot be started: %v", nvml.Program, err))
		return false
	}
	h.in = in
	go h.follow(out)
	n.helper = h
	return true
}

// follow reads answers until the helper ends. Who is stuck in a driver does not
// end when it is killed: only this goroutine waits for it.
func (h *helper) follow(out io.Reader) {
	defer close(h.gone)
	s := bufio.NewScanner(out)
	s.Buffer(nil, mostPending)
	for s.Scan() {
		var a nvml.Answer
		if err := json.Unmarshal(s.Bytes(), &a); err != nil {
			break
		}
		select {
		case h.answers <- arrived{a, time.Now()}:
		default: // nobody asked
		}
	}
	h.stop()
	_ = h.cmd.Wait()
}

func (h *helper) stop() {
	h.once.Do(func() {
		_ = h.in.Close()
		_ = h.cmd.Process.Kill()
	})
}

// ended gives the helper up, and lets some time go by before the next.
func (n *nvidia) ended(now time.Time, hangs bool) {
	h := n.helper
	n.helper = nil
	h.stop()
	n.after = now.Add(firstPause << (n.starts - 1))
	var last string
	for done := false; !done; { // it may have said why
		select {
		case a := <-h.answers:
			last = a.Error
		default:
			done = true
		}
	}
	switch {
	case last != "":
		n.lacks("gpu", last)
		n.starts = mostStarts // the library itself does not work here
	case hangs: // it was told
	case n.starts >= mostStarts:
		n.lacks("gpu", fmt.Sprintf("the program %s ended %d times and is not started again: %s", nvml.Program, mostStarts, h.said.text()))
	default:
		n.lacks("gpu", fmt.Sprintf("the program %s ended, perhaps with the NVIDIA driver: %s", nvml.Program, h.said.text()))
	}
}

// sample adds what the GPUs say, if they do so within wait.
func (n *nvidia) sample(wait time.Duration, p *processes, o *output) {
	h := n.helper
	if h == nil || h.asked.IsZero() {
		return
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case a := <-h.answers:
		h.asked = time.Time{}
		if a.Error != "" {
			n.lacks("gpu", a.Error)
			n.starts = mostStarts
			n.helper = nil
			h.stop()
			return
		}
		if time.Since(a.at) < lateAnswer {
			n.write(a.Answer, p, o)
		}
	case <-h.gone: // told by the next question
	case <-t.C:
	}
}

func (n *nvidia) write(a nvml.Answer, p *processes, o *output) {
	n.gpus = max(n.gpus, len(a.GPUs))
	of := map[*process]float64{}
	for _, g := range a.GPUs {
		if g.Processes != nil {
			ours := 0.0
			for pid, bytes := range g.Processes {
				if m := p.members[pid]; m != nil {
					ours += float64(bytes)
					of[m] += float64(bytes)
				}
			}
			if g.Values == nil {
				g.Values = map[string]float64{}
			}
			g.Values["job_memory_bytes"] = ours
		}
		n.names.write(o, g.Index, g.Values)
		for name, reason := range g.Lacks {
			if name == "" {
				n.lacks(fmt.Sprintf("gpu/%d", g.Index), reason)
			} else {
				n.lacks("gpu/"+name, reason)
			}
		}
	}
	for _, m := range p.order {
		if bytes, ok := of[m]; ok && m.names != nil {
			o.add(m.names.gpu, bytes)
		}
	}
}

func (n *nvidia) close() {
	if n.helper != nil {
		n.helper.stop()
	}
}

// beginning keeps the first bytes of what a program writes.
type beginning struct {
	mu sync.Mutex
	b  []byte
}

func (t *beginning) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b[:min(len(b), 200-len(t.b))]...)
	return len(b), nil
}

// text is the first line.
func (t *beginning) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, _ := line(t.b)
	if s := strings.TrimSpace(string(l)); s != "" {
		return s
	}
	return "no reason was given"
}
