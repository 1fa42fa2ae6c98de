package logfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestLogIsKeptWithinBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		line func(i int) string
		n    int
		cut  bool
	}{
		{"nothing", nil, 0, false},
		{"short", func(i int) string { return fmt.Sprintf("line %d\n", i) }, 100, false},
		{"just within", func(int) string { return strings.Repeat("x", 1023) + "\n" }, (Head + Tail) >> 10, false},
		{"long", func(i int) string { return fmt.Sprintf("line %07d\n", i) }, 200_000, true},
		{"one endless line", func(int) string { return strings.Repeat("y", 1000) }, 5000, true},
		{"in large pieces", func(i int) string { return strings.Repeat(fmt.Sprintf("piece %d\n", i), 100_000) }, 6, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "logs", "x.log")
			l, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			var all bytes.Buffer
			most := int64(0)
			for i := range c.n {
				all.WriteString(c.line(i))
				fmt.Fprint(l, c.line(i))
				if st, err := os.Stat(path); i%50 == 0 && err == nil && len(c.line(i)) < 10_000 {
					most = max(most, st.Size())
				}
				if i == c.n/2 { // the next process goes on
					if err := l.Close(); err != nil {
						t.Fatal(err)
					}
					if l, err = Open(path); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !c.cut {
				if !bytes.Equal(got, all.Bytes()) {
					t.Errorf("%d bytes of %d are left", len(got), all.Len())
				}
				return
			}
			if most > Head+Tail+slack+20_000 || len(got) > Head+Tail+len(LeftOut)+1 {
				t.Errorf("it had %d bytes, and has %d at the end", most, len(got))
			}
			before, after, found := strings.Cut(string(got), LeftOut)
			if !found || strings.Contains(after, LeftOut) {
				t.Fatal("what is left out is not marked, or twice")
			}
			if !strings.HasPrefix(all.String(), strings.TrimSuffix(before, "\n")) || len(before) < Head*9/10 {
				t.Errorf("the beginning is not kept: %d bytes", len(before))
			}
			if !strings.HasSuffix(all.String(), after) || len(after) < Tail*9/10 {
				t.Errorf("the end is not kept: %d bytes", len(after))
			}
		})
	}
}

// A log that cannot be written, or that is closed, disturbs nobody.
func TestLogNeverFails(t *testing.T) {
	if _, err := Open(filepath.Join(os.DevNull, "x.log")); err == nil {
		t.Error("a log was made below a file")
	}
	var none *File
	l, err := Open(filepath.Join(t.TempDir(), "x.log"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { fmt.Fprint(l, "x\n") })
	}
	all.Wait()
	for _, f := range []*File{none, l} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if n, err := f.Write([]byte("late")); n != 4 || err != nil {
			t.Errorf("a late write: %d, %v", n, err)
		}
	}
}
