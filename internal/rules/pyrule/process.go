package pyrule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/feed"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// command says how to start the process of a rule.
type command struct {
	python, lib, binary, source string
	seconds                     time.Duration // longest that one step may take
	raw                         func(worker, tensor string, mode record.Mode, modeStep int64) (rule.Values, error)
	said                        func(line string)
}

// Bounds of time, besides that of a step.
const (
	startTime = 2 * time.Minute  // until the class is there: it may import much, from a slow disk
	stackTime = 2 * time.Second  // for the answer to where it hangs
	lastWords = 10 * time.Second // for what a process that has ended left in its pipes; they end at once unless another process holds them, and a busy machine reads late
)

// program starts the worker without the working directory in Python's path.
const program = `import sys
if sys.path and sys.path[0] == "": del sys.path[0]
from vigil import _rule
_rule.main()
`

// process is the process of one rule, with what goes to it and comes from it.
type process struct {
	c    command
	rule *Rule

	steps, answers *os.File // to the process
	child          *child
	exited         chan struct{} // closed when it has ended
	read           chan struct{} // closed when all that it left in its pipes was read
	prints         prints

	mu     sync.Mutex
	change sync.Cond
	queue  []outgoing
	closed bool

	clock *clock
	stack stack
}

// outgoing is a frame that waits to be written; a turn is one that is answered.
type outgoing struct {
	frame []byte
	turn  bool
}

// startProcess starts the process. What comes of it goes to the rule.
func startProcess(c command, r *Rule) (*process, error) {
	p := &process{c: c, rule: r, exited: make(chan struct{}), read: make(chan struct{})}
	p.change.L = &p.mu
	p.prints = prints{said: c.said, flooded: p.flooded}
	var pipes pipes
	defer pipes.closeTheirs()
	steps, answers := pipes.to(), pipes.to()
	says, stack, stdout, stderr := pipes.from(), pipes.from(), pipes.from(), pipes.from()
	if pipes.err != nil {
		pipes.closeOurs()
		return nil, pipes.err
	}
	p.steps, p.answers = steps.ours, answers.ours
	var err error
	p.child, err = startChild(c.python, []string{"-c", program}, environment(c), []*os.File{nil, stdout.theirs, stderr.theirs, steps.theirs, says.theirs, answers.theirs, stack.theirs})
	if err != nil {
		pipes.closeOurs()
		return nil, err
	}
	p.clock = newClock(p.late)
	p.clock.begin(startTime) // until it says hello
	var reading sync.WaitGroup
	reading.Go(func() { p.listen(says.ours) })
	reading.Go(func() { p.stack.read(stack.ours) })
	reading.Go(func() { p.prints.read(stdout.ours, false) })
	reading.Go(func() { p.prints.read(stderr.ours, true) })
	go p.write()
	go func() {
		p.child.wait()
		close(p.exited)
		// A process that it started and that left the group may hold the pipes.
		for _, f := range []*os.File{says.ours, stack.ours, stdout.ours, stderr.ours} {
			_ = f.SetReadDeadline(time.Now().Add(lastWords))
		}
		reading.Wait()
		close(p.read)
		p.clock.stop()
		p.closeQueue()
		pipes.closeOurs()
	}()
	return p, nil
}

// send hands over a frame; it does not wait.
func (p *process) send(frame []byte, turn bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.queue = append(p.queue, outgoing{frame, turn})
		p.change.Signal()
	}
}

func (p *process) closeQueue() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed, p.queue = true, nil
	p.change.Signal()
}

// write writes frames as the process takes them.
func (p *process) write() {
	for {
		p.mu.Lock()
		for len(p.queue) == 0 && !p.closed {
			p.change.Wait()
		}
		if p.closed {
			p.mu.Unlock()
			return
		}
		o := p.queue[0]
		p.queue[0] = outgoing{}
		p.queue = p.queue[1:]
		p.mu.Unlock()
		if o.turn {
			p.clock.begin(p.c.seconds)
		}
		if _, err := p.steps.Write(o.frame); err != nil {
			return // the process is gone, which listen tells
		}
	}
}

// listen takes what the process says, until it ends.
func (p *process) listen(from io.Reader) {
	err := p.conversation(from)
	if err == nil {
		return
	}
	// The end of the pipe is no news; how the process ended is.
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded) {
		<-p.exited
		err = errors.New(p.child.ending() + p.prints.lastWords())
	}
	p.fail(err.Error())
}

// fail ends the rule with a text, and the process.
func (p *process) fail(text string) {
	p.rule.failedAt(text, p.clock.said())
	p.kill()
}

// conversation is nil when the rule has come to its end.
func (p *process) conversation(from io.Reader) error {
	for {
		kind, b, err := feed.Read(from, maxMessage)
		if err != nil {
			return err
		}
		switch kind {
		case feed.Hello:
			p.clock.done()
		case feed.Ask:
			if err := p.answer(b); err != nil {
				return err
			}
		case feed.Done, feed.Bye:
			m, err := parseMessage(b)
			if err != nil {
				return err
			}
			p.clock.done()
			p.prints.turn()
			if kind == feed.Bye {
				p.rule.bye(m)
				return nil
			}
			if err := p.rule.done(m); err != nil {
				return err
			}
			if m.Over {
				return nil
			}
		case feed.Failed:
			var f failure
			if err := json.Unmarshal(b, &f); err != nil {
				return fmt.Errorf("it says something that cannot be read: %w", err)
			}
			return errors.New(f.Error)
		default:
			return fmt.Errorf("it sent something that cannot be read (%q)", kind)
		}
	}
}

// answer gives the process the values it asks for.
func (p *process) answer(question []byte) error {
	q, err := feed.ParseQuestion(question)
	if err != nil {
		return err
	}
	var b []byte
	err = errors.New("raw values cannot be read here")
	if p.c.raw != nil {
		var v rule.Values
		if v, err = p.c.raw(q.Worker, q.Tensor, q.Mode, q.ModeStep); err == nil {
			b, err = feed.Answer(v)
		}
	}
	if err != nil {
		if b, err = feed.JSON(feed.None, map[string]string{"error": err.Error()}); err != nil {
			return err
		}
	}
	_, err = p.answers.Write(b)
	if err != nil {
		return io.ErrUnexpectedEOF // nobody listens: how it ended is told
	}
	return nil
}

// late ends a process that has not answered in its time.
func (p *process) late(after time.Duration) {
	where := ""
	p.child.interrupt()
	if at := p.stack.wait(p.c.source, stackTime); at != "" {
		where = "; it was in " + at
	}
	what, key := "judge the step", " (max_seconds)"
	if !p.clock.said() {
		what, key = "load", ""
	}
	p.fail(fmt.Sprintf("it did not %s within %v%s%s", what, after, key, where))
}

// flooded ends a process that prints without end.
func (p *process) flooded() {
	p.fail(fmt.Sprintf("it printed more than %d KB without a line end", maxPrinted>>10))
}

// kill ends the process and what it has started.
func (p *process) kill() {
	p.closeQueue()
	p.child.kill()
}

// environment is that of the process: the user's, without what would make it
// capture itself.
func environment(c command) []string {
	var env []string
	user, there := "", map[string]bool{}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case name == "PYTHONPATH":
			user = value
		case strings.HasPrefix(name, "VIGIL") && name != "VIGIL_AGENT":
		default:
			env = append(env, kv)
			there[name] = true
		}
	}
	path := c.lib
	if user != "" {
		path += string(filepath.ListSeparator) + user
	}
	env = append(env, "PYTHONPATH="+path, "PYTHONUNBUFFERED=1", "VIGIL=0")
	if c.binary != "" {
		env = append(env, "VIGIL_BIN="+c.binary)
	}
	// The training needs the cores, and each thread takes address space.
	for _, name := range []string{"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"} {
		if !there[name] {
			env = append(env, name+"=1")
		}
	}
	return env
}

// pipes are those between us and the process.
type pipes struct {
	list []pipe
	err  error
}

type pipe struct{ ours, theirs *os.File }

func (l *pipes) to() pipe {
	r, w, err := os.Pipe()
	return l.add(pipe{w, r}, err)
}

func (l *pipes) from() pipe {
	r, w, err := os.Pipe()
	return l.add(pipe{r, w}, err)
}

func (l *pipes) add(p pipe, err error) pipe {
	if err != nil {
		l.err = errors.Join(l.err, fmt.Errorf("make a pipe: %w", err))
		return pipe{}
	}
	l.list = append(l.list, p)
	return p
}

func (l *pipes) closeTheirs() {
	for _, p := range l.list {
		p.theirs.Close()
	}
}

func (l *pipes) closeOurs() {
	for _, p := range l.list {
		p.ours.Close()
	}
}

// stack is where the process was when it was asked.
type stack struct {
	mu   sync.Mutex
	text []byte
}

func (s *stack) read(from io.Reader) {
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		s.mu.Lock()
		if len(s.text) < 64<<10 {
			s.text = append(s.text, b[:n]...)
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

var frameLine = regexp.MustCompile(`File "([^"]*)", line (\d+) in (\S+)`)

// wait is the place in a file that the process was at, once it is told; "" when
// it is not told in time.
func (s *stack) wait(source string, most time.Duration) string {
	for end := time.Now().Add(most); ; time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		text := bytes.Clone(s.text)
		s.mu.Unlock()
		for _, m := range frameLine.FindAllSubmatch(text, -1) {
			if string(m[1]) == source {
				return fmt.Sprintf("%s:%s, in %s", filepath.Base(source), m[2], m[3])
			}
		}
		if time.Now().After(end) {
			return ""
		}
	}
}
