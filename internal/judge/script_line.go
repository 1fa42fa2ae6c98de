package judge

import (
	"bufio"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/source"
)

const (
	mostScript = 4 << 20 // bytes of a script that are read
	mostLine   = 200     // of the text of a line
)

// unchanged reports whether a file is there as it was then, and not too large.
func unchanged(file string, since time.Time) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Size() <= mostScript && !info.ModTime().After(since)
}

// scriptLine gives a function that reads a line of a file that has not changed since:
// another version of it has something else there.
func scriptLine(since time.Time) func(file string, line int) string {
	return func(file string, line int) string {
		if !unchanged(file, since) {
			return ""
		}
		f, err := os.Open(file)
		if err != nil {
			return ""
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		s.Buffer(nil, mostScript)
		for n := 1; s.Scan(); n++ {
			if n < line {
				continue
			}
			text := strings.TrimSpace(s.Text())
			if len(text) > mostLine {
				text = text[:mostLine] + "…"
			}
			if !utf8.ValidString(text) {
				return strings.ToValidUTF8(text, "�")
			}
			return text
		}
		return ""
	}
}

// knownLine gives the same for a stored run: the text that its findings have on record,
// because the script may be gone or changed by now.
func knownLine(run source.Run) func(file string, line int) string {
	type place struct {
		file string
		line int
	}
	known := map[place]string{}
	for _, f := range run.Findings() {
		if w := f.Where; w != nil {
			known[place{w.File, w.Line}] = w.Call
		}
	}
	read := scriptLine(run.Run().Started)
	return func(file string, line int) string {
		if text, ok := known[place{file, line}]; ok {
			return text
		}
		return read(file, line)
	}
}
