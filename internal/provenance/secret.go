package provenance

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Hidden stands where a value is not stored.
const Hidden = "***"

const secretWords = `key|token|secret|password|passwd`

var (
	secret = regexp.MustCompile(`(?i)` + secretWords)
	// plural is the name of an option that takes several values.
	plural = regexp.MustCompile(`(?i)(?:` + secretWords + `)s$`)
	// option is a word that is the name of an option and nothing else.
	option = regexp.MustCompile(`^--?([A-Za-z][\w.\-]*)$`)
	// variable is a word that is the name of an environment variable.
	variable = regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$`)
	// assignment is a word that gives a name a value.
	assignment = regexp.MustCompile(`^([-+~]*[A-Za-z_][\w.\-/\[\]]*=)(?s:.*)$`)
	// Inside a longer text, as a shell's or JSON's.
	value    = `("(?:\\.|[^"\\])*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^\s"',;&}\]]+)`
	name     = `[\w.\-]*(?:` + secretWords + `)[\w.\-]*`
	assigned = regexp.MustCompile(`(?i)(` + name + `\\?["']?\s*[=:]\s*)` + value)
	followed = regexp.MustCompile(`(?i)((?:^|\s)--?` + name + `\s+)` + value)
	// user is the user and the password in an address.
	user = regexp.MustCompile(`(://)([^/\s:@]*)(:[^/\s@]*)?@`)
)

// Secret reports whether the value of a name is not to be stored.
func Secret(name string) bool { return secret.MatchString(name) }

// Redact gives a command line without the values of secret names, whether they
// follow the name (--api-key X), are assigned to it (FOO_TOKEN=X), or stand in
// the text of a word, as that of a shell.
func Redact(command []string) []string {
	out := make([]string, len(command))
	hide := 0 // so many of the next words
	for i, word := range command {
		m := option.FindStringSubmatch(word)
		double := strings.HasPrefix(word, "--")
		switch {
		case hide > 0 && !(m != nil && double):
			out[i] = Hidden
			hide--
			continue
		case m != nil && plural.MatchString(m[1]):
			hide = len(command)
		case m != nil && Secret(m[1]), variable.MatchString(word) && Secret(word):
			hide = 1
		default:
			hide = 0
		}
		out[i] = redactWord(word)
	}
	return out
}

func redactWord(word string) string {
	if m := assignment.FindStringSubmatch(word); m != nil && Secret(m[1]) {
		return m[1] + Hidden
	}
	return RedactText(word)
}

// RedactText takes the values of secret names, and passwords of addresses, out
// of a text.
func RedactText(text string) string {
	text = assigned.ReplaceAllString(text, "${1}"+Hidden)
	text = followed.ReplaceAllString(text, "${1}"+Hidden)
	return user.ReplaceAllStringFunc(text, func(s string) string {
		if m := user.FindStringSubmatch(s); m[3] != "" {
			return m[1] + m[2] + ":" + Hidden + "@"
		}
		return "://" + Hidden + "@"
	})
}

// RedactJSON does so in a JSON value: what is under a secret name is
// replaced as a whole.
func RedactJSON(raw json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber() // digits stay as they are
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(redactValue(v))
}

func redactValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			if Secret(k) {
				v[k] = Hidden
			} else {
				v[k] = redactValue(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = redactValue(v[i])
		}
	case string:
		return RedactText(v)
	}
	return v
}

// Profiler is what a request asks of profiling, without secrets.
func Profiler(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	out, err := RedactJSON(raw)
	if err != nil {
		return nil
	}
	return out
}
