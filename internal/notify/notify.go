// Package notify tells the world outside of a run about a finding or a status: by mail, by
// webhook, in a chat, by text message, as a metric. It knows how to reach each
// kind of place and what went wrong; when, how often and whether again is for
// the actions to decide.
package notify

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Message is what is told: one firing of a rule in one run, or a change of
// status.
type Message struct {
	ID      string          // the same at every try, so that a receiver can tell what it has seen
	Run     string          // name of the run
	Path    string          // of the run
	Finding record.Finding  // the first of the firing
	Follows *record.Follows // the root cause that the finding follows from; nil where none is known
	Change  *record.Change  // what is told in its place
	Event   json.RawMessage // the event document; see Event
}

// Target is one place that messages go to.
type Target interface {
	// String is the kind and the place, for people and the record. It holds no
	// secret: of an address only the host.
	String() string
	// Send tries once. Its error is an *Error.
	Send(ctx context.Context, m *Message) error
}

// Error is a message that did not arrive.
type Error struct {
	Message   string        // what happened, without secrets
	Permanent bool          // another try would end the same way
	After     time.Duration // the receiver asked for that much time before the next try
}

func (e *Error) Error() string { return e.Message }

// Permanent reports that another try makes no sense.
func Permanent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Permanent
}

// After is the time that the receiver asked for, or 0.
func After(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.After
	}
	return 0
}

// Spec is one notification as the configuration says it; one of the pointers
// is set.
type Spec struct {
	Mail    *Mail    `json:"mail,omitempty"`
	Webhook *Webhook `json:"webhook,omitempty"`
	Slack   *Chat    `json:"slack,omitempty"`
	Discord *Chat    `json:"discord,omitempty"`
	Text    *Text    `json:"text,omitempty"`
	Metric  *Metric  `json:"metric,omitempty"`
}

// Kinds are the names of the kinds, as the configuration writes them.
var Kinds = []string{"mail", "webhook", "slack", "discord", "text", "metric"}

// Kind is the name of the kind, "" when nothing is set.
func (s Spec) Kind() string {
	switch {
	case s.Mail != nil:
		return "mail"
	case s.Webhook != nil:
		return "webhook"
	case s.Slack != nil:
		return "slack"
	case s.Discord != nil:
		return "discord"
	case s.Text != nil:
		return "text"
	case s.Metric != nil:
		return "metric"
	}
	return ""
}

// Check reports what is wrong or missing, without looking at any secret.
func (s Spec) Check() error {
	switch s.Kind() {
	case "mail":
		return s.Mail.check()
	case "webhook":
		return s.Webhook.check()
	case "slack":
		return s.Slack.check()
	case "discord":
		return s.Discord.check()
	case "text":
		return s.Text.check()
	case "metric":
		return s.Metric.check()
	}
	return errors.New("it does nothing")
}

// Refs are the secrets that the notification needs.
func (s Spec) Refs() []Ref {
	var list []Ref
	switch s.Kind() {
	case "mail":
		list = []Ref{s.Mail.Server.User, s.Mail.Server.Password}
	case "webhook":
		list = []Ref{s.Webhook.URL, s.Webhook.Secret}
	case "slack":
		list = []Ref{s.Slack.URL}
	case "discord":
		list = []Ref{s.Discord.URL}
	case "text":
		g := s.Text.Gateway
		list = []Ref{g.URL, g.User, g.Password, g.Token}
		for _, f := range g.Fields {
			list = append(list, f.Value)
		}
	}
	var named []Ref
	for _, r := range list {
		if r.secret() {
			named = append(named, r)
		}
	}
	return named
}

// Targets are the places of a notification: one for each recipient, so that
// one who cannot be reached keeps nothing from the others. A metric is no such
// place; see NewPublisher.
func (s Spec) Targets(secrets *Secrets) []Target {
	var list []Target
	switch s.Kind() {
	case "mail":
		for _, to := range s.Mail.To {
			list = append(list, &mailTarget{server: s.Mail.Server, to: to, secrets: secrets})
		}
	case "webhook":
		list = append(list, &webhookTarget{spec: *s.Webhook, secrets: secrets})
	case "slack":
		list = append(list, &chatTarget{kind: "slack", url: s.Slack.URL, payload: slackPayload, secrets: secrets})
	case "discord":
		list = append(list, &chatTarget{kind: "discord", url: s.Discord.URL, payload: discordPayload, secrets: secrets})
	case "text":
		for _, to := range s.Text.To {
			list = append(list, &textTarget{gateway: s.Text.Gateway, to: to, secrets: secrets})
		}
	}
	return list
}
