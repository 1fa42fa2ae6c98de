package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/notify"
)

func TestServiceURLs(t *testing.T) {
	user, password := notify.Ref{Env: smtpVariable, Part: notify.PartUser}, notify.Ref{Env: smtpVariable, Part: notify.PartPassword}
	for text, want := range map[string]notify.SMTP{
		"smtp://ann:sesame@mail.example.org:587?from=vigil@example.org": {Server: "mail.example.org:587", User: user, Password: password, From: "vigil@example.org"},
		"smtps://ann%40example.org:sesame@mail.example.org":             {Server: "mail.example.org", TLS: notify.Implicit, User: user, Password: password, From: "ann@example.org"},
		"smtp://localhost:25?from=a@b.org&tls=none":                     {Server: "localhost:25", TLS: notify.NoTLS, From: "a@b.org"},
	} {
		l := layer{}
		if err := l.services(map[string]string{smtpVariable: text}); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if d := cmp.Diff(want, *l.smtp); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
	env := func(part string) notify.Ref { return notify.Ref{Env: gatewayVariable, Part: part} }
	for text, want := range map[string]notify.Gateway{
		"https://AC01:sesame@api.example.org/send?To={to}&Body={text}&From=%2B1555&key=sesame": {
			URL: env(notify.PartAddress), User: env(notify.PartUser), Password: env(notify.PartPassword),
			Fields: []notify.Field{{Name: "Body", Value: notify.Ref{Text: "{text}"}}, {Name: "From", Value: env("query:From")}, {Name: "To", Value: notify.Ref{Text: "{to}"}}, {Name: "key", Value: env("query:key")}},
		},
		"http://gateway.local/sms#json": {
			URL: env(notify.PartAddress), JSON: true,
			Fields: []notify.Field{{Name: "to", Value: notify.Ref{Text: "{to}"}}, {Name: "text", Value: notify.Ref{Text: "{text}"}}},
		},
	} {
		l := layer{}
		if err := l.services(map[string]string{gatewayVariable: text}); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if d := cmp.Diff(want, *l.gateway); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
	for _, c := range []struct{ variable, text, want string }{
		{smtpVariable, "mail.example.org", "it contains no address"},
		{smtpVariable, "http://ann:sesame@host?from=a@b.org", "must begin with smtp:// or smtps://"},
		{smtpVariable, "smtp://ann:sesame@host", "no sender (from)"},
		{smtpVariable, "smtp://sesame@host?from=a@b.org", "a user but no password"},
		{smtpVariable, "smtp://ann:sesame@host?from=a@b.org&tls=no", `tls: "no" is none of`},
		{smtpVariable, "smtp://ann:sesame@host?fro=a@b.org", `no parameter "fro"`},
		{smtpVariable, "smtp://ann:sesame@host:port%zz", "it contains no address"},
		{gatewayVariable, "ftp://u:sesame@host", "must begin with https:// or http://"},
		{gatewayVariable, "https://u:sesame@host#xml", "is not json"},
	} {
		l := layer{}
		err := l.services(map[string]string{c.variable: c.text})
		if err == nil || !strings.Contains(err.Error(), c.variable+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v, want %q and no secret", c.text, err, c.want)
		}
	}
}

// A request with an email and an SMS action runs. Where they go to comes from the
// environment, else from vigil.yaml; where neither says it they are skipped.
func TestRequestWithMailAndText(t *testing.T) {
	const request = `{"DebugRuleConfigurations": [{"RuleConfigurationName": "Vanishing", "RuleParameters": {"rule_to_invoke": "VanishingGradient",
		"action_json": "[{\"name\":\"email\",\"endpoint\":\"me@example.org\"},{\"name\":\"sms\",\"endpoint\":\"+15551234567\"}]"}}],
		"ProfilerConfig": {"ProfilingIntervalInMilliseconds": 500}, "ProfilerRuleConfigurations": [{"RuleConfigurationName": "P", "RuleParameters": {"rule_to_invoke": "ProfilerReport"}}]}`
	const services = "smtp: {server: file.example.org, from: a@b.org}\ngateway: {url: 'https://file.example.org/', fields: {to: '{to}', text: '{text}'}}\nrules: none\n"
	for _, c := range []struct {
		name, yaml string
		env        []string
		server     string // of the mail; "": it is skipped
		gateway    notify.Ref
	}{
		{"neither", "", nil, "", notify.Ref{}},
		{"vigil.yaml", services, nil, "file.example.org", notify.Ref{Text: "https://file.example.org/"}},
		{"the environment", "", []string{smtpVariable + "=smtp://env.example.org?from=a@b.org", gatewayVariable + "=https://env.example.org/"}, "env.example.org", notify.Ref{Env: gatewayVariable, Part: notify.PartAddress}},
		{"both", services, []string{smtpVariable + "=smtp://env.example.org?from=a@b.org"}, "env.example.org", notify.Ref{Text: "https://file.example.org/"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"request.json": request, File: c.yaml} {
				if text != "" {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			file := "request.json"
			run, err := Resolve(Flags{Config: &file}, c.env, dir, catalogue)
			if err != nil {
				t.Fatal(err)
			}
			if run.Rules != "default" {
				t.Errorf("rules %q: of vigil.yaml more was taken than smtp and gateway", run.Rules)
			}
			mail, text := run.Actions[0], run.Actions[1]
			if c.server == "" {
				if mail.Broken == nil || text.Broken == nil || !strings.Contains(strings.Join(run.Warnings, "\n"), "it is skipped: set "+smtpVariable) {
					t.Errorf("actions %+v, warnings %q", run.Actions, run.Warnings)
				}
				return
			}
			if mail.Notify.Mail == nil || mail.Notify.Mail.Server.Server != c.server || text.Notify.Text == nil || text.Notify.Text.Gateway.URL != c.gateway {
				t.Errorf("actions %+v", run.Actions)
			}
			var kept map[string]any
			if err := json.Unmarshal(run.Profiler, &kept); err != nil || len(kept) != 2 {
				t.Errorf("of the profiler is kept %s, %v", run.Profiler, err)
			}
		})
	}
}
