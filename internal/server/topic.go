package server

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of a topic.
const (
	mostEvents     = 512     // events that are kept for readers that were away
	mostEventBytes = 4 << 20 // what they may take together
	linger         = 30 * time.Second
)

// event is one piece of news.
type event struct {
	name   string
	data   []byte          // a JSON object
	grown  map[string]bool // of steps: the series that have grown and that anybody asked for
	metric bool            // only for readers that asked for machine metrics
}

func (e *event) size() int {
	n := len(e.data)
	for s := range e.grown {
		n += len(s)
	}
	return n
}

// topic is what is new of one run, or of the list of runs. One goroutine looks for it,
// however many read; when nobody has read for a while it ends.
type topic struct {
	name  string
	nonce string // of this topic; ids of others mean nothing
	end   context.CancelFunc

	mu      sync.Mutex
	events  []event
	bytes   int
	first   int64         // id of events[0]
	state   []event       // how it stands, for who comes new; nil: not looked at yet
	news    chan struct{} // closed when an event came
	readers int
	left    time.Time // when the last reader went
	series  map[string]*interest
	metrics int  // readers that want machine metrics
	over    bool // the run is gone
}

// interest is a series that is asked for.
type interest struct {
	series wanted
	used   int // readers
	left   time.Time
}

// publish hands an event to all readers. t.mu is not held.
func (t *topic) publish(e event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, e)
	t.bytes += e.size()
	for len(t.events) > mostEvents || t.bytes > mostEventBytes && len(t.events) > 1 {
		t.bytes -= t.events[0].size()
		t.events[0] = event{}
		t.events = t.events[1:]
		t.first++
	}
	close(t.news)
	t.news = make(chan struct{})
}

// say is publish of something that becomes JSON.
func (t *topic) say(name string, v any) {
	b, err := json.Marshal(v)
	if err != nil { // a bug; the page reads everything again
		name, b = "reset", []byte("{}")
	}
	t.publish(event{name: name, data: b})
}

// stand notes how things are, for readers that come new.
func (t *topic) stand(status StatusNews, steps StepNews) {
	a, err := json.Marshal(status)
	b, err2 := json.Marshal(struct {
		StepNews
		Grown []string `json:"grown"`
	}{steps, []string{}})
	if err != nil || err2 != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == nil {
		close(t.news)
		t.news = make(chan struct{})
	}
	t.state = []event{{name: "status", data: a}, {name: "steps", data: b}}
}

// standList notes that the list was looked at: what comes is new.
func (t *topic) standList() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state = []event{{name: "runs", data: []byte(`{"rows":[],"gone":[],"building":null}`)}}
	close(t.news)
	t.news = make(chan struct{})
}

// wanted are the series that anybody follows.
func (t *topic) wanted() (list []wanted) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, i := range t.series {
		list = append(list, i.series)
	}
	return list
}

// wantsMetrics reports whether anybody follows machine metrics.
func (t *topic) wantsMetrics() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.metrics > 0
}

// finish ends the topic: there is nothing to follow any more.
func (t *topic) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	close(t.news)
	t.news = make(chan struct{})
}

// id names the place behind an event, for Last-Event-ID.
func (t *topic) id(n int64) string { return t.nonce + "-" + strconv.FormatInt(n, 10) }

// place is the inverse of id: the event to go on with. ok is false when what came
// since is not known any more.
func (t *topic) place(id string) (n int64, ok bool) {
	nonce, number, _ := strings.Cut(id, "-")
	n, err := strconv.ParseInt(number, 10, 64)
	return n, err == nil && nonce == t.nonce && n >= t.first && n <= t.first+int64(len(t.events))
}

// idle reports whether nobody has read for a while, and forgets series that nobody
// has asked for.
func (t *topic) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, i := range t.series {
		if i.used == 0 && time.Since(i.left) > linger {
			delete(t.series, key)
		}
	}
	return t.readers == 0 && time.Since(t.left) > linger
}

// watched are the topics that somebody reads.
type watched struct {
	run func(ctx context.Context, t *topic) // looks for news until ctx or t ends
	log func(text string, args ...any)

	mu      sync.Mutex
	topics  map[string]*topic
	readers int
	closed  bool
	work    sync.WaitGroup
	count   int64
}

// mostReaders bounds the streams that are open.
const mostReaders = 128

// enter is the topic of a name, for one more reader; nil when there are too many.
// leave has to be called.
func (w *watched) enter(name string, series []wanted, metrics bool) (t *topic, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.readers >= mostReaders {
		return nil, nil
	}
	t = w.topics[name]
	if t == nil {
		t = w.begin(name)
	}
	w.readers++
	t.mu.Lock()
	defer t.mu.Unlock()
	t.readers++
	for _, s := range series {
		i := t.series[s.text]
		if i == nil {
			i = &interest{series: s}
			t.series[s.text] = i
		}
		i.used++
	}
	if metrics {
		t.metrics++
	}
	return t, func() { w.leave(t, series, metrics) }
}

func (w *watched) leave(t *topic, series []wanted, metrics bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.readers--
	t.mu.Lock()
	defer t.mu.Unlock()
	t.readers--
	t.left = time.Now()
	for _, s := range series {
		t.series[s.text].used--
		t.series[s.text].left = t.left
	}
	if metrics {
		t.metrics--
	}
}

// begin starts to watch. w.mu is held.
func (w *watched) begin(name string) *topic {
	ctx, cancel := context.WithCancel(context.Background())
	w.count++
	t := &topic{name: name, nonce: fmt.Sprintf("%x.%x", time.Now().UnixNano(), w.count), end: cancel, left: time.Now(),
		news: make(chan struct{}), series: map[string]*interest{}}
	if w.topics == nil {
		w.topics = map[string]*topic{}
	}
	w.topics[name] = t
	w.work.Go(func() {
		defer func() {
			if e := recover(); e != nil {
				w.log("watching failed by a bug", "run", name, "panic", e, "stack", string(debug.Stack()))
			}
			w.mu.Lock()
			if w.topics[name] == t {
				delete(w.topics, name)
			}
			w.mu.Unlock()
			cancel()
			t.finish()
		}()
		w.run(ctx, t)
	})
	return t
}

// close ends all topics and waits for them.
func (w *watched) close() {
	w.mu.Lock()
	w.closed = true
	for _, t := range w.topics {
		t.end()
	}
	w.mu.Unlock()
	w.work.Wait()
}
