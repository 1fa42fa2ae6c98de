package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// helpCmd is --help as a command.
type helpCmd struct {
	Command []string `arg:"" optional:"" name:"command" placeholder:"COMMAND" help:"The command, as in: vigil help rules list."`
}

// Help teaches the command.
func (helpCmd) Help() string {
	return "Examples:\n\n    vigil help\n    vigil help run\n    vigil help rules describe\n\n" +
		"It prints what the command prints with --help.\n\nExit codes: 0, or 1 when there is no such command."
}

// Run prints the help of the command, or that of the program.
func (c helpCmd) Run(ctx *kong.Context) error {
	node := ctx.Model.Node
	for _, word := range c.Command {
		next := child(node, word)
		if next == nil {
			return unknownCommand(node, word)
		}
		node = next
	}
	about, err := kong.Trace(ctx.Kong, c.Command)
	if err != nil {
		return fmt.Errorf("find the help of %q: %w", strings.Join(c.Command, " "), err)
	}
	return about.PrintUsage(false)
}

// child is the subcommand of a name, or nil.
func child(node *kong.Node, name string) *kong.Node {
	for _, c := range node.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}
