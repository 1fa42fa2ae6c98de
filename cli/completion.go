package cli

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed completion/vigil.bash completion/vigil.zsh completion/vigil.fish
var completions embed.FS

// shells are those that there is a script for.
var shells = []string{"bash", "zsh", "fish"}

// completionCmd prints the script that makes a shell ask completeCmd.
type completionCmd struct {
	Shell string `arg:"" optional:"" name:"shell" placeholder:"SHELL" help:"bash, zsh or fish."`
}

// Help teaches the command.
func (completionCmd) Help() string {
	return `Add one line to the shell's start file, and completion works in every new shell:

    source <(vigil completion bash)     in ~/.bashrc
    source <(vigil completion zsh)      in ~/.zshrc, after compinit
    vigil completion fish | source      in ~/.config/fish/config.fish

Commands, flags and their values, runs, tensors, rules and their parameters are completed; after the two
dashes of vigil run, the command that follows them.

Exit codes: 0, or 1 for an unknown shell.`
}

// Run prints the script.
func (c completionCmd) Run(a *app) error {
	if c.Shell == "" {
		return &usage{Message: "name a shell: bash, zsh or fish", What: "SHELL", Hint: "`vigil completion --help` shows where to put the script"}
	}
	if !contains(shells, c.Shell) {
		return &usage{Message: fmt.Sprintf("there is no completion for the shell %q", c.Shell), What: c.Shell,
			Hint: nearest(c.Shell, shells, "known: "+strings.Join(shells, ", "))}
	}
	script, err := completions.ReadFile("completion/vigil." + c.Shell)
	if err != nil {
		return fmt.Errorf("read the script for %s: %w", c.Shell, err)
	}
	_, err = a.stdout.Write(script)
	return err
}
