package launch

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestScriptOf(t *testing.T) {
	for command, want := range map[string]string{
		"python train.py --lr 1":                    "train.py",
		"/usr/bin/python3.12 -u -O train.py":        "train.py",
		"python -W ignore -X dev train.py":          "train.py",
		"python -Werror train.py":                   "train.py",
		"python -m pkg.train":                       "",
		"python -um pkg.train":                      "",
		"python -c pass x.py":                       "",
		"python -":                                  "",
		"python":                                    "",
		"python -V":                                 "",
		"python -- train.py":                        "train.py",
		"python --check-hash-based-pycs never t.py": "t.py",
		"torchrun train.py":                         "",
		"bash train.sh":                             "",
	} {
		if got := scriptOf(strings.Fields(command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestMissingScript(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"train.py", "eval"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("pkg", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ script, hint string }{ // the hint is empty where the script is there
		{"train.py", ""},
		{"eval", ""},
		{"pkg", ""}, // Python runs its __main__.py
		{"trian.py", "did you mean train.py?"},
		{"Train.py", "did you mean train.py?"},
		{"train", "did you mean train.py?"},
		{"other.py", "its path is taken from this directory, "},
		{"/nowhere/other.py", "is the path right?"},
	} {
		err := MissingScript([]string{"python", tt.script})
		var e *StartError
		errors.As(err, &e)
		switch {
		case tt.hint == "" && err != nil:
			t.Errorf("%s: %v", tt.script, err)
		case tt.hint == "":
		case e == nil || e.Code != ExitNotFound || !strings.HasPrefix(e.Hint, tt.hint) || !strings.Contains(e.Message, tt.script):
			t.Errorf("%s: %+v, want the hint %q", tt.script, e, tt.hint)
		}
	}
}
