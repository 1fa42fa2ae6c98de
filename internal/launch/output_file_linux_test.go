package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A file is read from where the command begins to write; one that is cut is read from its beginning.
func TestOutputOfAFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "job.log")
	if err := os.WriteFile(path, []byte("from before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	o, out, errs, err := keepOutput(dir, to, to)
	if err != nil {
		t.Fatal(err)
	}
	if out != to || errs != to {
		t.Error("the command does not get the file itself")
	}
	o.started(0)
	kept := func() string {
		b, err := os.ReadFile(filepath.Join(dir, "logs", "output.log"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	write := func(text string) {
		t.Helper()
		if _, err := to.WriteString(text); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); !strings.HasSuffix(kept(), text); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%q was not copied in a minute; the log has %q", text, kept())
			}
		}
	}
	write("a first line that is long\n")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	write("short\n")
	if _, err := to.WriteString("last\n"); err != nil {
		t.Fatal(err)
	}
	o.finish()
	if want := "a first line that is long\nshort\nlast\n"; kept() != want {
		t.Errorf("the log has %q, want %q", kept(), want)
	}
}

// What is no file is not read along.
func TestOutputOfAPipe(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	defer to.Close()
	o, out, _, err := keepOutput(t.TempDir(), to, to)
	if err != nil {
		t.Fatal(err)
	}
	if out == to {
		t.Error("the command writes to the pipe itself")
	}
	o.started(0)
	o.finish()
}
