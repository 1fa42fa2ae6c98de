package cli

import (
	"os/exec"
	"testing"
)

// TestCompletionInShells presses the tabulator key in each shell that is here.
// The commands work only when it has completed them.
func TestCompletionInShells(t *testing.T) {
	for _, shell := range []struct {
		name string
		argv []string
		load string
	}{
		{"bash", []string{"--norc", "--noprofile", "-i"}, "source <(vigil completion bash)"},
		{"zsh", []string{"-f", "-i"}, "autoload -Uz compinit; compinit -D; source <(vigil completion zsh)"},
		{"fish", []string{"--no-config", "-i"}, "vigil completion fish | source"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			path, err := exec.LookPath(shell.name)
			if err != nil {
				t.Skipf("there is no %s here", shell.name)
			}
			p := onTerminalWith(t, []string{"HOME=" + t.TempDir()}, append([]string{path}, shell.argv...)...)
			p.press(shell.load + "; echo load''ed\r")
			p.expect("loaded")
			for _, tt := range []struct{ typed, shows string }{
				{"vigil rules desc\tlabels_fit/broad\t", "so every prediction"},
				{"vigil run --rules no\t--stop-on=nev\t-- echo beg''un", "begun"},
				{"vigil run --rule dead_relu:threshold_i\tx -- true", "x\" is not a number"},
				{"vigil run --rules none -- unam\t", "Linux"},
				{"vigil report nowhe\t", `no run "nowhe"`},
			} {
				p.press(tt.typed + "; echo the''end\r")
				p.expect(tt.shows)
				p.expect("theend")
			}
			p.press("\rexit\r")
			p.code()
		})
	}
}
