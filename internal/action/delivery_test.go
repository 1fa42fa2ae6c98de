//go:build unix

package action_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vigil-ml/vigil/internal/action"
	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
)

// receiver is a webhook's. It keeps the ids that came.
type receiver struct {
	mu     sync.Mutex
	ids    []string
	answer func(n int, w http.ResponseWriter, r *http.Request) // n counts from 1
}

func (s *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.ids = append(s.ids, r.Header.Get("webhook-id"))
	n := len(s.ids)
	s.mu.Unlock()
	if s.answer != nil {
		s.answer(n, w, r)
	}
}

func (s *receiver) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}

func hook(url string) action.Notice {
	return action.Notice{Spec: notify.Spec{Webhook: &notify.Webhook{URL: notify.Ref{Text: url}}}}
}

// telling makes a runner that notifies.
func telling(t *testing.T, o action.Options, notices ...action.Notice) (*action.Runner, *log) {
	t.Helper()
	l := &log{}
	o.Notices, o.Record, o.Run, o.Name, o.ID = notices, l.record, "/runs/x", "x", "this run"
	o.Tell = func(level, text, hint string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.told = append(l.told, level+": "+text)
	}
	r, err := action.NewRunner(o)
	if err != nil {
		t.Fatal(err)
	}
	return r, l
}

func (l *log) states() (list []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.attempts {
		list = append(list, a.State)
	}
	return list
}

func (l *log) words() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.told)
}

func dead() record.Finding { return finding("dead_relu", "dead_relu", record.Warning, 7) }

// closedPort is an address at which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A receiver that is down for an hour: the agent goes on trying ever more
// rarely, says so once, and delivers when it is back; once. The clock is not
// the machine's.
func TestDownForAnHour(t *testing.T) {
	at := closedPort(t)
	up, ready := make(chan struct{}), make(chan struct{})
	s := &receiver{}
	srv := &http.Server{Handler: s}
	defer srv.Close()
	go func() { // outside of the clock's reach
		<-up
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Error(err)
		}
		close(ready)
		srv.Serve(l)
	}()
	synctest.Test(t, func(t *testing.T) {
		r, l := telling(t, action.Options{}, hook("http://"+at))
		f := dead()
		f.Time = time.Now()
		began := time.Now()
		r.Fire(f)
		r.Fire(f)
		if d := time.Since(began); d != 0 {
			t.Errorf("the agent was held up for %s", d)
		}
		time.Sleep(time.Hour)
		if p := r.Pending(); len(p) != 1 || p[0] != "webhook http://"+at {
			t.Errorf("pending: %q", p)
		}
		a := l.last(t)
		if a.State != record.Waiting || a.Tries < 12 || a.Tries > 25 || !strings.Contains(a.Error, "connection refused") || a.Next.Sub(a.Time) > 7*time.Minute {
			t.Errorf("after an hour: %+v", a)
		}
		close(up)
		<-ready
		for i := 0; len(r.Pending()) > 0 && i < 20; i++ {
			time.Sleep(time.Minute)
		}
		end(t, r)
		if a = l.last(t); a.State != record.Done || a.Error != "" || a.Next != nil {
			t.Errorf("at the end: %+v", a)
		}
		if got := s.got(); len(got) != 1 || got[0] != a.ID {
			t.Errorf("ids %q, want %q once", got, a.ID)
		}
		if w := l.words(); len(w) != 2 || !strings.HasPrefix(w[0], "warning: webhook http://"+at+" about dead_relu could not be delivered in 4 tries: ") || !strings.Contains(w[1], "was delivered at try") {
			t.Errorf("the user reads %q", w)
		}
	})
}

// A receiver that never comes back: after a day it is given up.
func TestGivenUp(t *testing.T) {
	at := closedPort(t)
	synctest.Test(t, func(t *testing.T) {
		r, l := telling(t, action.Options{}, hook("http://"+at))
		f := dead()
		f.Time = time.Now()
		r.Fire(f)
		time.Sleep(25 * time.Hour)
		if a := l.last(t); a.State != record.Undone || !strings.Contains(a.Error, "gave up after 24h0m0s: ") {
			t.Errorf("after a day: %+v", a)
		}
		end(t, r)
	})
}

// A receiver says when it wants to be asked again.
func TestRetryAfter(t *testing.T) {
	s := &receiver{answer: func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			w.Header().Set("Retry-After", "1800")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}}
	srv := httptest.NewServer(s)
	defer srv.Close()
	synctest.Test(t, func(t *testing.T) {
		r, l := telling(t, action.Options{}, hook(srv.URL))
		f := dead()
		f.Time = time.Now()
		r.Fire(f)
		time.Sleep(29 * time.Minute)
		if n := len(s.got()); n != 1 {
			t.Errorf("%d tries before the time", n)
		}
		time.Sleep(2 * time.Minute)
		end(t, r)
		if got := s.got(); len(got) != 2 || got[0] != got[1] || l.last(t).State != record.Done {
			t.Errorf("ids %q, %+v", got, l.last(t))
		}
	})
}

// The end of a run waits for what can be delivered, for a bounded time, and
// what was not is on record and said.
func TestEndOfRun(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	s := &receiver{}
	srv := httptest.NewServer(s)
	defer srv.Close()
	down := "http://" + closedPort(t)
	r, l := telling(t, action.Options{Patience: 200 * time.Millisecond}, hook("http://"+silent.Addr().String()), hook(srv.URL), hook(down))
	r.Fire(dead())
	end(t, r)
	how := map[string]string{}
	for _, a := range r.Attempts() {
		how[strings.TrimPrefix(a.Target, "webhook ")] = a.State + " " + a.Error
	}
	if got := how[srv.URL]; got != "done " {
		t.Errorf("the one that answers: %q", got)
	}
	if got := how["http://"+silent.Addr().String()]; got != "failed not delivered before the end of the run: no answer before the end" {
		t.Errorf("the silent one: %q", got)
	}
	if got := how[down]; !strings.HasPrefix(got, "failed not delivered before the end of the run: ") {
		t.Errorf("the one that is down: %q", got)
	}
	if w := l.words(); len(w) != 2 || !strings.Contains(strings.Join(w, "\n"), down+" about dead_relu was not delivered: ") {
		t.Errorf("the user reads %q", w)
	}
	r.Fire(finding("not_finite", "not_finite", record.Error, 9)) // too late, and without effect
	if n := len(r.Attempts()); n != 3 {
		t.Errorf("%d actions", n)
	}
}

// What no further try can fix is not tried again.
func TestRefused(t *testing.T) {
	s := &receiver{answer: func(_ int, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "no hook %s here", r.URL.Path)
	}}
	srv := httptest.NewServer(s)
	defer srv.Close()
	t.Setenv("VIGIL_TEST_URL", srv.URL+"/hunter2")
	missing, invalid := hook(""), hook("")
	missing.Spec.Webhook.URL = notify.Ref{Env: "VIGIL_TEST_MISSING"}
	invalid.Spec.Webhook.URL = notify.Ref{Env: "VIGIL_TEST_INVALID"}
	t.Setenv("VIGIL_TEST_INVALID", "ftp:hunter2")
	forbidden := hook("")
	forbidden.Spec.Webhook.URL = notify.Ref{Env: "VIGIL_TEST_URL"}
	r, l := telling(t, action.Options{}, forbidden, missing, invalid)
	r.Fire(dead())
	end(t, r)
	want := []string{
		"webhook " + srv.URL + ` about dead_relu: failed: the receiver answered 403 Forbidden: "no hook *** here"`,
		"webhook $VIGIL_TEST_MISSING about dead_relu: failed: the environment variable VIGIL_TEST_MISSING is not set",
		"webhook $VIGIL_TEST_INVALID about dead_relu: failed: its url is not an address; write https://HOST/PATH",
	}
	var got []string
	for _, a := range r.Attempts() {
		got = append(got, a.Outcome())
	}
	if !slices.Equal(got, want) {
		t.Errorf("actions stand so:\n%s", strings.Join(got, "\n"))
	}
	if n := len(s.got()); n != 1 {
		t.Errorf("%d tries", n)
	}
	w := l.words()
	if len(w) != 4 || w[0] != "warning: webhook $VIGIL_TEST_MISSING cannot be delivered: the environment variable VIGIL_TEST_MISSING is not set" {
		t.Errorf("the user reads %q", w)
	}
	b, err := json.Marshal(l.attempts)
	if all := string(b) + strings.Join(w, " "); err != nil || strings.Contains(all, "hunter2") {
		t.Errorf("the secret is there (%v): %s", err, all)
	}
}

// An action that is not known is skipped; that is on record. A stop is for the
// run that is meant.
func TestSkipped(t *testing.T) {
	stops := 0
	o := action.Options{
		Broken: []action.Broken{{Name: "telegram", Why: `unknown action "telegram"`}}, Stop: func(record.Finding) { stops++ },
		Stops: []action.Stop{{On: "dead_relu", Prefix: "resnet"}, {On: "not_finite", Prefix: "x"}},
	}
	r, l := telling(t, o)
	r.Fire(dead())
	r.Fire(dead())
	var got []string
	for _, a := range r.Attempts() {
		got = append(got, a.Outcome())
	}
	if len(got) != 2 || got[0] != `telegram about dead_relu: failed: unknown action "telegram"` ||
		got[1] != `stop about dead_relu: failed: nothing was stopped: the name of this run, "x", does not begin with "resnet"` || stops != 0 || len(l.words()) != 2 {
		t.Errorf("%d stops; %q; the user reads %q", stops, got, l.words())
	}
	r.Fire(finding("not_finite", "not_finite", record.Error, 9))
	end(t, r)
	if stops != 1 {
		t.Errorf("%d stops", stops)
	}
}

// A state that cannot be written keeps nobody from being told, and only once.
func TestToldOnAFullDisk(t *testing.T) {
	s := &receiver{}
	srv := httptest.NewServer(s)
	defer srv.Close()
	r, _ := telling(t, action.Options{State: dir(filepath.Join(t.TempDir(), "gone"))}, hook(srv.URL))
	r.Fire(dead())
	r.Fire(dead())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := r.Close(ctx); err == nil || !strings.Contains(err.Error(), "write state of action") {
		t.Errorf("error %v", err)
	}
	if n := len(s.got()); n != 1 {
		t.Errorf("%d deliveries", n)
	}
}

// A metric counts every finding; the record has the first of each
// configuration.
func TestMetric(t *testing.T) {
	d := t.TempDir()
	spec := notify.Spec{Metric: &notify.Metric{Textfile: d}}
	r, l := telling(t, action.Options{Configurations: map[string]string{"dead_relu": "dead_relu", "mine": "not_finite"}}, action.Notice{Spec: spec, On: "warning"})
	for range 3 {
		r.Fire(dead())
	}
	end(t, r)
	b, err := os.ReadFile(filepath.Join(d, "vigil-vigil_rule_firings-x.prom"))
	for _, want := range []string{`{configuration="dead_relu",rule="dead_relu",run="x"} 3`, `{configuration="mine",rule="not_finite",run="x"} 0`} {
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("the file lacks %s (%v):\n%s", want, err, b)
		}
	}
	if s := l.states(); !slices.Equal(s, []string{record.Begun, record.Done}) {
		t.Errorf("states %q", s)
	}
	if err := os.RemoveAll(d); err != nil {
		t.Fatal(err)
	}
	r, l = telling(t, action.Options{}, action.Notice{Spec: spec})
	r.Fire(dead())
	end(t, r)
	if a := l.last(t); a.State != record.Undone || !strings.Contains(a.Error, "no such file") {
		t.Errorf("without its directory: %+v", a)
	}
}

// TestDeliveryHelper is the process that TestDeliveryKilled kills.
func TestDeliveryHelper(t *testing.T) {
	state, url := os.Getenv("VIGIL_TEST_ACTION_STATE"), os.Getenv("VIGIL_TEST_ACTION_URL")
	if url == "" {
		return // not the helper
	}
	r, _ := telling(t, action.Options{State: dir(state)}, hook(url))
	r.Fire(dead())
	time.Sleep(time.Minute)
}

// The agent is killed between the firing and the answer: the next one delivers
// again, under the same id, and the one after that has nothing to do.
func TestDeliveryKilled(t *testing.T) {
	killed := make(chan struct{})
	s := &receiver{answer: func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			<-killed
		}
	}}
	srv := httptest.NewServer(s)
	defer srv.Close()
	state := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestDeliveryHelper$")
	cmd.Env = append(os.Environ(), "VIGIL_TEST_ACTION_STATE="+state, "VIGIL_TEST_ACTION_URL="+srv.URL)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); len(s.got()) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing was delivered")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed: that is its error
	close(killed)
	r, l := telling(t, action.Options{State: dir(state)}, hook(srv.URL))
	r.Fire(dead())
	end(t, r)
	if a := l.last(t); a.State != record.Done || a.ID == "" {
		t.Errorf("%+v", a)
	}
	r, l = telling(t, action.Options{State: dir(state)}, hook(srv.URL))
	r.Fire(dead())
	end(t, r)
	if got := s.got(); len(got) != 2 || got[0] != got[1] || len(l.states()) != 0 {
		t.Errorf("ids %q; then %q", got, l.states())
	}
	// The action is gone from the configuration: that is said, and nothing sent.
	b, err := json.Marshal(map[string]action.Attempt{"webhook 9.1|x": {Action: "webhook", Key: "webhook 9.1|x", State: record.Waiting}})
	if err != nil || dir(state).SaveState("actions", b) != nil {
		t.Fatal(err)
	}
	r, l = telling(t, action.Options{State: dir(state)})
	end(t, r)
	if a := l.last(t); a.State != record.Undone || !strings.Contains(a.Error, "no longer contains this action") {
		t.Errorf("%+v", a)
	}
}
