package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/vigil-ml/vigil/internal/logfile"
)

// Who follows a log sees each line once, also when its middle is taken out
// meanwhile.
func TestFollowALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	var got, want bytes.Buffer
	r := reader{path: path, to: &got}
	if err := r.more(); err != nil || got.Len() > 0 {
		t.Fatalf("before there is a log: %q, %v", &got, err)
	}
	l, err := logfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i := range 100_000 {
		line := fmt.Sprintf("line %d of a log that is long\n", i)
		want.WriteString(line)
		fmt.Fprint(l, line)
		if i%100 == 0 {
			if err := r.more(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := r.more(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes were shown of %d", got.Len(), want.Len())
	}
}
