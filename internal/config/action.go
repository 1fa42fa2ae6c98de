package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vigil-ml/vigil/internal/notify"
)

// action is one whose rule names are looked up when all are known.
type action struct {
	Action
	on, onAt string
}

// next to makes the files that a configuration names relative to its own place.
func (l *layer) beside(dir string) {
	ref := func(r *notify.Ref) { r.File = absolute(dir, r.File) }
	if l.smtp != nil {
		ref(&l.smtp.User)
		ref(&l.smtp.Password)
	}
	if g := l.gateway; g != nil {
		ref(&g.URL)
		ref(&g.User)
		ref(&g.Password)
		ref(&g.Token)
		for i := range g.Fields {
			ref(&g.Fields[i].Value)
		}
	}
	for _, a := range l.actions {
		n := a.Notify
		switch {
		case n.Webhook != nil:
			ref(&n.Webhook.URL)
			ref(&n.Webhook.Secret)
		case n.Slack != nil:
			ref(&n.Slack.URL)
		case n.Discord != nil:
			ref(&n.Discord.URL)
		case n.Metric != nil:
			n.Metric.Textfile = absolute(dir, n.Metric.Textfile)
		}
	}
}

// absolute is the path of a file that is named from a directory; ~/ is the
// user's own.
func absolute(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	path = filepath.Join(dir, path)
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// joinActions takes the actions of all layers, and those that rules name, and
// checks them.
func (r *Run) joinActions(layers []layer, cat Catalogue, configurations []string) error {
	var smtp notify.SMTP
	var gateway notify.Gateway
	for _, l := range layers {
		if l.smtp != nil {
			smtp = *l.smtp
		}
		if l.gateway != nil {
			gateway = *l.gateway
		}
	}
	for _, l := range layers {
		for _, a := range l.actions {
			var err error
			if a.On, err = parseWhen(a.on, cat, configurations, true); err != nil {
				return usage(fmt.Errorf("%s: on: %w", a.onAt, err), a.onAt, hintOf(err))
			}
			if a.On.Status && a.Notify.Metric != nil {
				return &UsageError{Message: a.onAt + ": on: a metric counts findings, not changes of status", What: a.onAt, Hint: "write a severity or rule names"}
			}
			r.Actions = append(r.Actions, a.Action)
		}
	}
	lenient := map[int]bool{} // those of a request, by their place
	for i := range r.Rule {
		rc := &r.Rule[i]
		text, ok := rc.Params[actionJSON]
		if !ok {
			continue
		}
		// Not kept: rules do not read it, and what is not kept is not shown.
		if delete(rc.Params, actionJSON); len(rc.Params) == 0 {
			rc.Params = nil
		}
		list, err := rulesActions(text, rc.From)
		if err != nil {
			return usage(fmt.Errorf("%s: %s: %w", rc.From, actionJSON, err), rc.From, hintOf(err))
		}
		for _, a := range list {
			lenient[len(r.Actions)] = rc.Lenient
			a.On = When{Rules: []string{rc.Configuration}}
			if a.Broken != nil {
				r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %s: %s; it is skipped", rc.From, actionJSON, a.Broken.Why))
			}
			r.Actions = append(r.Actions, a)
		}
	}
	for i := range r.Actions {
		a := &r.Actions[i]
		if a.Notify.Kind() == "" {
			continue
		}
		switch {
		case a.Notify.Mail != nil:
			a.Notify.Mail.Server = smtp
		case a.Notify.Text != nil:
			a.Notify.Text.Gateway = gateway
		}
		err := a.Notify.Check()
		if err != nil && lenient[i] && (a.Notify.Mail != nil || a.Notify.Text != nil) {
			r.skip(a, err)
			continue
		}
		if err != nil {
			return &UsageError{Message: fmt.Sprintf("%s: %s: %v", a.At, a.Notify.Kind(), err), What: a.At, Hint: "docs/actions.md shows each action", cause: err}
		}
	}
	return nil
}

// MissingSecrets reports which secret of the actions cannot be read, so that it
// is known before anything starts. The error is a *UsageError.
func (r Run) MissingSecrets() error {
	secrets := notify.NewSecrets(nil)
	for _, a := range r.Actions {
		if err := secrets.Missing(a.Notify); err != nil {
			return &UsageError{
				Message: fmt.Sprintf("%s: %s: %v", a.At, a.Notify.Kind(), err), What: a.At,
				Hint: "set it, or take the action out: without it nothing would be sent", cause: err,
			}
		}
	}
	return nil
}
