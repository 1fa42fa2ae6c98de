package provenance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a name with KEY, TOKEN, SECRET or PASSWORD in it stands for is in no
// form of a command line that is stored.
func TestRedact(t *testing.T) {
	for _, c := range []struct{ name, given, want string }{
		{"nothing secret", "python train.py --lr 0.1 -v data/", "python train.py --lr 0.1 -v data/"},
		{"the next word", "python train.py --api-key sesame --lr 0.1", "python train.py --api-key *** --lr 0.1"},
		{"any case", "train --API_KEY sesame --hfToken=sesame", "train --API_KEY *** --hfToken=***"},
		{"one dash", "train -password sesame x", "train -password *** x"},
		{"a value that begins with a dash", "train --secret -sesame", "train --secret ***"},
		{"no value", "train --use-token --lr 0.1", "train --use-token --lr 0.1"},
		{"several values", "train --api-keys sesame open-sesame --lr 0.1", "train --api-keys *** *** --lr 0.1"},
		{"assigned", "env FOO_TOKEN=sesame train db.password=sesame +wandb.api_key=sesame", "env FOO_TOKEN=*** train db.password=*** +wandb.api_key=***"},
		{"assigned in an option", "docker run --env=WANDB_API_KEY=sesame -eHF_TOKEN=sesame image", "docker run --env=WANDB_API_KEY=*** -eHF_TOKEN=*** image"},
		{"a variable by name", "launch --set WANDB_API_KEY sesame", "launch --set WANDB_API_KEY ***"},
		{"part of a longer name", "train --tokenizer bert --num-tokens 512 --lr 1", "train --tokenizer *** --num-tokens *** --lr 1"},
		{"an address", "train --db postgres://ann:sesame@host/db https://sesame@host", "train --db postgres://ann:***@host/db https://***@host"},
		{"a query", "train https://host/?api_key=sesame&x=1", "train https://host/?api_key=***&x=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			given := strings.Split(c.given, " ")
			before := strings.Join(given, " ")
			got := strings.Join(Redact(given), " ")
			if got != c.want {
				t.Errorf("\n  got %s\n want %s", got, c.want)
			}
			if strings.Join(given, " ") != before {
				t.Error("the command itself was changed")
			}
		})
	}
}

// A word may be the text of a shell, or JSON.
func TestRedactText(t *testing.T) {
	for given, want := range map[string]string{
		`export FOO_TOKEN=sesame; python t.py --lr 1`:           `export FOO_TOKEN=***; python t.py --lr 1`,
		`FOO_TOKEN='open sesame' python t.py`:                   `FOO_TOKEN=***`, // a value may have blanks in it
		`python t.py --api-key "open sesame" --lr 1`:            `python t.py --api-key *** --lr 1`,
		`python t.py --api-key=sesame`:                          `python t.py --api-key=***`,
		`{"api_key": "open \" sesame", "lr": 0.1}`:              `{"api_key": ***, "lr": 0.1}`,
		`{'password':'sesame','n':1}`:                           `{'password':***,'n':1}`,
		`{"secrets": ["sesame", "open"], "lr": 0.1}`:            `{"secrets": ***, "lr": 0.1}`,
		`password: sesame`:                                      `password: ***`,
		`no names of that kind: lr=0.1`:                         `no names of that kind: lr=0.1`,
		`curl -H "Authorization: x" https://u:sesame@host/path`: `curl -H "Authorization: x" https://u:***@host/path`,
	} {
		if got := Redact([]string{"bash", "-c", given})[2]; got != want {
			t.Errorf("\n  got %s\n want %s", got, want)
		}
	}
}

func TestRedactJSON(t *testing.T) {
	got, err := RedactJSON(json.RawMessage(`{"lr":0.10,"big":12345678901234567890,"deep":[{"API_KEY":{"a":1}}],"run":"x --token sesame"}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"big":12345678901234567890,"deep":[{"API_KEY":"***"}],"lr":0.10,"run":"x --token ***"}`; string(got) != want {
		t.Errorf("\n  got %s\n want %s", got, want)
	}
	if _, err := RedactJSON(json.RawMessage(`{`)); err == nil {
		t.Error("half an object was taken")
	}
}

func TestHyperparameters(t *testing.T) {
	for _, c := range []struct {
		name, command, script string
		want                  map[string]string
	}{
		{"none", "python train.py", "train.py", nil},
		{"a pair", "python train.py --lr 0.1 -b 32", "train.py", map[string]string{"lr": "0.1", "b": "32"}},
		{"joined by =", "python train.py --lr=0.1 --name=", "train.py", map[string]string{"lr": "0.1", "name": ""}},
		{"without a value", "python train.py --fast --no-amp --lr 1", "train.py", map[string]string{"fast": "true", "no-amp": "true", "lr": "1"}},
		{"negative", "python train.py --low -1e-3 --high 2", "train.py", map[string]string{"low": "-1e-3", "high": "2"}},
		{"several numbers", "python train.py --sizes 64 32 16 --lr 1", "train.py", map[string]string{"sizes": "64 32 16", "lr": "1"}},
		{"a word behind the value", "python train.py --lr 1 data/", "train.py", map[string]string{"lr": "1", "argument 1": "data/"}},
		{"words without a name", "python train.py 0.1 adam --seed 1 big", "train.py", map[string]string{"argument 1": "0.1", "argument 2": "adam", "seed": "1", "argument 3": "big"}},
		{"twice", "python train.py --add a --add b", "train.py", map[string]string{"add": "a b"}},
		{"of the script only", "torchrun --nproc-per-node 2 train.py --lr 0.1", "train.py", map[string]string{"lr": "0.1"}},
		{"a module", "python -m pkg.train --lr 0.1", "pkg.train", map[string]string{"lr": "0.1"}},
		{"key=value", "python train.py model.depth=12 +data=small", "train.py", map[string]string{"model.depth": "12", "data": "small"}},
		{"no script", "./train --lr 0.1", "", map[string]string{"lr": "0.1"}},
		{"code", "python -c pass --lr 0.1", "", map[string]string{"lr": "0.1"}},
		{"after two dashes", "python train.py --lr 1 -- --x 2", "train.py", map[string]string{"lr": "1"}},
		{"a secret", "python train.py --api-key sesame --lr 1", "train.py", map[string]string{"api-key": Hidden, "lr": "1"}},
	} {
		if d := cmp.Diff(c.want, Hyperparameters(Redact(strings.Split(c.command, " ")), c.script)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// Only listed variables are stored, and no list may name a secret.
func TestEnvironment(t *testing.T) {
	got := Environment([]string{"HOME=/root", "OMP_NUM_THREADS=1", "WANDB_API_KEY=sesame", "OMP_NUM_THREADS=2", "LD_PRELOAD="})
	if d := cmp.Diff(map[string]string{"OMP_NUM_THREADS": "2", "LD_PRELOAD": ""}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, name := range Variables {
		if Secret(name) {
			t.Errorf("%s sounds like a secret", name)
		}
	}
}

// FuzzRedact: whatever stands around it, the word behind a secret option is gone.
func FuzzRedact(f *testing.F) {
	f.Add("train.py", "--lr=0.1")
	f.Add("--a", "{\"x\":")
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.Contains(before+after, "sesame") {
			t.Skip()
		}
		for _, secret := range [][]string{{"--api-key", "sesame"}, {"FOO_TOKEN=sesame"}} {
			words := append(append([]string{"python", before}, secret...), after)
			if got := Redact(words); strings.Contains(strings.Join(got, " "), "sesame") || len(got) != len(words) {
				t.Fatalf("%q became %q", words, got)
			}
		}
	})
}
