package agent

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// told are the changes that documents tell of, each once by its id, in words.
func told(t *testing.T, docs [][]byte) (list []string, times map[string]int) {
	t.Helper()
	times = map[string]int{}
	for _, doc := range docs {
		id, c, err := notify.ReadChange(doc)
		if err != nil || c == nil {
			t.Fatalf("event %s: %v", doc, err)
		}
		if times[id]++; times[id] == 1 {
			var e struct {
				Detail struct{ TrainingJobStatus string }
			}
			if err := json.Unmarshal(doc, &e); err != nil {
				t.Fatal(err)
			}
			list = append(list, e.Detail.TrainingJobStatus+" | "+c.Title())
		}
	}
	return list, times
}

// TestStatusEvents follows the statuses of a run and its rules through agents
// that are killed: every change arrives, under one id, and is in the file
// of events once.
func TestStatusEvents(t *testing.T) {
	t.Parallel()
	s := &receiver{}
	down := true // so that deliveries are under way when the agent is killed
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		refuse := down
		s.mu.Unlock()
		if refuse {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		s.ServeHTTP(w, r)
	}))
	defer server.Close()
	lines := filepath.Join(t.TempDir(), "lines")
	onStatus := config.When{Status: true}
	set := settings(t)
	set.Config.Rules = "none"
	set.Config.Rule = []config.RuleConfig{
		{Rule: "not_finite", Configuration: "not_finite"},
		{Rule: "vanishing_gradient", Configuration: "quiet"},
		{Rule: "vanishing_gradient", Configuration: "misspelt", Params: map[string]string{"threshhold": "1"}},
		{Rule: "nothing_there", Configuration: "nothing_there", Params: map[string]string{"expression": `series("nothing").last() > 1`}},
	}
	set.Config.Actions = []config.Action{
		{On: onStatus, Notify: notify.Spec{Webhook: &notify.Webhook{URL: notify.Ref{Text: server.URL}}}},
		{On: onStatus, Command: []string{"sh", "-c", "cat >> '" + lines + "'"}},
	}
	p := startProcess(t, set)
	wait(t, "the agent's socket", func() bool { return listens(set) })
	h := started(t, set, hook.Options{Model: "Net"})
	step := func(loss float64) {
		s := h.Begin(hook.Train)
		s.Loss(loss)
		s.End()
	}
	attempts := func() (list []record.Attempt) {
		tr, err := trial.Open(filepath.Join(set.Dir, set.Name))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		return tr.Attempts()
	}
	restart := func() {
		p.kill()
		set.Takeover = true
		p = startProcess(t, set)
	}
	step(1)
	wait(t, "the first change", func() bool { return len(attempts()) == 2 })
	restart()
	step(math.NaN())
	wait(t, "the second change", func() bool { return len(attempts()) == 4 })
	restart()
	s.mu.Lock()
	down = false
	s.mu.Unlock()
	step(1)
	wait(t, "deliveries after the restart", func() bool { return s.count() >= 2 })
	h.Close()
	p.end(t, Ended{Status: record.Completed})
	server.Close()

	want := []string{
		"InProgress | the run is running; misspelt: Error",
		"InProgress | not_finite: IssuesFound",
		"Completed | the run is completed; quiet: NoIssuesFound; nothing_there: Error",
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	got, times := told(t, s.body)
	if len(got) != len(want) || !strings.Contains(strings.Join(got, "\n"), want[2]) {
		t.Errorf("the webhook was told %q, %v", got, times)
	}
	for i := range s.body {
		id, _, _ := notify.ReadChange(s.body[i])
		if s.got[i].Get("webhook-id") != id {
			t.Errorf("event %s came under the id %s", id, s.got[i].Get("webhook-id"))
		}
	}
	tr, err := trial.Open(filepath.Join(set.Dir, set.Name))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	var stored [][]byte
	for _, doc := range tr.StatusEvents() {
		stored = append(stored, doc)
	}
	got, times = told(t, stored)
	if d := cmp.Diff(want, got); d != "" || len(stored) != len(want) {
		t.Errorf("%d events are stored (-want +got):\n%s", len(stored), d)
	}
	for _, a := range tr.Attempts() {
		if a.State != record.Done && a.State != record.Unknown {
			t.Errorf("an action stands so: %s", a.Outcome())
		}
		if times[a.ID] == 0 && a.Action == "webhook" {
			t.Errorf("a delivery has an id that no event has: %+v", a)
		}
	}
	b, err := os.ReadFile(lines)
	if err != nil {
		t.Fatal(err)
	}
	var piped [][]byte
	for d := json.NewDecoder(strings.NewReader(string(b))); d.More(); {
		var doc json.RawMessage
		if err := d.Decode(&doc); err != nil {
			t.Fatalf("what the command got: %v\n%s", err, b)
		}
		piped = append(piped, doc)
	}
	if got, _ = told(t, piped); len(got) == 0 || got[len(got)-1] != want[2] {
		t.Errorf("the command was told %q", got)
	}
}
