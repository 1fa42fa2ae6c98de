package config

import (
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
)

// commandTimeout is that of a command that names none.
const commandTimeout = 30 * time.Second

// actionKeys are the keys of an action; it has one of those before "on".
var actionKeys = append(append([]string{"command"}, notify.Kinds...), "on", "timeout")

// action reads one of the actions.
func (d *document) action(l *layer, item ast.Node) error {
	pairs, err := d.mapping(item, "an action")
	if err != nil {
		return err
	}
	a := action{Action: Action{At: d.at(item)}, on: string(record.Warning), onAt: d.at(item)}
	does := ""
	for _, p := range pairs {
		switch p.key {
		case "on":
			a.onAt = d.at(p.value)
			a.on, err = d.joined(p.value, p.key)
		case "timeout":
			var text string
			if text, err = d.text(p.value, p.key); err == nil {
				a.Timeout, err = parseTimeout(text)
				err = d.wrap(p.value, err)
			}
		default:
			if does != "" && slices.Contains(actionKeys, p.key) {
				return d.fail(p.keyNode, "write two actions, each with its own dash", "an action does one thing, not both %s and %s", does, p.key)
			}
			does = p.key
			err = d.deed(&a.Action, p)
		}
		if err != nil {
			return err
		}
	}
	if does == "" {
		return d.fail(item, "write one of "+strings.Join(actionKeys[:len(actionKeys)-2], ", "), "an action without effect")
	}
	if a.Timeout == 0 && len(a.Command) > 0 {
		a.Timeout = commandTimeout
	}
	l.actions = append(l.actions, a)
	return nil
}

// deed reads what an action does.
func (d *document) deed(a *Action, p pair) (err error) {
	switch p.key {
	case "command":
		if _, isText := scalar(p.value); isText {
			return d.fail(p.value, `write a list: command: [program, argument]; for a shell: [sh, -c, "..."]`, "the command must be a list; no shell parses it")
		}
		if a.Command, err = d.texts(p.value, p.key); err == nil && (len(a.Command) == 0 || a.Command[0] == "") {
			err = d.fail(p.value, "write command: [program, argument]", "an action without a command")
		}
	case "mail":
		a.Notify.Mail = &notify.Mail{}
		a.Notify.Mail.To, err = d.recipients(p, "a mail")
	case "text":
		a.Notify.Text = &notify.Text{}
		a.Notify.Text.To, err = d.recipients(p, "a text message")
	case "webhook":
		a.Notify.Webhook = &notify.Webhook{}
		err = d.webhook(a.Notify.Webhook, p)
	case "slack":
		a.Notify.Slack = &notify.Chat{}
		err = d.chat(a.Notify.Slack, p)
	case "discord":
		a.Notify.Discord = &notify.Chat{}
		err = d.chat(a.Notify.Discord, p)
	case "metric":
		a.Notify.Metric = &notify.Metric{}
		err = d.metric(a.Notify.Metric, p)
	default:
		err = d.unknown(p, "an action", actionKeys...)
	}
	return err
}

// recipients are one, a list, or {to: ...}.
func (d *document) recipients(p pair, what string) ([]string, error) {
	switch plainNode(p.value).(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		pairs, err := d.mapping(p.value, what)
		if err != nil {
			return nil, err
		}
		var to []string
		for _, q := range pairs {
			if q.key != "to" {
				return nil, d.unknown(q, what, "to")
			}
			if to, err = d.texts(q.value, q.key); err != nil {
				return nil, err
			}
		}
		return to, nil
	}
	return d.texts(p.value, p.key)
}

func (d *document) webhook(w *notify.Webhook, p pair) (err error) {
	if text, ok := scalar(p.value); ok {
		w.URL.Text = text
		return nil
	}
	return d.each(p, "a webhook", map[string]func(ast.Node) error{
		"url":    d.into(&w.URL, "url", false),
		"secret": d.into(&w.Secret, "secret", true),
	})
}

func (d *document) chat(c *notify.Chat, p pair) error {
	if text, ok := scalar(p.value); ok {
		c.URL.Text = text
		return nil
	}
	return d.each(p, p.key, map[string]func(ast.Node) error{"url": d.into(&c.URL, "url", false)})
}

func (d *document) metric(m *notify.Metric, p pair) error {
	return d.each(p, "a metric", map[string]func(ast.Node) error{
		"name":     d.plain(&m.Name, "name"),
		"listen":   d.plain(&m.Listen, "listen"),
		"textfile": d.plain(&m.Textfile, "textfile"),
	})
}

// service reads the mail server, or the gateway for text messages.
func (d *document) service(l *layer, p pair) error {
	if p.key == "smtp" {
		s := &notify.SMTP{}
		l.smtp = s
		err := d.each(p, p.key, map[string]func(ast.Node) error{
			"server": d.plain(&s.Server, "server"),
			"tls": func(n ast.Node) error {
				text, err := d.text(n, "tls")
				if err == nil {
					s.TLS, err = oneOf(text, notify.StartTLS, notify.Implicit, notify.NoTLS)
					err = d.wrap(n, err)
				}
				return err
			},
			"user":     d.into(&s.User, "user", false),
			"password": d.into(&s.Password, "password", true),
			"from":     d.plain(&s.From, "from"),
		})
		if err == nil {
			if e := s.Check(); e != nil {
				err = d.fail(p.keyNode, "", "smtp: %v", e)
			}
		}
		return err
	}
	g := &notify.Gateway{}
	l.gateway = g
	return d.each(p, p.key, map[string]func(ast.Node) error{
		"url":      d.into(&g.URL, "url", false),
		"user":     d.into(&g.User, "user", false),
		"password": d.into(&g.Password, "password", true),
		"token":    d.into(&g.Token, "token", true),
		"json": func(n ast.Node) error {
			text, err := d.text(n, "json")
			if err == nil {
				g.JSON, err = parseBool(text)
				err = d.wrap(n, err)
			}
			return err
		},
		"fields": func(n ast.Node) error {
			pairs, err := d.mapping(n, "fields")
			if err != nil {
				return err
			}
			for _, q := range pairs {
				f := notify.Field{Name: q.key}
				if err := d.into(&f.Value, q.key, false)(q.value); err != nil {
					return err
				}
				g.Fields = append(g.Fields, f)
			}
			return nil
		},
	})
}

// each reads the keys of a mapping.
func (d *document) each(p pair, what string, read map[string]func(ast.Node) error) error {
	pairs, err := d.mapping(p.value, what)
	if err != nil {
		return err
	}
	for _, q := range pairs {
		f, ok := read[q.key]
		if !ok {
			var known []string
			for k := range read {
				known = append(known, k)
			}
			return d.unknown(q, what, known...)
		}
		if err := f(q.value); err != nil {
			return err
		}
	}
	return nil
}

// plain reads a text.
func (d *document) plain(to *string, key string) func(ast.Node) error {
	return func(n ast.Node) (err error) {
		*to, err = d.text(n, key)
		return err
	}
}

// into reads a value that may be, or when it is a secret must be, the name of
// a variable or of a file. What was written in its place is not repeated.
func (d *document) into(to *notify.Ref, key string, secret bool) func(ast.Node) error {
	return func(n ast.Node) error {
		if text, ok := scalar(n); ok {
			if secret {
				return d.fail(n, "write "+key+": {env: NAME} or "+key+": {file: PATH}", "the %s must not be in this file", key)
			}
			to.Text = text
			return nil
		}
		err := d.each(pair{key: key, value: n}, key, map[string]func(ast.Node) error{"env": d.plain(&to.Env, "env"), "file": d.plain(&to.File, "file")})
		if err == nil && (to.Env == "") == (to.File == "") {
			err = d.fail(n, "", "%s needs either env or file", key)
		}
		return err
	}
}
