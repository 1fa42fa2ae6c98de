package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// job writes a run as the agent does.
type job struct {
	*store.Writer
	t    *testing.T
	step int64
}

func newJob(t *testing.T, root, name string) *job {
	t.Helper()
	host, _ := os.Hostname()
	w, err := store.Create(vfs.OS, root, name, record.Run{Format: record.RunFormat, Name: name, Host: host, Started: time.Now().UTC(), Status: record.Running,
		Workers: []record.Worker{{Name: "worker_0", Chief: true}, {Name: "worker_1", Rank: 1}}, Steps: map[string]int64{}, Dropped: map[string]int64{}})
	if err != nil {
		t.Fatal(err)
	}
	return &job{Writer: w, t: t}
}

func (j *job) ok(err error) {
	j.t.Helper()
	if err != nil {
		j.t.Fatal(err)
	}
}

// steps stores n steps of both workers; the loss of worker w at step i is i + 0.5 w.
func (j *job) steps(n int) {
	j.t.Helper()
	for range n {
		var parts []*record.Step
		for w := range 2 {
			name := fmt.Sprintf("worker_%d", w)
			loss := float64(j.step) + 0.5*float64(w)
			if j.step == 3 {
				loss = math.NaN()
			}
			s := &record.Step{Worker: name, Step: j.step, Mode: record.Train, ModeStep: j.step, Time: time.Now().UTC(), Seconds: 0.1,
				Scalars: []record.Scalar{{Name: "loss", Value: loss}}, Stats: []record.TensorStats{{Tensor: "fc|weight", Stats: tensor.Stats{Count: 2, Mean: 7, Min: -1, Max: 15}}}}
			j.ok(j.Append(name, "s"+name, uint64(j.step+1), s))
			parts = append(parts, s)
		}
		j.ok(j.Complete(&record.Complete{Step: j.step, Mode: record.Train, ModeStep: j.step, Time: time.Now().UTC(), Parts: parts}))
		j.step++
	}
}

// listener is an open stream.
type listener struct {
	t      *testing.T
	events chan heard
	cancel context.CancelFunc
	status int
}

type heard struct{ id, name, data string }

func listen(t *testing.T, server, query, last string) *listener {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, _ := http.NewRequestWithContext(ctx, "GET", server+"/api/v1/stream"+query, nil)
	r.Header.Set("Authorization", "Bearer "+rightToken)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	l := &listener{t, make(chan heard, 1000), cancel, answer.StatusCode}
	go func() {
		defer answer.Body.Close()
		defer close(l.events)
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 8<<20)
		var e heard
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch {
			case name == "id":
				e.id = value
			case name == "event":
				e.name = value
			case name == "data":
				e.data = value
			case lines.Text() == "" && e.name != "":
				l.events <- e
				e = heard{}
			}
		}
	}()
	t.Cleanup(cancel)
	return l
}

// next is the next event of a name, decoded into v.
func (l *listener) next(name string, v any) heard {
	l.t.Helper()
	for {
		select {
		case e, ok := <-l.events:
			if !ok {
				l.t.Fatalf("the stream ended before %q", name)
			}
			if e.name != name {
				continue
			}
			if v != nil {
				if err := json.Unmarshal([]byte(e.data), v); err != nil {
					l.t.Fatalf("%s: %v", e.data, err)
				}
			}
			return e
		case <-time.After(time.Minute):
			l.t.Fatalf("no event %q", name)
		}
	}
}

type stepsHeard struct {
	Steps map[string]int64
	Grown []string
}

// upTo collects which series have grown until a step is there.
func (l *listener) upTo(mode string, step int64) string {
	l.t.Helper()
	all := map[string]bool{}
	for {
		var e stepsHeard
		l.next("steps", &e)
		for _, s := range e.Grown {
			all[s] = true
		}
		if e.Steps[mode] > step {
			return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
		}
	}
}

func TestStreamTellsWhatIsNewOfARun(t *testing.T) {
	root := t.TempDir()
	server := serveTest(t, Options{Root: root})
	j := newJob(t, root, "a")
	j.steps(2)
	l := listen(t, server, "?run=a&s=loss&s=fc%257Cweight|max|TRAIN|worker_1&s=none&metrics=1", "")
	var now stepsHeard
	l.next("status", nil)
	l.next("steps", &now)
	if now.Grown == nil || len(now.Grown) != 0 {
		t.Errorf("at the beginning there grew %q", now.Grown)
	}
	j.steps(3)
	if got, want := l.upTo("TRAIN", 4), "fc%7Cweight|max|TRAIN|worker_1, loss"; got != want {
		t.Errorf("%q have grown, want %q", got, want)
	}
	host, _ := os.Hostname()
	j.ok(j.Samples(record.Sample{Host: host, Time: time.Now().UTC(), Values: []record.Scalar{{Name: "cpu/total", Value: 50}}}))
	var m struct {
		Host   string
		Names  []string
		Values []float64
	}
	l.next("metrics", &m)
	if m.Host != host || len(m.Names) != 1 || m.Names[0] != "cpu/total" || m.Values[0] != 50 {
		t.Errorf("metrics %+v", m)
	}
	j.ok(j.Finding(record.Finding{Rule: "dead_relu", Check: "all", Severity: record.Error, Step: 4, Time: time.Now().UTC()}))
	var f struct{ Findings []record.Finding }
	l.next("findings", &f)
	if len(f.Findings) != 1 || f.Findings[0].Rule != "dead_relu" {
		t.Errorf("findings %+v", f)
	}
	j.ok(j.Statuses([]record.RuleStatus{{Rule: "dead_relu"}}))
	l.next("rules", nil)
	j.ok(j.UpdateRun(func(r *record.Run) { r.Plan = append(r.Plan, record.PlanChange{Why: "vigil plan"}) }))
	l.next("plan", nil)
	j.steps(1)
	j.ok(j.UpdateRun(func(r *record.Run) {
		now := time.Now()
		r.Status, r.Ended = record.Completed, &now
	}))
	j.ok(j.Close())
	if got := l.upTo("TRAIN", 5); !strings.Contains(got, "loss") {
		t.Errorf("the last step: %q", got)
	}
	var s StatusNews
	l.next("status", &s)
	if s.Status != record.Completed || s.Live {
		t.Errorf("status %+v", s)
	}
	j.ok(os.RemoveAll(j.Path()))
	l.next("reset", nil)
	if again := listen(t, server, "?run=a", ""); again.status != http.StatusNotFound {
		t.Errorf("the stream of a run that is gone: %d", again.status)
	}
}

// A series of evaluations has grown once training goes on, or the job has ended.
func TestStreamTellsEvaluations(t *testing.T) {
	root := t.TempDir()
	server := serveTest(t, Options{Root: root})
	j := newJob(t, root, "a")
	evaluated := int64(0)
	evaluate := func(batches ...float64) {
		for i, loss := range batches {
			samples := 4.0
			if i == len(batches)-1 {
				samples = 1
			}
			s := &record.Step{Worker: "worker_0", Step: j.step, Mode: record.Eval, ModeStep: evaluated, Time: time.Now().UTC(),
				Scalars: []record.Scalar{{Name: "loss", Value: loss}, {Name: record.SamplesMean, Value: samples}}}
			j.ok(j.Append("worker_0", "sworker_0", uint64(j.step+1), s))
			j.ok(j.Complete(&record.Complete{Step: j.step, Mode: record.Eval, ModeStep: evaluated, Time: s.Time, Parts: []*record.Step{s}}))
			j.step++
			evaluated++
		}
	}
	j.steps(1)
	evaluate(1)
	l := listen(t, server, "?run=a&s=loss%7C%7CEVAL", "")
	l.next("steps", nil)
	evaluate(1, 9)
	if got := l.upTo("EVAL", evaluated-1); got != "" {
		t.Errorf("during an evaluation %q have grown", got)
	}
	j.steps(1)
	if got := l.upTo("TRAIN", 1); got != "loss||EVAL" {
		t.Errorf("after an evaluation %q have grown", got)
	}
	evaluate(3)
	j.ok(j.UpdateRun(func(r *record.Run) {
		now := time.Now()
		r.Status, r.Ended = record.Completed, &now
	}))
	j.ok(j.Close())
	var e stepsHeard
	for len(e.Grown) == 0 {
		l.next("steps", &e)
	}
}

// When an epoch turns out to have another length, what was drawn is elsewhere: the series
// is named although it has no new value.
func TestStreamTellsEpochs(t *testing.T) {
	root := t.TempDir()
	server := serveTest(t, Options{Root: root})
	j := newJob(t, root, "a")
	defer j.Close()
	facts := func(text string) { j.ok(j.UpdateRun(func(r *record.Run) { r.Facts = json.RawMessage(text) })) }
	facts(`{"v":1,"epochs":{"batches":4,"stretches":[{"at":0,"number":1,"updates":0}]}}`)
	j.steps(1)
	l := listen(t, server, "?run=a&s=loss|value|TRAIN", "")
	l.next("steps", nil)
	j.steps(1)
	if got := l.upTo("TRAIN", 1); got != "loss|value|TRAIN" {
		t.Fatalf("%q have grown", got)
	}
	facts(`{"v":1,"epochs":{"batches":4,"stretches":[{"at":0,"number":1,"updates":2}]}}`)
	var e stepsHeard
	if l.next("steps", &e); len(e.Grown) != 1 || e.Steps["TRAIN"] != 2 {
		t.Errorf("when the epochs are elsewhere: %+v", e)
	}
}

func TestStreamGoesOnAfterABreak(t *testing.T) {
	root := t.TempDir()
	server := serveTest(t, Options{Root: root})
	j := newJob(t, root, "a")
	defer j.Close()
	l := listen(t, server, "?run=a&s=loss", "")
	l.next("steps", nil)
	j.steps(1)
	last := l.next("steps", nil)
	l.cancel()
	j.steps(2)
	back := listen(t, server, "?run=a&s=loss", last.id)
	if got := back.upTo("TRAIN", 2); got != "loss" {
		t.Errorf("after the break: %q", got)
	}
	for _, id := range []string{"1234.1-3", "nothing", last.id[:strings.IndexByte(last.id, '-')] + "-999"} {
		other := listen(t, server, "?run=a&s=loss", id)
		if e := <-other.events; e.name != "reset" {
			t.Errorf("after the id %q of nowhere: %+v", id, e)
		}
		other.next("steps", nil)
		other.cancel()
	}
}

func TestStreamResetsWhoIsTooSlow(t *testing.T) {
	topic := &topic{nonce: "n", news: make(chan struct{})}
	topic.stand(StatusNews{Run: "a"}, StepNews{Run: "a"})
	in := &reader{t: topic}
	in.begin("")
	if b, _, _ := in.take(); !strings.Contains(string(b), "event: status") {
		t.Errorf("%s", b)
	}
	for range mostEvents + 5 {
		topic.say("rules", RunNews{"a"})
	}
	if b, _, _ := in.take(); strings.Count(string(b), "event: ") != 3 || !strings.HasPrefix(string(b), "id: n-517\nevent: reset") {
		t.Errorf("%s", b)
	}
	topic.say("rules", RunNews{"a"})
	if b, _, _ := in.take(); strings.Count(string(b), "event: rules") != 1 {
		t.Errorf("%s", b)
	}
	topic.publish(event{name: "metrics", data: make([]byte, 2*mostEventBytes)})
	if topic.bytes > 2*mostEventBytes || len(topic.events) != 1 {
		t.Errorf("%d events of %d bytes are kept", len(topic.events), topic.bytes)
	}
}

func TestStreamSharesOneLookAndEndsWithTheServer(t *testing.T) {
	before := goleak.IgnoreCurrent()
	root := t.TempDir()
	j := newJob(t, root, "a")
	defer j.Close()
	t.Run("serve", func(t *testing.T) {
		s := New(Options{Root: root, Token: rightToken})
		server := serveOne(t, s)
		var all []*listener
		for range 5 {
			l := listen(t, server, "?run=a&s=loss", "")
			l.next("steps", nil)
			all = append(all, l)
		}
		j.steps(1)
		for _, l := range all {
			if got := l.upTo("TRAIN", 0); got != "loss" {
				t.Errorf("%s", got)
			}
		}
		s.watched.mu.Lock()
		if len(s.watched.topics) != 1 || s.watched.readers != 5 {
			t.Errorf("%d topics, %d readers", len(s.watched.topics), s.watched.readers)
		}
		s.watched.mu.Unlock()
		all[0].cancel()
	})
	goleak.VerifyNone(t, before)
}

func TestStreamTellsWhatIsNewInTheList(t *testing.T) {
	root := t.TempDir()
	server := serveTest(t, Options{Root: root})
	l := listen(t, server, "", "")
	type list struct {
		Rows []struct {
			Name, Status, Note string
			Steps              map[string]int64
			Values             map[string]any
		}
		Gone []string
	}
	var news list
	l.next("runs", &news)
	if len(news.Rows) != 0 {
		t.Errorf("at the beginning: %+v", news)
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for news = (list{}); !is(); {
			news = list{}
			l.next("runs", &news)
		}
	}
	j := newJob(t, root, "a")
	until("a new run", func() bool {
		return len(news.Rows) == 1 && news.Rows[0].Name == "a" && news.Rows[0].Status == record.Running
	})
	j.ok(j.UpdateRun(func(r *record.Run) { r.Steps["TRAIN"] = 7 }))
	j.steps(1)
	until("steps", func() bool { return len(news.Rows) == 1 && news.Rows[0].Steps["TRAIN"] == 7 })
	if news.Rows[0].Values != nil {
		t.Errorf("the news bring values %v", news.Rows[0].Values)
	}
	// What is large is asked for; of a run that goes on it is read now and then.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, body := ask(t, server, asked{line: "GET /api/v1/table?c=last.loss", headers: withBearer})
		if strings.Contains(body, `"numbers":[`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the table says %s", body)
		}
	}
	if answer, body := ask(t, server, asked{"PUT /api/v1/runs/a/note", withBearer, `{"note":"x"}`}); answer.StatusCode != 200 {
		t.Fatal(body)
	}
	until("a note", func() bool { return len(news.Rows) == 1 && news.Rows[0].Note == "x" })
	j.ok(j.UpdateRun(func(r *record.Run) {
		now := time.Now()
		r.Status, r.Ended = record.Completed, &now
	}))
	j.ok(j.Close())
	until("the end", func() bool { return len(news.Rows) == 1 && news.Rows[0].Status == record.Completed })
	if answer, body := ask(t, server, asked{line: "DELETE /api/v1/runs/a?name=a", headers: withBearer}); answer.StatusCode != 200 {
		t.Fatal(body)
	}
	until("that it is gone", func() bool { return len(news.Gone) == 1 && news.Gone[0] == "a" })
}

func TestStreamRefusesWhatIsNoSeries(t *testing.T) {
	root := t.TempDir()
	server := serveTest(t, Options{Root: root})
	defer newJob(t, root, "a").Close()
	for _, c := range []struct {
		query string
		want  int
	}{
		{"?run=a&s=loss|value|TRAIN|worker_0", 200},
		{"?run=a&s=loss|||", 200},
		{"?run=a&s=loss|value|DREAM", 422},
		{"?run=a&s=a|b|TRAIN|c|d", 422},
		{"?run=a&s=%25zz", 422},
		{"?run=a&s=|mean", 422},
		{"?run=b", 404},
		{"?run=..", 404},
		{"?run=a" + strings.Repeat("&s=x", mostWanted+1), 422},
	} {
		l := listen(t, server, c.query, "")
		if l.status != c.want {
			t.Errorf("%.60s: %d, want %d", c.query, l.status, c.want)
		}
		l.cancel()
	}
}
