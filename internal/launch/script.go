package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MissingScript is a *StartError where the command is a Python with a script
// that is not there, of which Python would say so after it has started.
func MissingScript(command []string) error {
	script := scriptOf(command)
	if script == "" {
		return nil
	}
	if _, err := os.Stat(script); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	hint := "its path is taken from this directory"
	if dir, err := os.Getwd(); err == nil {
		hint = fmt.Sprintf("its path is taken from this directory, %s", dir)
	}
	if filepath.IsAbs(script) {
		hint = "is the path right?"
	}
	if near := alike(script); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return &StartError{Code: ExitNotFound, Message: fmt.Sprintf("there is no script %q", script), What: script, Hint: hint}
}

// alike is a script next to one that is missing, of nearly its name: the same
// letters but for one, or for their case.
func alike(script string) string {
	dir, name := filepath.Split(script)
	entries, err := os.ReadDir(filepath.Join(dir, "."))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), name) || e.Name() == name+".py" || strings.HasSuffix(e.Name(), ".py") && oneApart(e.Name(), name) {
			return dir + e.Name()
		}
	}
	return ""
}

// oneApart reports whether two words differ in one letter that is another one, left
// out, or there once more, or in two neighbours that have changed places.
func oneApart(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	switch len(y) - len(x) {
	case 1:
		return slices.Equal(x[i:], y[i+1:])
	case 0:
		return i < len(x) && (slices.Equal(x[i+1:], y[i+1:]) ||
			i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:]))
	}
	return false
}

// withValue are Python's options whose value is the next word.
var withValue = []string{"-W", "-X", "--check-hash-based-pycs"}

// scriptOf is the script that a Python in a command is given; "" where it is
// given none, or where that is not sure.
func scriptOf(command []string) string {
	if len(command) == 0 {
		return ""
	}
	if base := filepath.Base(command[0]); !strings.HasPrefix(base, "python") && !strings.HasPrefix(base, "pypy") {
		return ""
	}
	for i := 1; i < len(command); i++ {
		word := command[i]
		switch {
		case slices.Contains(withValue, word):
			i++
		case word == "--":
			if i+1 < len(command) {
				return command[i+1]
			}
			return ""
		case word == "-":
			return ""
		case strings.HasPrefix(word, "--"):
		case strings.HasPrefix(word, "-"):
			// What is run without a file: a command, a module; or an answer of Python's own.
			if strings.ContainsAny(word[:min(len(word), 8)], "cmVh?") && !strings.HasPrefix(word, "-W") && !strings.HasPrefix(word, "-X") {
				return ""
			}
		default:
			return word
		}
	}
	return ""
}
