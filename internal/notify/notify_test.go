package notify

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// trusted is the certificate of the tests' servers. It is good for localhost
// and 127.0.0.1, and the machine trusts it while the tests run; untrusted is
// one that nobody signed.
var trusted, untrusted tls.Certificate

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "notify")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		var root []byte
		trusted, root = certificate()
		untrusted, _ = certificate()
		file := filepath.Join(dir, "roots.pem")
		if err := os.WriteFile(file, root, 0o600); err != nil {
			panic(err)
		}
		os.Setenv("SSL_CERT_FILE", file) // Go reads it at the first connection
		return m.Run()
	}())
}

func certificate() (tls.Certificate, []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// message is what most tests send.
func message() *Message {
	f := record.Finding{
		Rule: "not_finite", RuleClass: "NotFinite", Configuration: "not_finite", Severity: record.Error, Step: 20, ModeStep: 20, Worker: "worker_0",
		Time: time.Date(2026, 3, 1, 10, 15, 0, 0, time.UTC), Check: "value", Subject: "loss", Message: "the loss is <NaN> & stays so",
		CauseClass: "learning-rate", Cause: "the learning rate is too high", Remedy: "divide it by ten", Context: map[string]any{},
	}
	return &Message{ID: "0123456789abcdef0123456789abcdef", Run: "resnet", Path: "/runs/resnet", Finding: f, Event: json.RawMessage(`{"a":1}`)}
}

// secrets are read from these variables.
func secrets(kv ...string) *Secrets {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return NewSecrets(func(name string) (string, bool) { v, ok := m[name]; return v, ok })
}

// failed checks an error and whether it is final.
func failed(t *testing.T, err error, permanent bool, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	if Permanent(err) != permanent || !strings.Contains(err.Error(), want) {
		t.Errorf("permanent %t: %v; want %t: %q", Permanent(err), err, permanent, want)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error holds the secret: %v", err)
	}
}

// golden compares JSON with a file.
func golden(t *testing.T, name string, v any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

// The event has the fields that consumers of the original read.
func TestEvent(t *testing.T) {
	run := record.Run{Name: "resnet", Host: "node7", Started: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), Status: record.Running}
	m := message()
	rules := []RuleState{
		{RuleStatus: record.RuleStatus{Rule: "not_finite", Configuration: "not_finite", Status: "IssuesFound", Details: strings.Repeat("é", 2000)}, Changed: m.Finding.Time},
		{RuleStatus: record.RuleStatus{Rule: "dead_relu", Configuration: "head", Status: "InProgress"}},
	}
	b, err := Event(m, run, rules)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	golden(t, "event.json", v)
}

// What travels in another form is hidden, too; what is no secret stays.
func TestHide(t *testing.T) {
	s := secrets("P", "hunter2 +/", "U", "https://hooks.example/services/T0/B0/hunter2?x=hunter3")
	for _, name := range []string{"P", "U"} {
		if _, err := s.get(Ref{Env: name}); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"said hunter2 +/ twice: hunter2 +/": "said *** twice: ***",
		"hunter2+%2B%2F":                    "***",
		"aHVudGVyMiArLw==":                  "***",
		"Post https://hooks.example/services/T0/B0/hunter2?x=hunter3: no": "Post ***: no",
		"POST /services/T0/B0/hunter2?x=hunter3":                          "POST ***",
		"GET services/T0/B0/hunter2":                                      "GET ***",
		"hooks.example is down":                                           "hooks.example is down",
		"":                                                                "",
	} {
		if got := s.Hide(text); got != want {
			t.Errorf("hide %q: %q, want %q", text, got, want)
		}
	}
}

func FuzzHide(f *testing.F) {
	f.Add("secret", "a secret b")
	f.Add("https://h.example/a?b=c", "x/a?b=c")
	f.Fuzz(func(t *testing.T, secret, text string) {
		s := secrets("S", secret)
		v, err := s.get(Ref{Env: "S"})
		if err != nil || len(v) < 4 {
			return
		}
		if got := s.Hide(text + v + text); !strings.Contains("***"+v, v) || len(strings.Trim(v, "*")) > 3 && strings.Contains(got, v) {
			t.Errorf("%q is left in %q", v, got)
		}
	})
}

// Every word that a finding brings along stays within its line and its limit.
func TestWords(t *testing.T) {
	m := message()
	m.Finding.Message = "one\r\nBcc: all@example.com\x1b[31m" + strings.Repeat("€", 5000)
	m.Finding.Configuration = "a\nb"
	for what, text := range map[string]string{"subject": subject(m), "short": short(m)} {
		if strings.ContainsAny(text, "\r\n\x1b") {
			t.Errorf("%s: %q", what, text)
		}
	}
	if n := len([]rune(short(m))); n > 320 {
		t.Errorf("a text message of %d characters", n)
	}
	if want := "SMDebugRule:a b fired. one  Bcc"; !strings.HasPrefix(body(m), want) {
		t.Errorf("body %q", body(m)[:60])
	}
	if got := fmt.Sprint(Spec{Slack: &Chat{}}.Kind(), Spec{}.Kind()); got != "slack" {
		t.Error(got)
	}
}

// A change of status is told in every form that a finding has.
func TestChange(t *testing.T) {
	m := message()
	m.Finding = record.Finding{}
	m.Change = &record.Change{Number: 3, Time: time.Date(2026, 3, 1, 10, 15, 0, 0, time.UTC), Step: 20, Run: record.Completed, Rules: []record.RuleChange{
		{Rule: "not_finite", Configuration: "not_finite", From: "InProgress", Status: "IssuesFound", Details: "the loss is <NaN>\n& stays so"},
		{Rule: "dead_relu", Configuration: "head", From: "InProgress", Status: "NoIssuesFound"},
	}}
	golden(t, "change_slack.json", slackPayload(m))
	golden(t, "change_discord.json", discordPayload(m))
	ended := m.Change.Time
	run := record.Run{Name: "resnet", Host: "node7", Started: ended.Add(-time.Hour), Ended: &ended, Status: record.Completed}
	b, err := Event(m, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	golden(t, "change_event.json", v)
	id, c, err := ReadChange(b)
	if d := cmp.Diff(m.Change, c); err != nil || id != m.ID || d != "" {
		t.Errorf("read back: %s, %v, %s", id, err, d)
	}
	if want := "Run resnet: the run is completed; not_finite: IssuesFound; head: NoIssuesFound. not_finite: the loss is <NaN> & stays so"; short(m) != want {
		t.Errorf("a text message says %q", short(m))
	}
	want := "Run resnet: the run is completed; not_finite: IssuesFound; head: NoIssuesFound. not_finite: the loss is <NaN> & stays so\n\n" +
		"Run       resnet\nSeverity  warning\nStep      20\n\nvigil findings /runs/resnet\nvigil show /runs/resnet\n"
	if d := cmp.Diff(want, body(m)); d != "" {
		t.Errorf("a mail says (-want +got):\n%s", d)
	}
}

// What is in a file of events may be damaged in any way.
func FuzzReadChange(f *testing.F) {
	m := message()
	m.Change = &record.Change{Number: 1, Run: record.Running, Rules: []record.RuleChange{{Rule: "a", Configuration: "a", From: "InProgress", Status: "Error"}}}
	b, err := Event(m, record.Run{Name: "r", Status: record.Running}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(b))
	f.Add([]byte(`{"id":"x","detail":{"Vigil":{"change":null}}}`))
	f.Add([]byte(`{"detail":{"Vigil":{"change":{"number":-1,"rules":[{}]}}}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		id, c, err := ReadChange(doc)
		if err != nil || c == nil {
			return
		}
		again := &Message{ID: id, Change: c}
		_, _, _ = subject(again), body(again), short(again)
		b, err := Event(again, record.Run{}, nil)
		if err != nil {
			return // a year that RFC 3339 cannot say
		}
		if _, back, err := ReadChange(b); err != nil || back.Number != c.Number || len(back.Rules) != len(c.Rules) {
			t.Errorf("%s becomes %s: %v", doc, b, err)
		}
	})
}
