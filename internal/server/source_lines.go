package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// SourceLines is a line of a script and those around it.
type SourceLines struct {
	_         struct{} `nullable:"true"`
	File      string   `json:"file"`
	Line      int      `json:"line"`
	FirstLine int      `json:"first_line"`
	Lines     []string `json:"lines"`
	Changed   bool     `json:"changed" doc:"The script is another one by now, or is not there: the line is as it was when the finding was made."`
}

const (
	mostScript   = 4 << 20 // bytes of a script that is read
	linesAround  = 4
	longestShown = 500 // of a line
)

// sourceLines is the line of the script that a finding names, with those around
// it. A run says which file that is. So it is read only when the run is of the
// user whom this server runs as, when it is a script in Python or Go, and when it
// has not changed since the run began; else the line is alone as it was noted.
func sourceLines(t source.Run, f *record.Finding) *SourceLines {
	w := f.Where
	if w == nil || w.Line < 1 {
		return nil
	}
	out := &SourceLines{File: w.File, Line: w.Line, FirstLine: w.Line, Lines: []string{w.Call}, Changed: true}
	if w.Call == "" {
		out.Lines = []string{}
	}
	if cell := cellOf(t, w); cell != nil {
		from, to := max(w.Line-linesAround, 1), min(w.Line+linesAround, len(cell.Lines))
		if from <= to {
			out.File, out.FirstLine, out.Lines, out.Changed = fmt.Sprintf("cell %d", w.Cell), from, cell.Lines[from-1:to], false
		}
		return out
	}
	if !ours(t.Path()) {
		return out
	}
	lines, ok := linesOf(w.File, t.Run().Started, w.Line-linesAround, w.Line+linesAround)
	at := min(w.Line-1, linesAround)
	if !ok || len(lines) <= at || w.Call != "" && strings.TrimSpace(lines[at]) != strings.TrimSpace(w.Call) && !strings.Contains(lines[at], strings.TrimSpace(w.Call)) {
		return out
	}
	out.FirstLine, out.Lines, out.Changed = max(w.Line-linesAround, 1), lines, false
	return out
}

// cellOf is the cell of a notebook that a place is in, as the run has it on record.
func cellOf(t source.Run, w *record.Where) *record.Cell {
	run := t.Run()
	if f, err := run.KnownFacts(); w.Cell > 0 && err == nil && f != nil {
		return f.Cells.Of(w.File)
	}
	return nil
}

// linesOf reads lines of a script that has not changed since a time.
func linesOf(file string, since time.Time, from, to int) ([]string, bool) {
	if ext := filepath.Ext(file); !filepath.IsAbs(file) || ext != ".py" && ext != ".go" {
		return nil, false
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostScript || info.ModTime().After(since) {
		return nil, false
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostScript))
	if err != nil || bytes.IndexByte(b, 0) >= 0 {
		return nil, false
	}
	var lines []string
	s := bufio.NewScanner(bytes.NewReader(b))
	s.Buffer(nil, mostScript)
	for n := 1; s.Scan() && n <= to; n++ {
		if n < from {
			continue
		}
		line := []rune(strings.ToValidUTF8(s.Text(), "\ufffd"))
		if len(line) > longestShown {
			line = append(line[:longestShown-1], '…')
		}
		lines = append(lines, string(line))
	}
	return lines, s.Err() == nil
}
