//go:build unix

package action_test

import (
	"io"
	stdlog "log"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/vigil-ml/vigil/internal/action"
	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
)

// picky is a mail server that does not know nobody@.
type picky struct{ taken chan string }

func (p picky) NewSession(*smtp.Conn) (smtp.Session, error) { return p, nil }
func (picky) Mail(string, *smtp.MailOptions) error          { return nil }
func (picky) Reset()                                        {}
func (picky) Logout() error                                 { return nil }

func (picky) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user here"}
	}
	return nil
}

func (p picky) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	p.taken <- string(b)
	return err
}

// A recipient whom the server refuses keeps the mail from nobody else, and is
// not tried again.
func TestMailToSeveral(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := picky{make(chan string, 10)}
	s := smtp.NewServer(p)
	s.Domain, s.ErrorLog = "localhost", stdlog.New(io.Discard, "", 0)
	go s.Serve(l)
	defer s.Close()
	mail := notify.Mail{To: []string{"nobody@example.com", "me@example.com"}, Server: notify.SMTP{Server: l.Addr().String(), TLS: notify.NoTLS, From: "vigil@example.com"}}
	state := dir(t.TempDir())
	for range 2 { // the second finds everything done
		r, log := telling(t, action.Options{State: state}, action.Notice{Spec: notify.Spec{Mail: &mail}})
		r.Fire(dead())
		end(t, r)
		var got []string
		for _, a := range r.Attempts() {
			got = append(got, a.Outcome())
		}
		slices.Sort(got)
		want := []string{
			"mail to me@example.com about dead_relu: done",
			"mail to nobody@example.com about dead_relu: failed: the mail server refused the recipient: 550 5.1.1 no such user here",
		}
		if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("actions stand so:\n%s", strings.Join(got, "\n"))
		}
		for _, w := range log.words() {
			if !strings.HasPrefix(w, "warning: mail to nobody@example.com about dead_relu was not delivered: the mail server refused") {
				t.Errorf("the user reads %q", w)
			}
		}
	}
	if len(p.taken) != 1 || !strings.Contains(<-p.taken, "SMDebugRule:dead_relu fired") {
		t.Errorf("%d more mails", len(p.taken))
	}
}

// A finding that follows from a known cause is told as that; a root has its
// remedy.
func TestMailAboutWhatFollows(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := picky{make(chan string, 10)}
	s := smtp.NewServer(p)
	s.Domain, s.ErrorLog = "localhost", stdlog.New(io.Discard, "", 0)
	go s.Serve(l)
	defer s.Close()
	mail := notify.Mail{To: []string{"me@example.com"}, Server: notify.SMTP{Server: l.Addr().String(), TLS: notify.NoTLS, From: "vigil@example.com"}}
	for _, tt := range []struct {
		name        string
		follows     *record.Follows
		has, hasNot string
	}{
		{"root", nil, "Remedy    lower the learning rate", "Follows"},
		{"symptom", &record.Follows{Rule: "learning_rate", Step: 3}, "Follows   learning_rate at step 3", "Remedy"},
	} {
		asked := 0
		r, _ := telling(t, action.Options{Follows: func(record.Finding) *record.Follows { asked++; return tt.follows }}, action.Notice{Spec: notify.Spec{Mail: &mail}})
		f := dead()
		f.Cause, f.Remedy = "a learning rate that is too high", "lower the learning rate"
		r.Fire(f)
		r.Fire(f)
		end(t, r)
		if got := <-p.taken; !strings.Contains(got, tt.has) || strings.Contains(got, tt.hasNot) {
			t.Errorf("%s: the mail has no %q, or it has %q:\n%s", tt.name, tt.has, tt.hasNot, got)
		}
		if asked != 1 {
			t.Errorf("%s: grouped %d times for one mail", tt.name, asked)
		}
	}
}
