package launch

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is read from where the command begins to write. Once it was cut, what is appended comes at its
// beginning, and anything else where it would have come.
func TestGrownFile(t *testing.T) {
	for name, flags := range map[string]int{"appended": os.O_WRONLY | os.O_APPEND, "not appended": os.O_WRONLY} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "job.log")
			if err := os.WriteFile(path, []byte("from before\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			to, err := os.OpenFile(path, flags, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			if _, err := to.Seek(0, io.SeekEnd); err != nil {
				t.Fatal(err)
			}
			g, err := reading(to)
			if err != nil {
				t.Fatal(err)
			}
			defer g.file.Close()
			var got strings.Builder
			for _, text := range []string{"a first line\n", "", "another\n", "cut", "short\n", "last\n"} {
				if text == "cut" {
					err = os.Truncate(path, 0)
				} else {
					_, err = to.WriteString(text)
				}
				if err != nil {
					t.Fatal(err)
				}
				g.copyTo(&got)
			}
			if want := "a first line\nanother\nshort\nlast\n"; got.String() != want {
				t.Errorf("%q was copied, want %q", got.String(), want)
			}
		})
	}
}

// Two descriptors of one file stay the command's two, and the file is copied once.
func TestOutputOfAFileThatIsOpenTwice(t *testing.T) {
	dir := t.TempDir()
	open := func() *os.File {
		f, err := os.OpenFile(filepath.Join(dir, "job.log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	stdout, stderr := open(), open()
	o, out, errs, err := keepOutput(dir, stdout, stderr)
	if err != nil {
		t.Fatal(err)
	}
	if out != stdout || errs != stderr {
		t.Error("the command does not get its own descriptors")
	}
	o.started(0)
	for _, f := range []*os.File{out, errs} {
		if _, err := f.WriteString("line\n"); err != nil {
			t.Fatal(err)
		}
	}
	o.finish()
	if b, err := os.ReadFile(filepath.Join(dir, "logs", "output.log")); err != nil || string(b) != "line\nline\n" {
		t.Errorf("the log has %q, %v", b, err)
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
