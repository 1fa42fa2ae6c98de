package layout_test

import (
	"path"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

func TestEscape(t *testing.T) {
	for name, want := range map[string]string{
		"worker_0":     "worker_0",
		"":             "%",
		".":            "%2E",
		"..":           "%2E.",
		"../../etc":    "%2E.%2F..%2Fetc",
		"a/b\"c\nd":    "a%2Fb%22c%0Ad",
		"100%":         "100%25",
		"/GPU:0":       "%2FGPU%3A0",
		"é":            "%C3%A9",
		"CON\\x.":      "CON%5Cx.",
		"a~b":          "a%7Eb",
		"model.weight": "model.weight",
	} {
		got := layout.Escape(name)
		if got != want {
			t.Errorf("Escape(%q) = %q, want %q", name, got, want)
		}
		if back, ok := layout.Unescape(got); back != name || !ok {
			t.Errorf("Unescape(%q) = %q, %t, want %q", got, back, ok, name)
		}
	}
	long := strings.Repeat("x", 5000)
	a, b := layout.Escape(long+"1"), layout.Escape(long+"2")
	if a == b || len(a) > 120 {
		t.Errorf("long names: %q, %q", a, b)
	}
	if _, ok := layout.Unescape(a); ok {
		t.Error("a cut name was restored")
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a/b")
	f.Add("..")
	f.Fuzz(func(t *testing.T, name string) {
		s := layout.Escape(name)
		if s == "" || s == "." || s == ".." || len(s) > 120 || strings.ContainsAny(s, "/\\\x00\n:") {
			t.Fatalf("Escape(%q) = %q", name, s)
		}
		if back, ok := layout.Unescape(s); ok && back != name {
			t.Fatalf("Unescape(%q) = %q, want %q", s, back, name)
		}
	})
}

func TestNumbers(t *testing.T) {
	if n, ok := layout.JournalNumber(layout.Journal(1234567)); n != 1234567 || !ok {
		t.Errorf("journal number %d, %t", n, ok)
	}
	if table, n, ok := layout.ChunkNumber(layout.Chunk("stats", 3)); table != "stats" || n != 3 || !ok {
		t.Errorf("chunk %q %d, %t", table, n, ok)
	}
	for _, s := range []string{"journal-1.log", "journal-000000.log", "journal-000001.log.tmp", "x"} {
		if _, ok := layout.JournalNumber(s); ok {
			t.Errorf("%q is taken for a journal", s)
		}
	}
	raw := layout.Raw("a/b", record.Eval, 12)
	if raw != "tensors/a%2Fb/EVAL/12.safetensors" {
		t.Errorf("raw file %q", raw)
	}
	if n, ok := layout.RawStep(path.Base(raw)); n != 12 || !ok {
		t.Errorf("raw step %d, %t", n, ok)
	}
	if _, ok := layout.RawStep("012.safetensors"); ok {
		t.Error("012 is taken for a step")
	}
}
