package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// Secrets of the test; none of them may be found anywhere afterwards.
const (
	mailPassword = "hunter2-mail"
	hookSecret   = "hunter2-hook"
	chatURLEnd   = "/services/hunter2-chat"
)

// strict is a mail server that takes no password, and says the one it got.
type strict struct{}

func (strict) NewSession(*smtp.Conn) (smtp.Session, error) { return strict{}, nil }
func (strict) AuthMechanisms() []string                    { return []string{sasl.Plain} }
func (strict) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "not " + password}
	}), nil
}
func (strict) Mail(string, *smtp.MailOptions) error { return nil }
func (strict) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (strict) Data(io.Reader) error                 { return nil }
func (strict) Reset()                               {}
func (strict) Logout() error                        { return nil }

// receiver keeps what webhooks get.
type receiver struct {
	mu   sync.Mutex
	got  []http.Header
	body [][]byte
}

func (s *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got, s.body = append(s.got, r.Header), append(s.body, b)
}

func (s *receiver) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

// TestNotifications trains into NaN while nobody who is to be told can be
// reached. The agent is killed between the firing and the delivery; the next
// one delivers, once. What could not be delivered is on record, and no secret
// is, anywhere.
func TestNotifications(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mails := smtp.NewServer(strict{})
	mails.Domain, mails.AllowInsecureAuth, mails.ErrorLog = "localhost", true, log.New(io.Discard, "", 0)
	go mails.Serve(l)
	defer mails.Close()
	later, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := later.Addr().String()
	later.Close()

	t.Setenv("TEST_MAIL_PASSWORD", mailPassword)
	t.Setenv("TEST_CHAT", "http://"+at+chatURLEnd)
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(hookSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	metrics := t.TempDir()
	severe := config.When{Severity: record.Error}
	set := settings(t)
	set.Config.Every = 1
	set.Config.Actions = []config.Action{
		{On: severe, Notify: notify.Spec{Mail: &notify.Mail{To: []string{"me@example.com"}, Server: notify.SMTP{
			Server: l.Addr().String(), TLS: notify.NoTLS, User: notify.Ref{Text: "vigil"}, Password: notify.Ref{Env: "TEST_MAIL_PASSWORD"}, From: "vigil@example.com"}}}},
		{On: severe, Notify: notify.Spec{Webhook: &notify.Webhook{URL: notify.Ref{Text: "http://" + at + "/hook"}, Secret: notify.Ref{File: key}}}},
		{On: severe, Notify: notify.Spec{Slack: &notify.Chat{URL: notify.Ref{Env: "TEST_CHAT"}}}},
		{On: severe, Notify: notify.Spec{Metric: &notify.Metric{Textfile: metrics}}},
		{On: severe, Broken: &config.Broken{Name: "telegram", Why: `unknown action "telegram"`}},
		{On: severe, Command: []string{"sh", "-c", "echo the password is $TEST_MAIL_PASSWORD"}},
	}

	p := startProcess(t, set)
	wait(t, "the agent's socket", func() bool { return listens(set) })
	h := started(t, set, hook.Options{Model: "Net"})
	step := func(loss float64) {
		s := h.Begin(hook.Train)
		s.Loss(loss)
		s.End()
	}
	for range 5 {
		step(1)
	}
	step(math.NaN())
	state := func(action string) (a record.Attempt) {
		tr, err := trial.Open(filepath.Join(set.Dir, set.Name))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		for _, o := range tr.Attempts() {
			if o.Action == action && o.Finding.Rule == "not_finite" {
				a = o
			}
		}
		return a
	}
	wait(t, "the first tries", func() bool {
		return state("webhook").State == record.Waiting && state("slack").State == record.Waiting && state("mail").State == record.Undone && state("command").State == record.Done
	})
	p.kill()
	again, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	s := &receiver{}
	srv := &http.Server{Handler: s}
	go srv.Serve(again)
	defer srv.Close()
	set.Takeover = true
	a := startAgent(t, set)
	step(math.NaN())
	wait(t, "the deliveries", func() bool { return s.count() == 2 })
	h.Close()
	a.completed()

	if n := s.count(); n != 2 {
		t.Errorf("%d deliveries", n)
	}
	for i, b := range s.body {
		if s.got[i].Get("webhook-id") == "" {
			continue // the chat's
		}
		var e struct {
			Detail struct {
				TrainingJobName, TrainingJobStatus string
				DebugRuleEvaluationStatuses        []struct{ RuleConfigurationName, RuleEvaluationStatus string }
			}
		}
		if err := json.Unmarshal(b, &e); err != nil || e.Detail.TrainingJobName != "run" || e.Detail.TrainingJobStatus != "InProgress" {
			t.Errorf("event %s, %v", b, err)
		}
		found := false
		for _, r := range e.Detail.DebugRuleEvaluationStatuses {
			found = found || r.RuleConfigurationName == "not_finite" && r.RuleEvaluationStatus == "IssuesFound"
		}
		if !found || s.got[i].Get("webhook-id") != state("webhook").ID || s.got[i].Get("webhook-signature") == "" {
			t.Errorf("header %q, event %s", s.got[i], b)
		}
	}
	want := map[string]string{
		"mail":     "mail to me@example.com about not_finite: failed: the mail server did not accept user and password: 535 5.7.8 not ***",
		"telegram": `telegram about not_finite: failed: unknown action "telegram"`,
	}
	for _, action := range []string{"webhook", "slack", "metric", "command"} {
		want[action] = record.Done
	}
	for action, w := range want {
		if got := state(action); got.State != w && got.Outcome() != w {
			t.Errorf("%s stands so: %s", action, got.Outcome())
		}
	}
	var sum []string
	events := a.list()
	for _, e := range events {
		if e.Summary != nil {
			for _, u := range e.Summary.Actions {
				sum = append(sum, u.Action)
			}
		}
	}
	if strings.Join(sum, " ") != "mail telegram" {
		t.Errorf("the summary has %q", sum)
	}
	b, err := os.ReadFile(filepath.Join(metrics, "vigil-vigil_rule_firings-run.prom"))
	if err != nil || !strings.Contains(string(b), `configuration="not_finite",rule="not_finite",run="run"} 1`) {
		t.Errorf("metric (%v):\n%s", err, b)
	}

	said, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	clean := func(what string, b []byte) {
		for _, secret := range []string{mailPassword, hookSecret, "hunter2"} {
			if bytes.Contains(b, []byte(secret)) {
				t.Errorf("%s holds %q", what, secret)
			}
		}
	}
	clean("the event stream", said)
	files := 0
	err = filepath.WalkDir(set.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		clean(path, b)
		return err
	})
	if err != nil || files < 8 {
		t.Errorf("%d files, %v", files, err)
	}
}
