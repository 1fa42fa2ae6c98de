package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
)

// exampleActions are those of the documented example.
func exampleActions(at func(string) string) []Action {
	home, _ := os.UserHomeDir()
	env := func(name string) notify.Ref { return notify.Ref{Env: name} }
	text := func(s string) notify.Ref { return notify.Ref{Text: s} }
	smtp := notify.SMTP{Server: "smtp.example.com:587", TLS: "starttls", User: text("vigil"), Password: env("SMTP_PASSWORD"), From: "Vigil <vigil@example.com>"}
	gateway := notify.Gateway{
		URL: text("https://sms.example.com/v1/messages"), User: text("account"), Password: env("SMS_PASSWORD"),
		Fields: []notify.Field{{Name: "To", Value: text("{to}")}, {Name: "From", Value: text("+15550000000")}, {Name: "Body", Value: text("{text}")}},
	}
	severe, likely := When{Severity: record.Error}, When{Severity: record.Warning}
	return []Action{
		{Command: []string{"sh", "-c", "cat >> findings.log"}, On: When{Severity: record.Error, Rules: []string{"vanishing_gradient"}}, Timeout: 10 * time.Second, At: at("69:5")},
		{Notify: notify.Spec{Mail: &notify.Mail{To: []string{"me@example.com", "team@example.com"}, Server: smtp}}, On: severe, At: at("72:5")},
		{Notify: notify.Spec{Webhook: &notify.Webhook{URL: text("https://example.com/hooks/training"), Secret: env("HOOK_SECRET")}}, On: likely, At: at("74:5")},
		{Notify: notify.Spec{Slack: &notify.Chat{URL: env("SLACK_URL")}}, On: likely, At: at("77:5")},
		{Notify: notify.Spec{Discord: &notify.Chat{URL: notify.Ref{File: filepath.Join(home, ".secrets/discord")}}}, On: likely, At: at("78:5")},
		{Notify: notify.Spec{Text: &notify.Text{To: []string{"+15551234567"}, Gateway: gateway}}, On: severe, At: at("79:5")},
		{Notify: notify.Spec{Metric: &notify.Metric{Listen: "127.0.0.1:9464", Textfile: "/var/lib/node_exporter"}}, On: likely, At: at("81:5")},
		{Notify: notify.Spec{Webhook: &notify.Webhook{URL: text("https://example.com/hooks/status")}}, On: When{Status: true}, At: at("82:5")},
	}
}

// What the user reads when an action is written wrongly. Nothing starts then.
// What stands where a secret is named is never repeated.
func TestActionErrors(t *testing.T) {
	const server = "smtp: {server: mail.example.com, from: a@example.com}\n"
	for _, c := range []struct{ name, text, message, hint string }{
		{"unknown action", "actions:\n  - male: a@b.example\n", `c.yaml:2:5: unknown key "male" of an action`, `did you mean "mail"?`},
		{"two at once", "actions:\n  - mail: a@b.example\n    slack: https://x\n", "c.yaml:3:5: an action does one thing, not both mail and slack", "two actions"},
		{"mail without server", "actions:\n  - mail: a@b.example\n", "c.yaml:2:5: mail: there is no mail server to send it", "docs/actions.md"},
		{"mail to nobody", server + "actions:\n  - mail: []\n", "c.yaml:3:5: mail: it has no recipient (to)", ""},
		{"no address", server + "actions:\n  - mail: somebody\n", `mail: "somebody" is not a mail address`, ""},
		{"two addresses in one", server + "actions:\n  - mail: 'a@b.example, c@d.example'\n", `is not a mail address`, ""},
		{"server without sender", "smtp: {server: mail.example.com}\n", "c.yaml:1:1: smtp: it has no sender (from)", ""},
		{"server with a scheme", "smtp: {server: 'smtp://mail.example.com', from: a@b.example}\n", `"smtp://mail.example.com" is not a server`, ""},
		{"server port", "smtp: {server: 'mail.example.com:99999', from: a@b.example}\n", `is not a server; write HOST or HOST:PORT`, ""},
		{"server tls", "smtp: {server: m.example.com, from: a@b.example, tls: startls}\n", `"startls" is none of starttls, implicit, none`, `did you mean "starttls"?`},
		{"server key", "smtp: {host: m.example.com}\n", `c.yaml:1:8: unknown key "host" of smtp`, ""},
		{"password in the file", "smtp:\n  server: m.example.com\n  password: hunter2hunter2\n", "c.yaml:3:13: the password must not be in this file", "{env: NAME}"},
		{"password in the clear", "smtp: {server: m.example.com, from: a@b.example, user: u, password: {env: P}, tls: none}\n", "a password would be sent unencrypted", ""},
		{"user alone", "smtp: {server: m.example.com, from: a@b.example, user: u}\n", "user and password belong together", ""},
		{"secret of two places", "smtp: {password: {env: P, file: f}}\n", "password needs either env or file", ""},
		{"secret as a list", "smtp: {password: [hunter2hunter2]}\n", "password must be key: value pairs, not a list", ""},
		{"status and a severity", "actions:\n  - webhook: https://x.example\n    on: [error, status]\n", `c.yaml:3:9: on: status cannot be combined in "error,status"`, ""},
		{"a metric of statuses", "actions:\n  - metric: {textfile: /tmp}\n    on: status\n", "c.yaml:3:9: on: a metric counts findings, not changes of status", "a severity or rule names"},
		{"stop on a status", "stop-on: status\n", `"status" is neither a severity nor a rule`, ""},
		{"webhook secret", "actions:\n  - webhook: {url: 'https://x.example', secret: hunter2hunter2}\n", "the secret must not be in this file", "{env: NAME}"},
		{"webhook without url", "actions:\n  - webhook: {secret: {env: S}}\n", "c.yaml:2:5: webhook: it has no url", ""},
		{"webhook url", "actions:\n  - webhook: example.com/hunter2hunter2\n", "webhook: its url is not an address; write https://HOST/PATH", ""},
		{"webhook scheme", "actions:\n  - webhook: ftp://example.com/hunter2hunter2\n", `its url begins with "ftp://"`, ""},
		{"webhook with a password", "actions:\n  - webhook: https://u:hunter2hunter2@example.com/\n", "its url for example.com contains a user or a password", ""},
		{"webhook port", "actions:\n  - webhook: https://example.com:0/hunter2hunter2\n", `names the port "0"`, ""},
		{"slack in the clear", "actions:\n  - slack: http://example.com/hunter2hunter2\n", "slack: its url for http://example.com is not encrypted", ""},
		{"discord without url", "actions:\n  - discord: {}\n", "discord: it has no url", ""},
		{"telephone", "gateway: {url: 'https://g.example', fields: {To: '{to}', B: '{text}'}}\nactions:\n  - text: 555-1234\n", `"555-1234" is not a telephone number`, ""},
		{"no gateway", "actions:\n  - text: '+1555'\n", "text: there is no gateway", ""},
		{"gateway fields", "gateway: {url: 'https://g.example', fields: {To: '{to}'}}\nactions:\n  - text: '+1555'\n", "no field contains {text}", ""},
		{"gateway token", "gateway: {token: hunter2hunter2}\n", "the token must not be in this file", ""},
		{"metric nowhere", "actions:\n  - metric: {name: x}\n", "metric: it needs an address", ""},
		{"metric name", "actions:\n  - metric: {name: 'a b', listen: ':1'}\n", `"a b" is not a metric name`, ""},
		{"metric listen", "actions:\n  - metric: {listen: '9464'}\n", `"9464" is not an address to listen on`, ""},
		{"json", "rule:\n  - 'dead_relu:action_json=[{\"name\": \"email\"'\n", "c.yaml:2:5: action_json: it is not JSON at byte", ""},
		{"json missing field", "rule:\n  - 'dead_relu:action_json={\"name\": \"email\"}'\n", `action_json: action "email" lacks "endpoint"`, ""},
		{"json unknown field", "rule:\n  - 'dead_relu:action_json={\"name\": \"sms\", \"endpoint\": \"+1\", \"endpont\": \"+1\"}'\n", `action "sms" has no "endpont"`, `did you mean "endpoint"?`},
		{"json no name", "rule:\n  - 'dead_relu:action_json={\"endpoint\": \"a\"}'\n", "an action has no name", ""},
		{"json secret", "rule:\n  - 'dead_relu:action_json={\"name\": \"webhook\", \"url\": \"https://x.example\", \"secret\": \"hunter2hunter2\"}'\n", "the secret must not be written there directly", `{"env": "NAME"}`},
		{"json prefix", "rule:\n  - 'dead_relu:action_json={\"name\": \"StopTraining\", \"training_job_prefix\": \"a b\"}'\n", "letters, digits and hyphens", ""},
		{"json mail without server", "rule:\n  - 'dead_relu:action_json={\"name\": \"Email\", \"endpoint\": \"a@b.example\"}'\n", "c.yaml:2:5: mail: there is no mail server", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := parseFile([]byte(c.text), "c.yaml", catalogue)
			if err == nil {
				r := Defaults()
				err = r.join([]layer{l}, catalogue)
			}
			refused(t, err, c.message, c.hint)
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the secret is repeated: %v", err)
			}
		})
	}
}

// The actions of SageMaker Debugger's requests, on the rule that has them. They
// leave nothing in the rule's parameters.
func TestActionJSON(t *testing.T) {
	const text = `smtp: {server: localhost, from: a@example.com}
gateway: {url: 'https://g.example', fields: {To: '{to}', Body: '{text}'}}
rule:
  - rule: VanishingGradient
    configuration: mine
    parameters:
      threshold: 1e-7
      action_json: >
        [{"name": "StopTraining", "training_job_prefix": "resnet"}, {"name": "email", "endpoint": "a@example.com"},
         {"name": "SMS", "endpoint": "+15551234567"}, {"name": "webhook", "url": "https://h.example/x", "secret": {"env": "S"}},
         {"name": "PublishMetric", "metric": "firings", "endpoint": "/metrics"}, {"name": "command", "argv": ["true"]}, {"name": "telegram", "endpoint": "x"}]
`
	l, err := parseFile([]byte(text), "c.yaml", catalogue)
	if err != nil {
		t.Fatal(err)
	}
	r := Defaults()
	if err := r.join([]layer{l}, catalogue); err != nil {
		t.Fatal(err)
	}
	equal(t, r.Rule, []RuleConfig{{"vanishing_gradient", "mine", map[string]string{"threshold": "1e-7"}, "c.yaml:4:5", false}})
	const why = `unknown action "telegram"; known are command, discord, email, publishmetric, slack, sms, stoptraining, webhook`
	equal(t, r.Warnings, []string{"c.yaml:4:5: action_json: " + why + "; it is skipped"})
	want := []Action{
		{Stop: &Stop{"resnet"}},
		{Notify: notify.Spec{Mail: &notify.Mail{To: []string{"a@example.com"}, Server: *l.smtp}}},
		{Notify: notify.Spec{Text: &notify.Text{To: []string{"+15551234567"}, Gateway: *l.gateway}}},
		{Notify: notify.Spec{Webhook: &notify.Webhook{URL: notify.Ref{Text: "https://h.example/x"}, Secret: notify.Ref{Env: "S"}}}},
		{Notify: notify.Spec{Metric: &notify.Metric{Name: "firings", Textfile: "/metrics"}}},
		{Command: []string{"true"}, Timeout: 30 * time.Second},
		{Broken: &Broken{"telegram", why}},
	}
	for i := range want {
		want[i].On, want[i].At = When{Rules: []string{"mine"}}, "c.yaml:4:5"
	}
	equal(t, r.Actions, want)
}

// A secret that is not there is told before anything starts, by its name.
func TestMissingSecrets(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	write := func(text string) Run {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run, err := Resolve(Flags{Config: &file}, nil, dir, catalogue)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	run := write("actions:\n  - slack: {url: {env: VIGIL_TEST_SLACK}}\n")
	refused(t, run.MissingSecrets(), file+":2:5: slack: the environment variable VIGIL_TEST_SLACK is not set", "without it")
	t.Setenv("VIGIL_TEST_SLACK", "https://hooks.example/x")
	equal(t, run.MissingSecrets(), nil)
	run = write("actions:\n  - webhook: {url: 'https://h.example', secret: {file: key}}\n")
	refused(t, run.MissingSecrets(), "webhook: read a secret: open "+filepath.Join(dir, "key"), "")
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, run.MissingSecrets(), "is empty", "")
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	equal(t, run.MissingSecrets(), nil)
}

func FuzzActionJSON(f *testing.F) {
	for _, s := range []string{
		`[{"name":"stoptraining","training_job_prefix":"resnet18"},{"name":"email","endpoint":"a@b.example"}]`, `{"name":"webhook","url":{"env":"X"},"secret":{"file":"f"}}`,
		`{"name":"command","argv":["a"]}`, `[{"name":"publishmetric","endpoint":":1"},null,1]`, `{"name":1}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := rulesActions(s, "here")
		if err != nil {
			return
		}
		for _, a := range list {
			if a.Notify.Kind() == "" && a.Stop == nil && a.Broken == nil && len(a.Command) == 0 {
				t.Errorf("%q gives an action without effect", s)
			}
		}
	})
}
