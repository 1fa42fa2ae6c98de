package agent

import (
	"encoding/json"
	"io"
	"time"

	"github.com/vigil-ml/vigil/internal/live"
)

// events writes live.Event values as JSON lines. A reader that is gone or slow
// must not hold up the capture, so lines wait in a queue; when it is full,
// progress is left out.
type events struct {
	logs   *logs // takes all of it but progress; nil: nobody does
	mu     mutex
	queue  []live.Event
	wake   chan struct{}
	closed bool
	done   chan struct{}
}

const eventQueue = 10_000

func newEvents(w io.Writer, l *logs) *events {
	e := &events{logs: l, mu: mutex{order: lockEvents}, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go e.run(w)
	return e
}

func (e *events) send(ev live.Event) {
	ev.Time = time.Now().UTC()
	e.logs.event(ev)
	e.mu.Lock()
	if !e.closed && (len(e.queue) < 100 || ev.Progress == nil) && len(e.queue) < eventQueue {
		e.queue = append(e.queue, ev)
	}
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func (e *events) notice(level, text, hint string) {
	e.send(live.Event{Notice: &live.Notice{Level: level, Text: text, Hint: hint}})
}

func (e *events) run(w io.Writer) {
	defer close(e.done)
	enc := json.NewEncoder(w)
	broken := false
	for range e.wake {
		for {
			e.mu.Lock()
			list, closed := e.queue, e.closed
			e.queue = nil
			e.mu.Unlock()
			for _, ev := range list {
				if !broken && enc.Encode(ev) != nil {
					broken = true // nobody reads any more; the run goes on
				}
			}
			if len(list) > 0 {
				continue
			}
			if closed {
				return
			}
			break
		}
	}
}

// close writes what is left, for two seconds at most.
func (e *events) close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
	select {
	case <-e.done:
	case <-time.After(2 * time.Second):
	}
}
