package agent

import (
	"path/filepath"
	"strings"
	"time"
)

// Script guesses the training script in a command: the first Python file among
// its words, the module after -m, or the shell script; empty when there is
// none.
func Script(command []string) string {
	for i, word := range command {
		if i > 0 && command[i-1] == "-m" && !strings.HasPrefix(word, "-") && !startsScript(word) {
			return word
		}
		if strings.HasSuffix(word, ".py") {
			return word
		}
	}
	for _, word := range command {
		if strings.HasSuffix(word, ".sh") || strings.HasSuffix(word, ".ipynb") {
			return word
		}
	}
	return ""
}

// startsScript tells that a module starts the script rather than being it.
func startsScript(module string) bool {
	for _, prefix := range []string{"torch.distributed.", "accelerate.", "deepspeed", "pdb", "cProfile", "coverage"} {
		if strings.HasPrefix(module, prefix) {
			return true
		}
	}
	return false
}

// RunName is the name of a run that was given none: time and script.
func RunName(started time.Time, command []string) string {
	script := Script(command)
	if script == "" && len(command) > 0 {
		script = command[0]
	}
	base := strings.TrimSuffix(filepath.Base(script), filepath.Ext(script))
	if script == "" || base == "" {
		base = "run"
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '-'
	}, base)
	return started.Format("20060102-150405") + "-" + name[:min(len(name), 60)]
}
