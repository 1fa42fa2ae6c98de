package record

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Hunk is a part of a suggestion, for people.
type Hunk struct {
	Line  int      // of the file, where it begins to change
	Lines []string // each with its sign: '+', '-' or ' '
}

// Hunks are the parts of the diff as they are shown: around lines that are replaced or
// moved there is nothing else, around lines that are put in or taken away are their
// neighbours. What all lines are set in by is left out.
func (s *Suggestion) Hunks() []Hunk {
	var list []Hunk
	for _, text := range strings.Split(strings.TrimSuffix(s.Diff, "\n"), "\n") {
		text = strings.TrimRight(text, "\r")
		switch {
		case strings.HasPrefix(text, "--- ") && len(list) == 0, strings.HasPrefix(text, "+++ ") && len(list) == 0, strings.HasPrefix(text, `\`), text == "":
		case strings.HasPrefix(text, "@@"):
			h := Hunk{}
			if _, err := fmt.Sscanf(text, "@@ -%d,", &h.Line); err != nil {
				return nil
			}
			list = append(list, h)
		case len(list) > 0:
			h := &list[len(list)-1]
			h.Lines = append(h.Lines, text)
		}
	}
	for i := range list {
		list[i] = list[i].trimmed()
	}
	return list
}

// Place is where the script begins to change, for people: "train.py:12".
func (s *Suggestion) Place() string { return s.In(filepath.Base(s.File)) }

// In is the same with another name of the file.
func (s *Suggestion) In(file string) string {
	for _, h := range s.Hunks() {
		return fmt.Sprintf("%s:%d", file, h.Line)
	}
	return file
}

func (h Hunk) trimmed() Hunk {
	signs := ""
	for _, l := range h.Lines {
		signs += l[:1]
	}
	replaces := strings.Contains(signs, "-") && strings.Contains(signs, "+")
	drop := func(at int) bool { // an empty line tells nothing
		return len(h.Lines) > 0 && h.Lines[at][0] == ' ' && (replaces || strings.TrimSpace(h.Lines[at]) == "")
	}
	first := max(0, strings.IndexAny(signs, "+-"))
	h.Line += first
	for len(h.Lines) > 1 && drop(len(h.Lines)-1) {
		h.Lines = h.Lines[:len(h.Lines)-1]
	}
	for len(h.Lines) > 1 && drop(0) {
		h.Lines = h.Lines[1:]
	}
	in := ""
	for i, l := range h.Lines {
		blanks := l[1 : len(l)-len(strings.TrimLeft(l[1:], " \t"))]
		if i == 0 {
			in = blanks
		}
		for !strings.HasPrefix(blanks, in) {
			in = in[:len(in)-1]
		}
	}
	for i, l := range h.Lines {
		h.Lines[i] = l[:1] + strings.TrimPrefix(l[1:], in)
	}
	return h
}
