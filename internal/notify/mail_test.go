package notify

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/vigil-ml/vigil/internal/record"
)

var quiet = log.New(io.Discard, "", 0)

func tlsConfig(c tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{c}}
}

// postOffice is an SMTP server that takes mail from vigil, with the password
// hunter2, for everybody but nobody@ and later@.
type postOffice struct {
	mu          sync.Mutex
	mail        []string
	noTLSNeeded bool
}

type session struct {
	office *postOffice
	known  bool
}

func (o *postOffice) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{office: o}, nil }

func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "vigil" || password != "hunter2" {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "go away, " + user + " with " + password}
		}
		s.known = true
		return nil
	}), nil
}

func (s *session) Mail(string, *smtp.MailOptions) error {
	if !s.known && !s.office.noTLSNeeded {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	switch {
	case strings.HasPrefix(to, "nobody@"):
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user here"}
	case strings.HasPrefix(to, "later@"):
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted"}
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	s.office.mail = append(s.office.mail, string(b))
	return err
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }

func (o *postOffice) delivered() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.mail...)
}

// start serves at a port of its own.
func (o *postOffice) start(t *testing.T, mode string, c *tls.Certificate) SMTP {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := smtp.NewServer(o)
	s.Domain, s.ErrorLog, s.ReadTimeout = "localhost", quiet, 20*time.Second
	at := l.Addr().String()
	if c != nil {
		s.TLSConfig = tlsConfig(*c)
	}
	if mode == Implicit {
		l = tls.NewListener(l, s.TLSConfig)
	}
	done := make(chan struct{})
	go func() { defer close(done); s.Serve(l) }()
	t.Cleanup(func() { s.Close(); <-done })
	return SMTP{Server: at, TLS: mode, User: Ref{Text: "vigil"}, Password: Ref{Env: "P"}, From: "Vigil <vigil@example.com>"}
}

// mailTo sends one mail.
func mailTo(t *testing.T, s SMTP, to, password string) error {
	t.Helper()
	spec := Spec{Mail: &Mail{To: []string{to}, Server: s}}
	if err := spec.Check(); err != nil {
		t.Fatal(err)
	}
	known := secrets("P", password)
	err := send(t, spec.Targets(known)[0])
	if err != nil {
		err = &Error{Message: known.Hide(err.Error()), Permanent: Permanent(err)}
	}
	return err
}

func TestMail(t *testing.T) {
	for _, mode := range []string{StartTLS, Implicit} {
		o := &postOffice{}
		s := o.start(t, mode, &trusted)
		if err := mailTo(t, s, "Me <me@example.com>", "hunter2"); err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		list := o.delivered()
		if len(list) != 1 {
			t.Fatalf("%s: %d mails", mode, len(list))
		}
		m, err := mail.ReadMessage(strings.NewReader(list[0]))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"Subject": "SMDebugRule:not_finite fired", "From": `"Vigil" <vigil@example.com>`, "To": `"Me" <me@example.com>`,
			"Message-ID": "<0123456789abcdef0123456789abcdef@vigil>", "Auto-Submitted": "auto-generated",
		} {
			if got := m.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		text, err := io.ReadAll(m.Body)
		for _, want := range []string{"SMDebugRule:not_finite fired. the loss is <NaN> & stays so", "Remedy    divide it by ten", "vigil findings /runs/resnet"} {
			if err != nil || !strings.Contains(strings.ReplaceAll(string(text), "\r\n", "\n"), want) {
				t.Errorf("the mail lacks %q (%v):\n%s", want, err, text)
			}
		}
	}
}

// What follows from a cause that is known names that, in a mail and in a chat,
// and neither cause nor remedy of its own.
func TestFindingThatFollows(t *testing.T) {
	o := &postOffice{}
	s := o.start(t, StartTLS, &trusted)
	known := secrets("P", "hunter2")
	m := message()
	m.Follows = &record.Follows{Rule: "zero_grad", Step: 9}
	if err := (Spec{Mail: &Mail{To: []string{"me@example.com"}, Server: s}}).Targets(known)[0].Send(context.Background(), m); err != nil {
		t.Fatal(err)
	}
	slack, err := json.Marshal(slackPayload(m))
	if err != nil {
		t.Fatal(err)
	}
	discord, err := json.Marshal(discordPayload(m))
	if err != nil {
		t.Fatal(err)
	}
	for kind, text := range map[string]string{"mail": o.delivered()[0], "slack": string(slack), "discord": string(discord)} {
		if !strings.Contains(text, "Follows") || !strings.Contains(text, "zero_grad at step 9") {
			t.Errorf("%s does not name the cause:\n%s", kind, text)
		}
		if strings.Contains(text, "Remedy") || strings.Contains(text, m.Finding.Remedy) || strings.Contains(text, m.Finding.Cause) {
			t.Errorf("%s has a remedy of its own:\n%s", kind, text)
		}
	}
}

// What a mail server may have against a mail, and what is made of it.
func TestMailRefused(t *testing.T) {
	o := &postOffice{}
	s := o.start(t, StartTLS, &trusted)
	failed(t, mailTo(t, s, "me@example.com", "hunter2wrong"), true, "the mail server did not accept user and password: 535")
	failed(t, mailTo(t, s, "nobody@example.com", "hunter2"), true, "the mail server refused the recipient: 550 5.1.1 no such user here")
	failed(t, mailTo(t, s, "later@example.com", "hunter2"), false, "the mail server refused the recipient: 451 4.7.1 greylisted")
	plain := (&postOffice{}).start(t, StartTLS, nil)
	failed(t, mailTo(t, plain, "me@example.com", "hunter2"), true, "does not support STARTTLS")
	for _, mode := range []string{StartTLS, Implicit} {
		failed(t, mailTo(t, (&postOffice{}).start(t, mode, &untrusted), "me@example.com", "hunter2"), true, "certificate is not valid: x509")
	}
	open := (&postOffice{}).start(t, StartTLS, &trusted)
	open.User, open.Password = Ref{}, Ref{}
	failed(t, mailTo(t, open, "me@example.com", ""), true, "the mail server refused the sender: 502 5.7.0 Please authenticate first")
	if n := len(o.delivered()); n != 0 {
		t.Errorf("%d mails", n)
	}
	missing := Spec{Mail: &Mail{To: []string{"me@example.com"}, Server: s}}.Targets(secrets())[0]
	failed(t, send(t, missing), true, "the environment variable P is not set")
}

// Without encryption mail goes to this machine only, and no password elsewhere.
func TestMailInTheClear(t *testing.T) {
	o := &postOffice{noTLSNeeded: true}
	s := o.start(t, NoTLS, nil)
	s.User, s.Password = Ref{}, Ref{}
	if err := mailTo(t, s, "me@example.com", ""); err != nil || len(o.delivered()) != 1 {
		t.Errorf("%d mails, %v", len(o.delivered()), err)
	}
}

// A server that takes the connection and says nothing, or is not there.
func TestMailUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := SMTP{Server: l.Addr().String(), TLS: StartTLS, From: "a@example.com"}
	target := Spec{Mail: &Mail{To: []string{"me@example.com"}, Server: s}}.Targets(secrets())[0]
	for _, mode := range []string{StartTLS, Implicit} {
		target.(*mailTarget).server.TLS = mode
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		failed(t, target.Send(ctx, message()), false, "the mail server did not answer in time")
		cancel()
	}
	l.Close()
	failed(t, send(t, target), false, "connection refused")
	var e *Error
	if !errors.As(send(t, target), &e) {
		t.Error("not an *Error")
	}
}

// Ports and ways of encryption that were not said.
func TestMailServers(t *testing.T) {
	for server, want := range map[string]struct {
		host string
		port int
		mode string
	}{
		"mail.example.com": {"mail.example.com", 587, StartTLS}, "mail.example.com:465": {"mail.example.com", 465, Implicit},
		"mail.example.com:2525": {"mail.example.com", 2525, StartTLS}, "[::1]:25": {"::1", 25, StartTLS},
	} {
		host, port, mode, err := SMTP{Server: server}.address()
		if err != nil || host != want.host || port != want.port || mode != want.mode {
			t.Errorf("%s: %s %d %s, %v", server, host, port, mode, err)
		}
	}
}
