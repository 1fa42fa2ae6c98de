package assistant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// ruleAsked is a rule of the catalogue with parameters of its own. It is no text as
// --rule takes it: that may also name a file of Python, or a command to run.
type ruleAsked struct {
	Rule       string            `json:"rule" jsonschema:"a rule of the catalogue"`
	Parameters map[string]string `json:"parameters,omitempty" jsonschema:"values of its parameters, as explain_check lists them"`
}

// spec is the rule as --rule takes it.
func (a ruleAsked) spec() (string, error) {
	d, ok := rules.Lookup(a.Rule)
	if !ok {
		return "", fmt.Errorf("there is no rule %q in the catalogue", a.Rule)
	}
	var b strings.Builder
	b.WriteString(d.Name)
	sign := ":"
	for _, key := range slices.Sorted(maps.Keys(a.Parameters)) {
		if !slices.ContainsFunc(d.Parameters, func(p rule.Parameter) bool { return p.Name == key }) {
			return "", fmt.Errorf("the rule %s has no parameter %q; explain_check lists those that it has", d.Name, key)
		}
		fmt.Fprintf(&b, `%s%s="%s"`, sign, key, strings.ReplaceAll(a.Parameters[key], `"`, `""`))
		sign = ","
	}
	return b.String(), nil
}

type judgeAsked struct {
	runAsked
	Rules []ruleAsked `json:"rules,omitempty" jsonschema:"rules to judge by; those that judged it live where it is left out"`
}

// judge judges as vigil check does: a Python class runs only where the user's vigil.yaml
// here names it.
func (t tools) judge(_ context.Context, in judgeAsked) (string, error) {
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	words := []string{"check", "--dir", t.Root, "--fail-on", "never"}
	for _, one := range in.Rules {
		spec, err := one.spec()
		if err != nil {
			return "", err
		}
		words = append(words, "--rule="+spec)
	}
	return t.command(words, r.Name)
}

func (t tools) stop(_ context.Context, in runAsked) (string, error) {
	if in.Run == "" {
		return "", fmt.Errorf("name the run to stop")
	}
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	return t.command([]string{"stop", "--dir", t.Root, "--wait", "30s"}, r.Name)
}

type tagAsked struct {
	runAsked
	Tags map[string]string `json:"tags,omitempty" jsonschema:"tags to set by key; an empty value removes one"`
	Note *string           `json:"note,omitempty" jsonschema:"the note; an empty one removes it"`
}

func (t tools) tag(_ context.Context, in tagAsked) (string, error) {
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	words, names := []string{"tag", "--dir", t.Root}, []string{r.Name}
	if in.Note != nil {
		words = append(words, "--note="+*in.Note)
	}
	for key, value := range in.Tags {
		names = append(names, key+"="+value)
	}
	return t.command(words, names...)
}

type muteAsked struct {
	runAsked
	Rule    string `json:"rule" jsonschema:"the rule whose findings are muted"`
	Subject string `json:"subject,omitempty" jsonschema:"only those about this tensor"`
	Reason  string `json:"reason" jsonschema:"why they do not matter here"`
	Counts  bool   `json:"symptoms_count,omitempty" jsonschema:"what follows from them still counts"`
}

func (t tools) mute(_ context.Context, in muteAsked) (string, error) {
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	if _, err := r.Mute(record.LabelMute{Rule: in.Rule, Subject: in.Subject, Reason: in.Reason, SymptomsCount: in.Counts}); err != nil {
		return "", err
	}
	return fmt.Sprintf("findings of %s are muted in run %s", in.Rule, r.Name), nil
}

type planAsked struct {
	runAsked
	Every   *int64      `json:"every,omitempty" jsonschema:"interval of collections that name none; 0 leaves it to the budget"`
	Collect []string    `json:"collect,omitempty" jsonschema:"collections, each as for vigil run --collect: gradients:every=10"`
	Rules   []ruleAsked `json:"add_rules,omitempty" jsonschema:"rules that judge from now on"`
	For     *int64      `json:"for,omitempty" jsonschema:"capture the collections for so many steps"`
}

func (t tools) plan(_ context.Context, in planAsked) (string, error) {
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	words := []string{"plan", "--dir", t.Root}
	if in.Every != nil {
		words = append(words, fmt.Sprintf("--every=%d", *in.Every))
	}
	if in.For != nil {
		words = append(words, fmt.Sprintf("--for=%d", *in.For))
	}
	for _, text := range in.Collect {
		words = append(words, "--collect="+text)
	}
	for _, one := range in.Rules {
		spec, err := one.spec()
		if err != nil {
			return "", err
		}
		words = append(words, "--add-rule="+spec)
	}
	if len(words) == 3 {
		return "", fmt.Errorf("name what is to change: every, collect, add_rules or for")
	}
	return t.command(words, r.Name)
}
