package config

import (
	"maps"
	"os"
	"strings"
	"testing"
	"time"
)

// Tags of file, environment and flags add up; of one key the strongest counts.
func TestTagsAddUp(t *testing.T) {
	file := t.TempDir() + "/vigil.yaml"
	for name, text := range map[string]string{
		"pairs":  "tag: {a: file, b: file, n: 3}\nnote: from the file\n",
		"a list": "tag: [a=file, b=file, n=3]\nnote: from the file\n",
	} {
		writeFile(t, file, text)
		run, err := Resolve(Flags{Config: &file, Tag: []string{"b=flag", "d=x=y"}}, []string{"VIGIL_TAG=a=env; c=env"}, t.TempDir(), catalogue)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := map[string]string{"a": "env", "b": "flag", "c": "env", "d": "x=y", "n": "3"}; !maps.Equal(run.Tags, want) {
			t.Errorf("%s: tags %v, want %v", name, run.Tags, want)
		}
		if run.Note != "from the file" {
			t.Errorf("%s: note %q", name, run.Note)
		}
	}
}

func TestTagsThatAreNone(t *testing.T) {
	for _, tt := range []struct{ tag, want string }{
		{"lr", `--tag: "lr" is not a tag: it has no =`},
		{"=1", `--tag: "" cannot be the key of a tag`},
		{" a=1", `--tag: " a" cannot be the key of a tag`},
		{"a=", `--tag: the tag "a" has no value`},
		{"a=x\ny", `--tag: the tag "a=x\ny" contains a non-printable character`},
		{"a=" + strings.Repeat("x", 2000), `--tag: the value of the tag "a" has 2000 bytes; at most 1024 are allowed`},
	} {
		_, err := Resolve(Flags{Tag: []string{tt.tag}}, nil, t.TempDir(), catalogue)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v, want %s", tt.tag, err, tt.want)
		}
	}
	file := t.TempDir() + "/vigil.yaml"
	writeFile(t, file, "tag:\n  a: 1\n  b: [1, 2]\n")
	if _, err := Resolve(Flags{Config: &file}, nil, t.TempDir(), catalogue); err == nil || !strings.Contains(err.Error(), ":3:6: b must be a single value, not a list") {
		t.Errorf("a list as a value: %v", err)
	}
}

// What a request for a training job says of its experiment becomes tags of the same
// names, and its own tags stay tags.
func TestExperimentOfARequest(t *testing.T) {
	run, err := resolveDocument(t, `{
  "TrainingJobName": "job-1",
  "ExperimentConfig": {"ExperimentName": "resnet", "TrialName": "lr-0.1", "RunName": "seed 3", "Unknown": "x"},
  "Tags": [{"Key": "team", "Value": "vision"}, {"Key": "no value", "Value": ""}]
}`, Flags{Tag: []string{"team=nlp"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"ExperimentName": "resnet", "TrialName": "lr-0.1", "RunName": "seed 3", "team": "nlp"}; !maps.Equal(run.Tags, want) {
		t.Errorf("tags %v, want %v", run.Tags, want)
	}
	if got := strings.Join(run.Warnings, "\n"); !strings.Contains(got, "Unknown of the ExperimentConfig is left out") || !strings.Contains(got, `the tag "no value" is left out`) {
		t.Errorf("warnings %q", got)
	}
}

func TestAges(t *testing.T) {
	for text, want := range map[string]time.Duration{"30m": 30 * time.Minute, "12h": 12 * time.Hour, " 7d": 7 * 24 * time.Hour, "0.5w": 84 * time.Hour} {
		if got, err := ParseAge(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "soon", "7", "d", "-3d", "1y", "NaNh"} {
		if got, err := ParseAge(text); err == nil || Hint(err) == "" {
			t.Errorf("%q: %v, %v, want an error that says how an age is written", text, got, err)
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Whatever is taken for a tag fits on a line and comes back as it was; an age is no
// shorter than nothing.
func FuzzParseTag(f *testing.F) {
	for _, text := range []string{"lr=0.1", "a b=c=d", "=x", "k=", "k=\x1b[2J", "30m", "7d", "-1h", "1e300w"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if key, value, err := ParseTag(text); err == nil {
			if key+"="+value != text || key == "" || strings.ContainsAny(text, "\n\r\x1b\x00") {
				t.Fatalf("%q became %q and %q", text, key, value)
			}
		} else if Hint(err) == "" {
			t.Fatalf("%q: %v, without advice", text, err)
		}
		if age, err := ParseAge(text); err == nil && age < 0 {
			t.Fatalf("%q is %v", text, age)
		}
	})
}
