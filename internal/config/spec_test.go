package config

import (
	"errors"
	"slices"
	"testing"
)

var specKeys = []string{"every", "regex", "threshold", "tensor_regex", "collection_names", "num_steps"}

func TestParseSpec(t *testing.T) {
	for _, c := range []struct {
		spec string
		name string
		kv   []KV
	}{
		{"dead_relu", "dead_relu", nil},
		{"dead_relu:", "dead_relu", nil},
		{" dead_relu : threshold = 3 ", "dead_relu", []KV{{"threshold", "3"}}},
		{"r:threshold=1e-7,num_steps=10", "r", []KV{{"threshold", "1e-7"}, {"num_steps", "10"}}},
		{"r:tensor_regex=a{2,3},threshold=1", "r", []KV{{"tensor_regex", "a{2,3}"}, {"threshold", "1"}}},
		{"r:collection_names=weights,biases", "r", []KV{{"collection_names", "weights,biases"}}},
		{"r:collection_names=weights, biases , threshold=2", "r", []KV{{"collection_names", "weights, biases"}, {"threshold", "2"}}},
		{"r:tensor_regex=x:y,z=w,threshold=1", "r", []KV{{"tensor_regex", "x:y,z=w"}, {"threshold", "1"}}},
		{"r:tensor_regex=a=b,threshold", "r", []KV{{"tensor_regex", "a=b,threshold"}}},
		{`r:tensor_regex="a,threshold=3",threshold=4`, "r", []KV{{"tensor_regex", "a,threshold=3"}, {"threshold", "4"}}},
		{`r:tensor_regex="say ""x""" , threshold=4`, "r", []KV{{"tensor_regex", `say "x"`}, {"threshold", "4"}}},
		{`r:tensor_regex="\.\\"`, "r", []KV{{"tensor_regex", `\.\\`}}},
		{`r:tensor_regex=a"b`, "r", []KV{{"tensor_regex", `a"b`}}},
		{`r:tensor_regex=`, "r", []KV{{"tensor_regex", ""}}},
		{`r:tensor_regex="",threshold=1`, "r", []KV{{"tensor_regex", ""}, {"threshold", "1"}}},
		{"r:tensor_regex=(?<!a,)b,num_steps=2", "r", []KV{{"tensor_regex", "(?<!a,)b"}, {"num_steps", "2"}}},
	} {
		name, kv, err := ParseSpec(c.spec, func(string) ([]string, error) { return specKeys, nil })
		if err != nil || name != c.name || !slices.Equal(kv, c.kv) {
			t.Errorf("%q: got %q %q %v, want %q %q", c.spec, name, kv, err, c.name, c.kv)
		}
	}
}

func TestParseSpecErrors(t *testing.T) {
	for _, c := range []struct{ spec, message, hint string }{
		{"", "no name", "NAME:key=value"},
		{":threshold=1", "no name", ""},
		{"r:treshold=1", `unknown parameter "treshold"`, `did you mean "threshold"?`},
		{"r:colour=1", `unknown parameter "colour"`, "known are every"},
		{"r:threshold", `"threshold" has no value`, "threshold=VALUE"},
		{"r:threshold=1,threshold=2", "given twice", ""},
		{"r:,threshold=2", "has no name", ""},
		{"r:threshold=1,num_step=2", `contains what looks like`, `did you mean "num_steps"`},
		{`r:tensor_regex="a`, "does not end", ""},
		{`r:tensor_regex="a"b`, "text follows", ""},
	} {
		_, _, err := ParseSpec(c.spec, func(string) ([]string, error) { return specKeys, nil })
		t.Run(c.spec, func(t *testing.T) { refused(t, err, c.message, c.hint) })
	}
	own := errors.New("no such rule")
	if _, _, err := ParseSpec("x:y=1", func(string) ([]string, error) { return nil, own }); !errors.Is(err, own) {
		t.Errorf("got %v, want the error of known", err)
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{"a", "a:every=1", `a:regex="x,""y",every=2`, "a:regex=a{2,3},b,threshold=1", "a:regex=x,evry=2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, kv, err := ParseSpec(s, func(string) ([]string, error) { return specKeys, nil })
		if err != nil {
			return
		}
		for _, p := range kv {
			if !slices.Contains(specKeys, p.Key) {
				t.Errorf("%q: unknown key %q came through", s, p.Key)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	known := []string{"every", "budget", "stop-on", "threshold_p95", "save-all", "vanishing_gradient"}
	for word, want := range map[string]string{
		"evry": "every", "eveyr": "every", "Budget": "budget", "stop_on": "stop-on", "stopon": "stop-on", "threshold": "threshold_p95",
		"saveall": "save-all", "VanishingGradient": "vanishing_gradient", "vanishing_gradeint": "vanishing_gradient", "qqqqqqqq": "", "": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) is %q, want %q", word, got, want)
		}
	}
}
