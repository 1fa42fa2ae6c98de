package provenance

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	maxPairs = 1000
	maxAlone = 20   // words without a name
	maxText  = 1000 // bytes of a value
)

var pair = regexp.MustCompile(`^(?:--?|\+{0,2})([A-Za-z_][\w.\-/@]*)=((?s:.*))$`)

// Hyperparameters are the options behind the script in a command line, with
// their values: --lr 0.1, --lr=0.1, lr=0.1; "true" for one without a value. A
// word of its own is called by its place: argument 1. The command is redacted
// before; script is the word of it that names the script.
func Hyperparameters(command []string, script string) map[string]string {
	words := command[min(1, len(command)):]
	if i := slices.Index(command, script); script != "" && i >= 0 {
		words = command[i+1:]
	} else if i := slices.Index(command, "-c"); i >= 0 {
		words = command[min(i+2, len(command)):] // code is no setting
	}
	found := map[string]string{}
	put := func(name, value string) {
		if before, there := found[name]; there {
			value = before + " " + value
		}
		if len(found) < maxPairs {
			found[name] = cut(value)
		}
	}
	alone := 0
	for i := 0; i < len(words) && words[i] != "--"; i++ {
		if m := pair.FindStringSubmatch(words[i]); m != nil {
			put(m[1], m[2])
			continue
		}
		m := option.FindStringSubmatch(words[i])
		if m == nil {
			if alone++; alone <= maxAlone {
				put(fmt.Sprintf("argument %d", alone), words[i])
			}
			continue
		}
		if i+1 == len(words) || isOption(words[i+1]) {
			put(m[1], "true")
			continue
		}
		i++
		values := words[i : i+1]
		for isNumber(words[i]) && i+1 < len(words) && isNumber(words[i+1]) { // --sizes 64 32
			i++
			values = append(values[:len(values):len(values)], words[i])
		}
		put(m[1], strings.Join(values, " "))
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

func isOption(word string) bool {
	return strings.HasPrefix(word, "-") && len(word) > 1 && !isNumber(word)
}

func isNumber(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil
}

func cut(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}
