package suggest

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/record"
)

const (
	mostLines = 12  // of a diff
	mostLine  = 200 // bytes of one of its lines
)

// edit is what changes in a script: whole lines, without their ends.
type edit struct {
	script  *script
	before  map[int][]string
	after   map[int][]string
	instead map[int]string
	gone    map[int]bool
}

func change(s *script) *edit {
	return &edit{s, map[int][]string{}, map[int][]string{}, map[int]string{}, map[int]bool{}}
}

// replace puts text in place of another on one line. A line of which nothing is left but
// a comment goes.
func (e *edit) replace(begin, end int, text string) *edit {
	line := e.script.lineOf(begin)
	from, whole := e.script.lines[line-1], strings.TrimRight(e.script.line(line), "\r\n")
	now := whole[:begin-from] + text + whole[end-from:]
	if rest := strings.TrimSpace(now); rest == "" || rest[0] == '#' {
		e.gone[line] = true
	} else {
		e.instead[line] = strings.TrimRight(now, " \t")
	}
	return e
}

// diff spells an edit with one line of context; nil where that is no text for people.
func (e *edit) diff(file string) *record.Suggestion {
	type line struct {
		sign byte
		text string
	}
	var all []line
	ending := "\n"
	if strings.Contains(e.script.line(1), "\r\n") {
		ending = "\r\n"
	}
	for n := 1; n <= len(e.script.lines); n++ {
		was := e.script.line(n)
		if was == "" {
			break
		}
		end := was[len(strings.TrimRight(was, "\r\n")):]
		for _, t := range e.before[n] {
			all = append(all, line{'+', t + ending})
		}
		now, changed := e.instead[n]
		switch {
		case changed:
			all = append(all, line{'-', was}, line{'+', now + end})
		case e.gone[n]:
			all = append(all, line{'-', was})
		default:
			if len(e.after[n]) > 0 && end == "" { // the last line has no end
				all = append(all, line{'-', was}, line{'+', was + ending})
				for i, t := range e.after[n] {
					if i < len(e.after[n])-1 {
						t += ending
					}
					all = append(all, line{'+', t})
				}
				continue
			}
			all = append(all, line{' ', was})
		}
		for _, t := range e.after[n] {
			all = append(all, line{'+', t + ending})
		}
	}
	shown := func(i int) bool {
		for k := max(0, i-1); k <= min(len(all)-1, i+1); k++ {
			if all[k].sign != ' ' {
				return true
			}
		}
		return false
	}
	name := filepath.Base(file)
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", name, name)
	old, now, count := 0, 0, 0 // lines before
	for i := 0; i < len(all); {
		if !shown(i) {
			old, now, i = old+1, now+1, i+1
			continue
		}
		var hunk strings.Builder
		var olds, nows int
		for ; i < len(all) && shown(i); i++ {
			one := all[i]
			if one.sign != '+' {
				olds++
			}
			if one.sign != '-' {
				nows++
			}
			if count++; len(one.text) > mostLine {
				return nil
			}
			hunk.WriteString(string(one.sign) + one.text)
			if !strings.HasSuffix(one.text, "\n") {
				hunk.WriteString("\n\\ No newline at end of file\n")
			}
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@\n%s", span(old, olds), span(now, nows), hunk.String())
		old, now = old+olds, now+nows
	}
	if count == 0 || count > mostLines || !utf8.ValidString(b.String()) {
		return nil
	}
	return &record.Suggestion{File: file, Diff: b.String()}
}

// span spells which lines a hunk has, of those behind so many.
func span(behind, lines int) string {
	if lines == 0 {
		return fmt.Sprintf("%d,0", behind)
	}
	return fmt.Sprintf("%d,%d", behind+1, lines)
}
