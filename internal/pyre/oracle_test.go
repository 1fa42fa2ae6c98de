package pyre

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

type question struct {
	Pattern string   `json:"pattern"`
	Strings []string `json:"strings"`
}

type answer struct {
	Error   string            `json:"error"`
	Pos     int               `json:"pos"`
	Results []json.RawMessage `json:"results"`

	// old marks a Python before 3.11: it knows no possessive and atomic parts,
	// words some errors differently, and sets some groups wrongly.
	old bool
}

// ask puts the questions to the real re module.
func ask(t *testing.T, qs []question) []answer {
	t.Helper()
	in, err := json.Marshal(qs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(testenv.Python(t), "-I", "testdata/re_oracle.py")
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ask Python: %v\n%s", err, stderr.Bytes())
	}
	var all struct {
		Version [2]int
		Answers []answer
	}
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Answers) != len(qs) {
		t.Fatalf("ask Python: %d answers to %d questions", len(all.Answers), len(qs))
	}
	for i := range all.Answers {
		all.Answers[i].old = all.Version[1] < 11
	}
	return all.Answers
}

// compare holds our engine against the answers: validity, message and position
// of errors, and the spans of the match and of every group. Searches that
// reach our step limit are counted, not compared.
func compare(t *testing.T, qs []question, as []answer) (matched, refused, limited int) {
	t.Helper()
	for i, q := range qs {
		a := as[i]
		re, err := Compile(q.Pattern)
		if a.Error != "" || err != nil {
			refused++
			var e *Error
			ours := errors.As(err, &e)
			switch {
			case a.Error == "global flags not at the start of the expression":
				// Python 3.8 to 3.10 accept it, and we go on as they do.
			case a.old && a.Error != "":
				// Newer ones may accept it.
			case a.Error == "":
				t.Errorf("%q: Python accepts, we say %v", q.Pattern, err)
			case err == nil:
				t.Errorf("%q: Python says %s (%d), we accept", q.Pattern, a.Error, a.Pos)
			case !ours || e.Msg != a.Error || e.Pos != a.Pos:
				t.Errorf("%q: Python says %q at %d, we say %v", q.Pattern, a.Error, a.Pos, err)
			}
			continue
		}
		for k, s := range q.Strings {
			if string(a.Results[k]) == `"slow"` {
				continue
			}
			var want [][2]int32
			if err := json.Unmarshal(a.Results[k], &want); err != nil {
				t.Fatal(err)
			}
			spans, err := re.find(s)
			if err != nil {
				limited++
				continue
			}
			var got [][2]int32
			for j := 0; j < len(spans); j += 2 {
				got = append(got, [2]int32{spans[j], spans[j+1]})
			}
			if a.old {
				got, want = got[:min(len(got), 1)], want[:min(len(want), 1)]
			}
			if !same(got, want) {
				t.Errorf("%q on %q: got %v, Python %v", q.Pattern, s, got, want)
			}
			if want != nil {
				matched++
			}
		}
	}
	return matched, refused, limited
}

func same(a, b [][2]int32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		unset := a[i][0] < 0 || a[i][1] < 0
		if unset != (b[i][0] < 0) || !unset && a[i] != b[i] {
			return false
		}
	}
	return true
}
