package agent

import (
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
)

// Times of asking processes where they stand. Together they stay below what
// `vigil stacks` waits for.
const (
	answerTime = time.Second          // for interpreters to answer, and
	eachTime   = 4 * time.Millisecond // for each of them
	signalTime = 4 * time.Second      // for all signals together
)

// stoodAsks are the questions under way of where processes stand.
type stoodAsks struct {
	mu   sync.Mutex // no other lock is taken while it is held
	last uint64
	open map[uint64]chan stood

	one     sync.Mutex // one question at a time
	signals signaller  // used by that question
}

// stood is what a process answers.
type stood struct {
	Ask     uint64 `json:"ask"`
	PID     int    `json:"pid"`
	Name    string `json:"name"` // what multiprocessing calls it
	Threads []struct {
		Name   string               `json:"name"`
		Main   bool                 `json:"main"`
		Frames [][3]json.RawMessage `json:"frames"`
	} `json:"threads"`
}

// begin makes a number for a question, and where its answers come.
func (a *stoodAsks) begin(answers int) (uint64, chan stood) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[uint64]chan stood{}
	}
	a.last++
	c := make(chan stood, answers)
	a.open[a.last] = c
	return a.last, c
}

func (a *stoodAsks) end(ask uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, ask)
}

// take hands an answer to who asked.
func (a *stoodAsks) take(raw json.RawMessage, p capture.Peer) bool {
	var s stood
	if json.Unmarshal(raw, &s) != nil {
		return false
	}
	s.PID = p.PID
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case a.open[s.Ask] <- s: // nil blocks for ever
		return true
	default:
		return false
	}
}

// threads are those of an answer, as far as they can be read.
func (s *stood) threads() []stacks.Thread {
	list := []stacks.Thread{}
	for _, t := range s.Threads {
		thread := stacks.Thread{Name: t.Name, Main: t.Main, Frames: []stacks.Frame{}}
		for _, raw := range t.Frames {
			var f stacks.Frame
			if json.Unmarshal(raw[0], &f.File) == nil && json.Unmarshal(raw[1], &f.Line) == nil && json.Unmarshal(raw[2], &f.Function) == nil {
				thread.Frames = append(thread.Frames, f)
			}
		}
		list = append(list, thread)
	}
	return list
}

// trainers are the workers that are connected and speak Python, by process.
func (j *job) training() map[int]*worker {
	j.mu.Lock()
	defer j.mu.Unlock()
	by := map[int]*worker{}
	for _, w := range j.workers {
		if !w.isClosed() {
			by[w.s.Peer.PID] = w
		}
	}
	return by
}

// standing are the processes of the job, and where each of their threads stands.
// First the hooks are asked. A process whose interpreter does not answer, or that has
// no hook, gets a signal at which Python writes its stacks. It waits up to a few
// seconds.
func (j *job) standing() []stacks.Process {
	j.stood.one.Lock()
	defer j.stood.one.Unlock()
	trainers := j.training()
	list := j.processes(trainers)
	answers := j.askHooks(trainers, list)
	signals := &j.stood.signals
	signals.open(j.set.Socket)
	defer signals.close()
	until := time.Now().Add(signalTime)
	for i := range list {
		p := &list[i]
		if s, answered := answers[p.PID]; answered {
			p.Read, p.Threads = stacks.Asked, s.threads()
			if s.Name != "" {
				p.Name = s.Name
			}
			continue
		}
		p.Read, p.Threads = stacks.Unread, []stacks.Thread{}
		if threads := signals.read(p.PID, until); len(threads) > 0 {
			p.Read, p.Threads = stacks.Signalled, threads
		}
	}
	settle(list)
	return list
}

// settle says of each process what it is to the job.
func settle(list []stacks.Process) {
	at := map[int]*stacks.Process{}
	for i := range list {
		at[list[i].PID] = &list[i]
	}
	for i := range list {
		p := &list[i]
		p.State = processState(p.PID)
		if p.Kind != stacks.Other || !p.LoadsData() {
			continue
		}
		p.Kind = stacks.LoaderWorker
		if parent := at[p.Parent]; parent != nil && parent.Kind == stacks.Rank {
			p.Rank = parent.Rank
		}
	}
}

// processName is what a process was started as, in short: "python train.py".
func processName(pid int) string {
	command, _ := processCommand(pid)
	var words []string
	for i, word := range command {
		if i == 0 || strings.ContainsRune(word, '/') {
			word = filepath.Base(word)
		}
		words = append(words, word)
		if len(words) == 3 || i > 0 && !strings.HasPrefix(word, "-") {
			break
		}
	}
	return cut(strings.Join(words, " "), 60)
}

// askHooks asks all hooks where they stand, and gives the answers that come in time.
func (j *job) askHooks(trainers map[int]*worker, list []stacks.Process) map[int]stood {
	ask, answers := j.stood.begin(len(list) + 1)
	defer j.stood.end(ask)
	n := askWorkers(j.set.Socket, ask, list)
	for _, w := range trainers {
		if w.s.Hello.Language.Name != "python" {
			continue
		}
		n++
		go func() { _ = w.s.Tell(capture.TypeStand, capture.Stand{Ask: ask}) }() // who does not hear it does not answer
	}
	got := map[int]stood{}
	timer := time.NewTimer(answerTime + time.Duration(n)*eachTime)
	defer timer.Stop()
	for len(got) < n {
		select {
		case s := <-answers:
			got[s.PID] = s
		case <-timer.C:
			return got
		}
	}
	return got
}

// askWorkers asks the processes that wait in a loader worker's way, and counts them.
func askWorkers(socket string, ask uint64, list []stacks.Process) (n int) {
	question := fmt.Appendf(nil, `{"stand":%d}`, ask)
	for _, p := range list {
		if p.Kind == stacks.Rank {
			continue
		}
		// A name in the kernel: nobody listens at it where the process has no such thread.
		name := fmt.Sprintf("@vigil/%s/%d", filepath.Base(filepath.Dir(socket)), p.PID)
		c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			continue
		}
		if _, err := c.Write(question); err == nil {
			n++
		}
		c.Close()
	}
	return n
}

// stackLines is where the job stands as lines of a finding's evidence, and as one
// sentence.
func (j *job) stackLines() (lines []string, sentence string) {
	groups := stacks.Groups(j.standing())
	const shown, deep = 6, 6
	for i := range groups {
		g := &groups[i]
		if i == shown {
			lines = append(lines, "and "+strconv.Itoa(len(groups)-shown)+" further groups")
			break
		}
		lines = append(lines, g.Who()+" in "+g.Where())
		for n, f := range g.Frames {
			if n == deep {
				lines = append(lines, "  …")
				break
			}
			lines = append(lines, "  "+f.Place()+" "+f.Function)
		}
	}
	return lines, stacks.Summary(groups)
}

// stallRule is the rule whose findings have the stacks of the job with them.
const stallRule = "stalled_training_rule"

// attachStacks adds where the job stands to a finding about a job that stands still.
func (j *job) attachStacks(f *record.Finding) {
	if f.Rule != stallRule {
		return
	}
	if n, _, _ := j.live(); n == 0 {
		return
	}
	lines, sentence := j.stackLines()
	if sentence == "" {
		return
	}
	context := map[string]any{}
	for k, v := range f.Context {
		context[k] = v
	}
	context["stands_in"], context["stacks"] = sentence, lines
	f.Context = context
}

// Silence is long when no step has come for so many times the usual one, and at
// least for so long.
const (
	silentTimes = 10
	silentLeast = time.Minute
)

// silence notices that a job which made steps makes none any more, and says once
// where it stands.
type silence struct {
	begin func(func()) // in the background
	told  bool
}

// watch is called from time to time while workers are connected.
func (s *silence) watch(j *job, now time.Time) {
	last, usual := j.lastStored()
	if last.IsZero() || usual == 0 {
		return
	}
	quiet := now.Sub(last)
	if quiet < max(silentLeast, silentTimes*usual) {
		s.told = false
		return
	}
	if s.told {
		return
	}
	s.told = true
	s.begin(func() { j.tellSilence(quiet, usual) })
}

// tellSilence says where a silent job stands.
func (j *job) tellSilence(quiet, usual time.Duration) {
	lines, sentence := j.stackLines()
	if sentence == "" {
		return
	}
	length := record.Seconds(quiet.Round(time.Second).Seconds())
	j.logs.say("no step for %s:\n%s", length, strings.Join(lines, "\n"))
	j.events.send(live.Event{Notice: &live.Notice{Level: "warning",
		Text: "no step for " + length + ", where one took " + record.Seconds(usual.Seconds()) + ": " + sentence,
		Hint: "`vigil stacks " + filepath.Base(j.store.Path()) + "` shows the stacks; `vigil logs --agent` keeps these"}})
}

// lastStored is when the newest step came, and how long steps took; zero when that
// is not known.
func (j *job) lastStored() (last time.Time, usual time.Duration) {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	p := &j.progress
	if p.last == nil || len(p.seconds[record.Train])+len(p.seconds[record.Global]) < leastSteps {
		return time.Time{}, 0
	}
	usual = time.Duration(p.training() * float64(time.Second))
	return p.came, max(usual, time.Duration(p.typical(record.Eval)*float64(time.Second)))
}

// leastSteps is how many steps there must have been before silence is judged.
const leastSteps = 20
