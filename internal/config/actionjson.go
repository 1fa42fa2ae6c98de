package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/vigil-ml/vigil/internal/notify"
)

// actionJSON is the parameter that every rule takes besides its own: what is
// done when it fires, in the form of SageMaker Debugger.
const actionJSON = "action_json"

// jobPrefix is what the name of a training job may begin with.
var jobPrefix = regexp.MustCompile(`^[a-zA-Z0-9-]*$`)

// namedActions are the actions of action_json with their fields; those that
// must be there come first.
var namedActions = map[string]struct {
	required, optional []string
}{
	"stoptraining":  {nil, []string{"training_job_prefix"}},
	"email":         {[]string{"endpoint"}, nil},
	"sms":           {[]string{"endpoint"}, nil},
	"webhook":       {[]string{"url"}, []string{"secret"}},
	"slack":         {[]string{"url"}, nil},
	"discord":       {[]string{"url"}, nil},
	"command":       {[]string{"argv"}, nil},
	"publishmetric": {[]string{"endpoint"}, []string{"metric"}},
}

// rulesActions reads one action or a list of them. An action that is not known
// becomes a broken one.
func rulesActions(text, at string) ([]Action, error) {
	var raw []json.RawMessage
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		raw = []json.RawMessage{json.RawMessage(text)}
	} else if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, notJSON(err)
	}
	var list []Action
	for _, b := range raw {
		a, err := ruleAction(b)
		if err != nil {
			return nil, err
		}
		a.At = at
		list = append(list, a)
	}
	return list, nil
}

// notJSON says where a text is not JSON, without the text: it may hold what
// should not be seen.
func notJSON(err error) error {
	var at *json.SyntaxError
	if errors.As(err, &at) {
		return &hinted{fmt.Errorf("it is not JSON at byte %d", at.Offset), `write [{"name": "stoptraining"}]`}
	}
	return &hinted{errors.New("expected an action or a list of actions"), `write [{"name": "stoptraining"}]`}
}

func ruleAction(b json.RawMessage) (Action, error) {
	var a Action
	d := json.NewDecoder(bytes.NewReader(b))
	fields := map[string]json.RawMessage{}
	if err := d.Decode(&fields); err != nil {
		return a, notJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return a, notJSON(errors.New("unexpected text after it"))
	}
	var name string
	if err := json.Unmarshal(fields["name"], &name); err != nil || name == "" {
		return a, errors.New("an action has no name")
	}
	key := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
	known, ok := namedActions[key]
	if !ok {
		var names []string
		for n := range namedActions {
			names = append(names, n)
		}
		sort.Strings(names)
		why := fmt.Sprintf("unknown action %q", name)
		if n := Nearest(key, names); n != "" {
			why += fmt.Sprintf("; did you mean %q?", n)
		} else {
			why += "; known are " + strings.Join(names, ", ")
		}
		a.Broken = &Broken{Name: name, Why: why}
		return a, nil
	}
	for _, f := range known.required {
		if _, there := fields[f]; !there {
			return a, fmt.Errorf("action %q lacks %q", name, f)
		}
	}
	for f := range fields {
		if f != "name" && !slices.Contains(known.required, f) && !slices.Contains(known.optional, f) {
			return a, &hinted{fmt.Errorf("action %q has no %q", name, f), Suggest(f, append(known.required, known.optional...))}
		}
	}
	r := fieldReader{name: name, fields: fields}
	switch key {
	case "stoptraining":
		a.Stop = &Stop{Prefix: r.text("training_job_prefix")}
		if !jobPrefix.MatchString(a.Stop.Prefix) {
			return a, fmt.Errorf("action %q: training_job_prefix %q holds more than letters, digits and hyphens", name, a.Stop.Prefix)
		}
	case "email":
		a.Notify.Mail = &notify.Mail{To: []string{r.text("endpoint")}}
	case "sms":
		a.Notify.Text = &notify.Text{To: []string{r.text("endpoint")}}
	case "webhook":
		a.Notify.Webhook = &notify.Webhook{URL: r.ref("url", false), Secret: r.ref("secret", true)}
	case "slack":
		a.Notify.Slack = &notify.Chat{URL: r.ref("url", false)}
	case "discord":
		a.Notify.Discord = &notify.Chat{URL: r.ref("url", false)}
	case "command":
		r.read("argv", &a.Command)
		if a.Timeout = commandTimeout; r.err == nil && (len(a.Command) == 0 || a.Command[0] == "") {
			return a, fmt.Errorf("action %q: argv is empty", name)
		}
	case "publishmetric":
		m := &notify.Metric{Name: r.text("metric")}
		if e := r.text("endpoint"); strings.HasPrefix(e, "/") {
			m.Textfile = e
		} else {
			m.Listen = e
		}
		a.Notify.Metric = m
	}
	return a, r.err
}

// fieldReader reads the fields of an action and keeps the first mistake.
type fieldReader struct {
	name   string
	fields map[string]json.RawMessage
	err    error
}

func (r *fieldReader) read(field string, to any) {
	b, ok := r.fields[field]
	if !ok || r.err != nil {
		return
	}
	if json.Unmarshal(b, to) != nil {
		r.err = fmt.Errorf("action %q: %s has the wrong type", r.name, field)
	}
}

func (r *fieldReader) text(field string) (s string) {
	r.read(field, &s)
	return s
}

// ref reads a text, or {"env": NAME} or {"file": PATH}, which a secret must be.
func (r *fieldReader) ref(field string, secret bool) (ref notify.Ref) {
	b := r.fields[field]
	if len(b) > 0 && b[0] == '"' {
		if secret {
			r.err = &hinted{fmt.Errorf("action %q: the %s must not be written there directly", r.name, field), fmt.Sprintf(`write "%s": {"env": "NAME"} or {"file": "PATH"}`, field)}
			return ref
		}
		r.read(field, &ref.Text)
		return ref
	}
	var from struct{ Env, File string }
	r.read(field, &from)
	ref.Env, ref.File = from.Env, from.File
	return ref
}
