package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/vigil-ml/vigil/internal/config"
)

// usage is an error for a person: what is wrong, what it is about, what to do.
type usage = config.UsageError

// exitError carries an exit code that is not the command's ordinary failure.
// A nil err exits silently.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exit makes the process end with code, after err (which may be nil) has been
// reported.
func exit(code int, err error) error { return &exitError{code, err} }

// report prints err: as {"error": …} on standard output with --json, else on
// standard error with its hint below.
func (a *app) report(err error) {
	message, what, hint := err.Error(), "", ""
	var u *usage
	if errors.As(err, &u) {
		what, hint = u.What, u.Hint
	}
	if a.json {
		type body struct {
			Message string `json:"message"`
			What    string `json:"what"`
			Hint    string `json:"hint"`
		}
		_ = writeJSON(a.stdout, map[string]any{"error": body{message, what, hint}})
		return
	}
	fmt.Fprintf(a.stderr, "vigil: %s\n", message)
	for line := range strings.Lines(hint) {
		fmt.Fprintf(a.stderr, "  %s\n", strings.TrimRight(line, "\n"))
	}
}

// writeJSON writes one JSON object with "format": 1 at its top, as every JSON
// output of Vigil has, and a newline. v must marshal to an object.
func writeJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	if len(b) < 2 || b[0] != '{' {
		return fmt.Errorf("write JSON: %T is not an object", v)
	}
	head := `{"format":1`
	if len(b) > 2 {
		head += ","
	}
	_, err = fmt.Fprintf(w, "%s%s\n", head, b[1:])
	return err
}

var (
	unknownFlag = regexp.MustCompile(`^unknown flag (-[^\s,]+)`)
	unexpected  = regexp.MustCompile(`^unexpected argument ([^\s,]+)`)
)

// parseError says what kong did not understand in our words and names the
// nearest known flag or command.
func parseError(err error, model *kong.Application, words []string) error {
	text := err.Error()
	node := selected(model, words)
	name := fullName(node)
	all := fmt.Sprintf("see `%s --help`", name)
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		var flags []string
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				flags = append(flags, "--"+f.Name)
			}
		}
		hint := nearest(m[1], flags, all)
		if contains(flags, m[1]) { // it stood before the command
			hint = fmt.Sprintf("it goes after the command: %s … %s", name, m[1])
		}
		return &usage{Message: fmt.Sprintf("unknown flag %s", m[1]), What: m[1], Hint: hint}
	}
	if m := unexpected.FindStringSubmatch(text); m != nil {
		return unknownCommand(node, m[1])
	}
	return &usage{Message: text, What: name, Hint: all}
}

// unknownCommand is the error for a word that is no subcommand of node.
func unknownCommand(node *kong.Node, word string) error {
	name := fullName(node)
	all := fmt.Sprintf("see `%s --help`", name)
	var commands []string
	for _, c := range node.Children {
		if !c.Hidden {
			commands = append(commands, c.Name)
		}
	}
	if len(commands) == 0 {
		return &usage{Message: fmt.Sprintf("unexpected argument %q", word), What: word, Hint: all}
	}
	of := ""
	if node.Parent != nil {
		of = " of `" + name + "`"
	}
	return &usage{Message: fmt.Sprintf("unknown command %q%s", word, of), What: word, Hint: nearest(word, commands, all)}
}

// fullName is a command as it is written: vigil rules list.
func fullName(node *kong.Node) string {
	if node.Parent == nil {
		return "vigil"
	}
	return fullName(node.Parent) + " " + node.Name
}

// selected is the command the words name, or the root.
func selected(model *kong.Application, words []string) *kong.Node {
	node := model.Node
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		next := node
		for _, c := range node.Children {
			if c.Name == w {
				next = c
			}
		}
		if next == node {
			break
		}
		node = next
	}
	return node
}

// nearest is the hint for a word that is not known.
func nearest(word string, known []string, otherwise string) string {
	if n := config.Nearest(word, known); n != "" {
		return fmt.Sprintf("did you mean %s? %s", n, otherwise)
	}
	return otherwise
}
