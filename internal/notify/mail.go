package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// Mail is a mail to each of the recipients.
type Mail struct {
	To     []string `json:"to"`
	Server SMTP     `json:"server"`
}

// SMTP is the mail server that mails are handed to.
type SMTP struct {
	Server   string `json:"server"` // host or host:port
	TLS      string `json:"tls"`    // StartTLS, Implicit or None; "": by the port
	User     Ref    `json:"user"`
	Password Ref    `json:"password"`
	From     string `json:"from"`
}

// Ways to encrypt the connection to a mail server.
const (
	StartTLS = "starttls" // begins in the clear and must become encrypted
	Implicit = "implicit" // encrypted from the first byte
	NoTLS    = "none"     // only on this machine, or without a password
)

func (m *Mail) check() error {
	if len(m.To) == 0 {
		return errors.New("it has no recipient (to)")
	}
	for _, to := range m.To {
		if err := checkMailbox(to); err != nil {
			return err
		}
	}
	s := m.Server
	if s.Server == "" {
		return errors.New("there is no mail server to send it; write smtp: server and from at the top of the configuration")
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("smtp: %w", err)
	}
	return nil
}

func checkMailbox(text string) error {
	if a, err := netmail.ParseAddress(text); err != nil || strings.ContainsAny(text, "\r\n") || a.Address == "" {
		return fmt.Errorf("%q is not a mail address", text)
	}
	return nil
}

// Check reports what is wrong or missing in the description of a mail server.
func (s SMTP) Check() error {
	host, port, mode, err := s.address()
	switch {
	case err != nil:
		return err
	case s.From == "":
		return errors.New("it has no sender (from)")
	case s.User.IsZero() != s.Password.IsZero():
		return errors.New("user and password belong together")
	case s.Password.Text != "":
		return errors.New("the password is in the configuration itself")
	case mode == NoTLS && !s.Password.IsZero() && !local(host):
		return fmt.Errorf("a password would be sent unencrypted to %q; write tls: starttls", net.JoinHostPort(host, strconv.Itoa(port)))
	}
	return checkMailbox(s.From)
}

// address takes the server apart and fills in what was not said.
func (s SMTP) address() (host string, port int, mode string, err error) {
	host, mode = s.Server, s.TLS
	if h, p, e := net.SplitHostPort(s.Server); e == nil {
		if host = h; p == "" {
			p = "0"
		}
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return "", 0, "", fmt.Errorf("%q is not a server; write HOST or HOST:PORT", s.Server)
		}
	}
	if host == "" || strings.ContainsAny(host, "/ @") {
		return "", 0, "", fmt.Errorf("%q is not a server; write HOST or HOST:PORT", s.Server)
	}
	if mode == "" {
		if mode = StartTLS; port == 465 {
			mode = Implicit
		}
	}
	if port == 0 {
		port = map[string]int{StartTLS: 587, Implicit: 465, NoTLS: 25}[mode]
	}
	return host, port, mode, nil
}

type mailTarget struct {
	server  SMTP
	to      string
	secrets *Secrets
}

func (t *mailTarget) String() string { return "mail to " + t.to }

// dialTime bounds each exchange with a mail server, besides the context.
const dialTime = 30 * time.Second

// Send hands the mail to the server. Its Message-ID is made of the message's
// id, so that a mail that was sent twice can be told.
func (t *mailTarget) Send(ctx context.Context, m *Message) error {
	user, err := t.secrets.get(t.server.User)
	if err != nil {
		return err
	}
	password, err := t.secrets.get(t.server.Password)
	if err != nil {
		return err
	}
	t.secrets.learn("\x00" + user + "\x00" + password)
	msg, err := t.compose(m)
	if err != nil {
		return &Error{Message: "write the mail: " + err.Error(), Permanent: true}
	}
	host, port, mode, err := t.server.address()
	if err != nil {
		return &Error{Message: err.Error(), Permanent: true}
	}
	o := []mail.Option{mail.WithPort(port), mail.WithTimeout(dialTime), mail.WithHELO(hello()), mail.WithoutNoop()}
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	o = append(o, mail.WithTLSConfig(config), mail.WithDialContextFunc(dial(ctx, config, mode == Implicit)))
	switch mode {
	case Implicit:
		o = append(o, mail.WithSSL())
	case StartTLS:
		o = append(o, mail.WithTLSPolicy(mail.TLSMandatory))
	default:
		o = append(o, mail.WithTLSPolicy(mail.NoTLS))
	}
	if user != "" {
		o = append(o, mail.WithUsername(user), mail.WithPassword(password),
			mail.WithOpportunisticSMTPAuth(mail.SMTPAuthPlain, mail.SMTPAuthLogin, mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthSCRAMSHA1, mail.SMTPAuthCramMD5))
	}
	client, err := mail.NewClient(host, o...)
	if err != nil {
		return &Error{Message: err.Error(), Permanent: true}
	}
	err = client.DialAndSendWithContext(ctx, msg)
	if err == nil || msg.IsDelivered() { // once the server has taken it, what follows does not matter
		return nil
	}
	return mailFailure(ctx, err)
}

// compose writes the mail.
func (t *mailTarget) compose(m *Message) (*mail.Msg, error) {
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := msg.From(t.server.From); err != nil {
		return nil, err
	}
	if err := msg.To(t.to); err != nil {
		return nil, err
	}
	msg.Subject(subject(m))
	msg.SetMessageIDWithValue(m.ID + "@vigil")
	msg.SetDateWithValue(m.time())
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, body(m))
	return msg, nil
}

// dial connects so that the end of whole, the context of the try, ends every
// exchange; the library itself watches the context of the dialling only.
func dial(whole context.Context, config *tls.Config, encrypted bool) mail.DialContextFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(whole, func() { conn.Close() })
		if !encrypted {
			return conn, nil
		}
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, err
		}
		return secure, nil
	}
}

// hello is how we introduce ourselves: a name with a dot, which servers ask
// for.
func hello() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		return "vigil.localdomain"
	}
	if !strings.Contains(host, ".") {
		host += ".localdomain"
	}
	return host
}

// mailFailure explains what a mail server said. Replies of the 500s are final.
func mailFailure(ctx context.Context, err error) error {
	var cert *tls.CertificateVerificationError
	var reply *textproto.Error
	var sent *mail.SendError
	switch {
	case errors.As(err, &cert):
		return &Error{Message: "the mail server's certificate is not valid: " + cert.Err.Error(), Permanent: true}
	case errors.As(err, &sent):
		return &Error{Message: refusal(sent), Permanent: sent.ErrorCode() >= 500}
	case errors.As(err, &reply):
		text := fmt.Sprintf("the mail server answered %d %s", reply.Code, line(reply.Msg))
		if reply.Code == 534 || reply.Code == 535 {
			text = fmt.Sprintf("the mail server did not accept user and password: %d %s", reply.Code, line(reply.Msg))
		}
		return &Error{Message: text, Permanent: reply.Code >= 500}
	case ctx.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return &Error{Message: "the mail server did not answer in time"}
	}
	text := line(err.Error())
	final := strings.Contains(text, "does not support") || strings.Contains(text, "autodiscover")
	return &Error{Message: "hand the mail to the server: " + text, Permanent: final}
}

// refusal says what a mail server refused, and with which words.
func refusal(e *mail.SendError) string {
	what := "the mail"
	switch e.Reason {
	case mail.ErrSMTPRcptTo:
		what = "the recipient"
	case mail.ErrSMTPMailFrom:
		what = "the sender"
	}
	words, _, _ := strings.Cut(e.Error(), ", affected ")
	words = strings.TrimPrefix(words, e.Reason.String()+": ")
	return fmt.Sprintf("the mail server refused %s: %s", what, line(strings.ReplaceAll(words, `"`, "")))
}
