package judge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The text of a line is that of the script that ran: none is better than another's.
func TestScriptLine(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "train.py")
	text := "import torch\n\n    loss.backward()  \n" + strings.Repeat("x", 500) + "\nt = '\xff'"
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := os.Chtimes(script, began, began.Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		file  string
		line  int
		since time.Time
		want  string
	}{
		{"a line, without what is around it", script, 3, began, "loss.backward()"},
		{"an empty line", script, 2, began, ""},
		{"a long line is cut", script, 4, began, strings.Repeat("x", 200) + "…"},
		{"what is no text", script, 5, began, "t = '�'"},
		{"beyond the end", script, 6, began, ""},
		{"no such file", filepath.Join(dir, "gone.py"), 1, began, ""},
		{"a folder", dir, 1, began, ""},
		{"a script that was changed since", script, 3, began.Add(-time.Hour), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := scriptLine(c.since)(c.file, c.line); got != c.want {
				t.Errorf("line is %q, want %q", got, c.want)
			}
		})
	}
}
