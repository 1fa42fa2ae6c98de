package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strings"

	"github.com/vigil-ml/vigil/internal/notify"
)

// Variables that name the mail server and the gateway for text messages as
// addresses. They may hold secrets, so what they say is read from them each
// time, and never copied.
const (
	smtpVariable    = "VIGIL_SMTP_URL"
	gatewayVariable = "VIGIL_GATEWAY_URL"
)

// services reads the two variables. Errors do not show what they hold.
func (l *layer) services(env map[string]string) error {
	if text := env[smtpVariable]; text != "" {
		s, err := smtpURL(text)
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			return &UsageError{Message: fmt.Sprintf("%s: %v", smtpVariable, err), What: smtpVariable, Hint: "write smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS; smtps:// is encrypted from the first byte"}
		}
		l.smtp = s
	}
	if text := env[gatewayVariable]; text != "" {
		g, err := gatewayURL(text)
		if err != nil {
			return &UsageError{Message: fmt.Sprintf("%s: %v", gatewayVariable, err), What: gatewayVariable, Hint: "write https://USER:PASSWORD@HOST/PATH?To={to}&Body={text}: its parameters are the fields of the form"}
		}
		l.gateway = g
	}
	return nil
}

var errNoAddress = errors.New("it contains no address")

// smtpURL reads smtp://user:password@host:port?from=address.
func smtpURL(text string) (*notify.SMTP, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return nil, errNoAddress
	}
	s := &notify.SMTP{Server: u.Host, From: u.Query().Get("from")}
	switch u.Scheme {
	case "smtp":
	case "smtps":
		s.TLS = notify.Implicit
	default:
		return nil, errors.New("it must begin with smtp:// or smtps://")
	}
	for name, values := range u.Query() {
		switch name {
		case "from":
		case "tls":
			if s.TLS, err = oneOf(values[0], notify.StartTLS, notify.Implicit, notify.NoTLS); err != nil {
				return nil, fmt.Errorf("tls: %w", err)
			}
		default:
			return nil, fmt.Errorf("there is no parameter %q; known are from and tls", name)
		}
	}
	if u.User != nil {
		if _, there := u.User.Password(); !there {
			return nil, errors.New("it has a user but no password")
		}
		s.User, s.Password = notify.Ref{Env: smtpVariable, Part: notify.PartUser}, notify.Ref{Env: smtpVariable, Part: notify.PartPassword}
		if name := u.User.Username(); s.From == "" && strings.Contains(name, "@") {
			s.From = name
		}
	}
	return s, nil
}

// gatewayURL reads https://user:password@host/path?To={to}&Body={text}. Without
// a parameter that holds {text} the form has the fields to and text. #json sends
// an object instead of a form.
func gatewayURL(text string) (*notify.Gateway, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return nil, errNoAddress
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("it must begin with https:// or http://")
	}
	g := &notify.Gateway{URL: notify.Ref{Env: gatewayVariable, Part: notify.PartAddress}}
	switch u.Fragment {
	case "":
	case "json":
		g.JSON = true
	default:
		return nil, errors.New("the part after # is not json")
	}
	if u.User != nil {
		g.User = notify.Ref{Env: gatewayVariable, Part: notify.PartUser}
		if _, there := u.User.Password(); there {
			g.Password = notify.Ref{Env: gatewayVariable, Part: notify.PartPassword}
		}
	}
	query := u.Query()
	var names []string
	for name := range query {
		names = append(names, name)
	}
	sort.Strings(names)
	holds := func(what string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(query.Get(name), what) })
	}
	for _, name := range names {
		f := notify.Field{Name: name, Value: notify.Ref{Env: gatewayVariable, Part: notify.PartQuery(name)}}
		if v := query.Get(name); strings.Contains(v, "{to}") || strings.Contains(v, "{text}") || strings.Contains(v, "{id}") {
			f.Value = notify.Ref{Text: v}
		}
		g.Fields = append(g.Fields, f)
	}
	for _, what := range []string{"to", "text"} {
		if !holds("{" + what + "}") {
			g.Fields = append(g.Fields, notify.Field{Name: what, Value: notify.Ref{Text: "{" + what + "}"}})
		}
	}
	return g, nil
}

// asksToWrite reports whether a request has an action that needs one of the two.
func (l *layer) asksToWrite() bool {
	for _, rc := range l.rules {
		list, err := rulesActions(rc.Params[actionJSON], "")
		if err == nil && slices.ContainsFunc(list, func(a Action) bool { return a.Notify.Mail != nil || a.Notify.Text != nil }) {
			return true
		}
	}
	return false
}

// skip turns an action of a request that cannot be carried out here into a broken
// one: the job runs, and the record of the run says so.
func (r *Run) skip(a *Action, err error) {
	name, variable, key := "email", smtpVariable, "smtp"
	if a.Notify.Text != nil {
		name, variable, key = "sms", gatewayVariable, "gateway"
	}
	why, _, _ := strings.Cut(err.Error(), "; write ")
	r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %s: %s: %s; it is skipped: set %s, or %s in vigil.yaml", a.At, actionJSON, name, why, variable, key))
	*a = Action{Broken: &Broken{Name: name, Why: why}, On: a.On, At: a.At}
}
