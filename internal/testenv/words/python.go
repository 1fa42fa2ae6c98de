package words

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// pythonToken is a string with its prefix, a comment, a bracket, the end of a
// line with the indentation of the next, spaces, or anything else.
var pythonToken = regexp.MustCompile(`(?s)(?i:[rbuf]{0,2})(?:"""(?:\\.|[^\\])*?"""|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|#[^\n]*|\\\n|\n|[ \t\r]+|\w+|.`)

// ofPython gives the strings of a Python file. Strings that stand by themselves
// are comments, those that stand side by side are one, as Python takes them.
func ofPython(name string) ([]Text, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	var out []Text
	line, depth := 1, 0
	begins := true // whether a statement begins here
	joined := false
	for _, t := range pythonToken.FindAllString(string(source), -1) {
		value, isString := pythonString(t)
		switch {
		case isString:
			if joined {
				out[len(out)-1].Value += value
			} else if !begins {
				out = append(out, Text{Line: line, Value: value})
			}
			joined = joined || !begins
		case t == "\n" && depth == 0:
			begins, joined = true, false
		case strings.TrimSpace(t) == "" || t == "\\\n" || t[0] == '#':
		default:
			if strings.Contains("([{", t) {
				depth++
			} else if strings.Contains(")]}", t) {
				depth--
			}
			begins, joined = false, false
		}
		line += strings.Count(t, "\n")
	}
	return out, nil
}

// pythonString takes the quotes and the prefix off a string. Escapes of quotes
// and line ends are resolved, what is computed in an f-string stays as written.
func pythonString(t string) (string, bool) {
	at := strings.IndexAny(t, `"'`)
	if at < 0 || at > 2 || len(t) < at+2 || t[0] == '#' {
		return "", false
	}
	quotes := 1
	if strings.HasPrefix(t[at:], `"""`) || strings.HasPrefix(t[at:], `'''`) {
		quotes = 3
	}
	value := t[at+quotes : len(t)-quotes]
	if !strings.ContainsAny(t[:at], "rR") {
		value = strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\'`, `'`, "\\\n", "").Replace(value)
	}
	return value, true
}
