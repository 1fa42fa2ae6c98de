package assistant

import (
	"context"
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

type judgeAsked struct {
	runAsked
	Rules []string `json:"rules,omitempty" jsonschema:"rules to judge by, each as NAME or NAME:parameter=value,...; those that judged it live where it is left out"`
}

// judge judges by rules that come with Vigil: a client cannot have code run.
func (t tools) judge(_ context.Context, in judgeAsked) (string, error) {
	r, err := t.run(in.Run)
	if err != nil {
		return "", err
	}
	words := []string{"check", "--dir", t.Root, "--fail-on", "never"}
	for _, text := range in.Rules {
		name, params, _ := strings.Cut(text, ":")
		if _, ok := rules.Lookup(name); !ok || strings.Contains(params, "source=") {
			return "", fmt.Errorf("there is no rule %q in the catalogue; explain_check explains those that there are", name)
		}
		words = append(words, "--rule="+text)
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
	Every   *int64   `json:"every,omitempty" jsonschema:"interval of collections that name none; 0 leaves it to the budget"`
	Collect []string `json:"collect,omitempty" jsonschema:"collections, each as for vigil run --collect: gradients:every=10"`
	Rules   []string `json:"add_rules,omitempty" jsonschema:"rules, each as NAME or NAME:parameter=value,..."`
	For     *int64   `json:"for,omitempty" jsonschema:"capture the collections for so many steps"`
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
	for _, text := range in.Rules {
		name, params, _ := strings.Cut(text, ":")
		if _, ok := rules.Lookup(name); !ok || strings.Contains(params, "source=") {
			return "", fmt.Errorf("there is no rule %q in the catalogue", name)
		}
		words = append(words, "--add-rule="+text)
	}
	if len(words) == 3 {
		return "", fmt.Errorf("name what is to change: every, collect, add_rules or for")
	}
	return t.command(words, r.Name)
}
