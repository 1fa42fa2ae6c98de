package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Chat is a channel of Slack or Discord, by the address that the service gives
// out for it. That address is a secret.
type Chat struct {
	URL Ref `json:"url"`
}

func (c *Chat) check() error { return checkURL(c.URL, false) }

type chatTarget struct {
	kind    string
	url     Ref
	payload func(*Message) any
	secrets *Secrets
}

func (t *chatTarget) String() string { return t.kind + " " + place(t.url, t.secrets) }

// Send posts the message in the form of the service.
func (t *chatTarget) Send(ctx context.Context, m *Message) error {
	to, err := t.secrets.get(t.url)
	if err != nil {
		return err
	}
	t.secrets.learn(to) // a secret also where the configuration says it
	if _, err := address(to, false); err != nil {
		return &Error{Message: err.Error(), Permanent: true}
	}
	b, err := json.Marshal(t.payload(m))
	if err != nil {
		return &Error{Message: "write the message: " + err.Error(), Permanent: true}
	}
	return post(ctx, request{url: to, header: map[string]string{"Content-Type": "application/json"}, body: b})
}

var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slackPayload has a text for notifications and blocks for the channel. Slack
// takes 3,000 characters in a section, 150 in a header.
func slackPayload(m *Message) any {
	c := m.card()
	section := func(format string, args ...any) map[string]any {
		return map[string]any{"type": "section", "text": map[string]any{"type": "mrkdwn", "text": cut(fmt.Sprintf(format, args...), 3000)}}
	}
	esc := func(s string) string { return slackEscape.Replace(cut(line(s), 900)) }
	blocks := []any{
		map[string]any{"type": "header", "text": map[string]any{"type": "plain_text", "text": cut(line(c.title), 150)}},
	}
	if c.text != "" {
		blocks = append(blocks, section("%s", esc(c.text)))
	}
	if c.follows != "" {
		blocks = append(blocks, section("*Follows* %s", esc(c.follows)))
	}
	if c.cause != "" || c.remedy != "" {
		blocks = append(blocks, section("*Cause* %s\n*Remedy* %s", esc(c.cause), esc(c.remedy)))
	}
	where := fmt.Sprintf("run %s · step %s · %s", esc(m.Run), c.step, esc(m.Path))
	blocks = append(blocks, map[string]any{"type": "context", "elements": []any{map[string]any{"type": "mrkdwn", "text": cut(where, 2000)}}})
	return map[string]any{"text": slackEscape.Replace(short(m)), "blocks": blocks}
}

// colours of severities, as numbers that Discord takes.
var colours = map[record.Severity]int{record.Error: 0xd32f2f, record.Warning: 0xf9a825, record.Info: 0x1976d2}

// discordPayload is one embed. Nobody is called by what a finding says.
func discordPayload(m *Message) any {
	c := m.card()
	var fields []any
	field := func(name, value string, inline bool) {
		if value == "" {
			value = "-"
		}
		fields = append(fields, map[string]any{"name": name, "value": cut(line(value), 1024), "inline": inline})
	}
	field("Run", m.Run, true)
	field("Step", c.step, true)
	switch {
	case m.Follows != nil:
		field("Follows", c.follows, false)
	case m.Change == nil:
		field("Cause", c.cause, false)
		field("Remedy", c.remedy, false)
	}
	field("Where", m.Path, false)
	return map[string]any{
		"content":          cut(subject(m), 2000),
		"allowed_mentions": map[string]any{"parse": []string{}},
		"embeds": []any{map[string]any{
			"title": cut(line(c.title), 256), "description": cut(line(c.text), 4000),
			"color": colours[c.severity], "timestamp": m.time().UTC().Format("2006-01-02T15:04:05Z"), "fields": fields,
		}},
	}
}
