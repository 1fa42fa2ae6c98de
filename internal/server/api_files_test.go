package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv/written"
	"github.com/vigil-ml/vigil/internal/trial"
)

// reply asks a server and gives status, headers and text.
func reply(t *testing.T, base, path string) (int, http.Header, string) {
	t.Helper()
	r, err := http.Get(base + "/api/v1" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, r.Header, string(b)
}

// Of a run's files those that a person may keep are given out, as downloads; nothing
// else, and nothing outside of the run.
func TestFiles(t *testing.T) {
	root := t.TempDir()
	written.Write(t, root, "run")
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("secret.txt", "secret")
	put("run/logs/output.log", strings.Repeat("one\n", 1000)+"<b>last</b> \xff\n")
	put("run/logs/rules/my_rule.log", "printed")
	put("run/files/my_rule/table.html", "<script>alert(1)</script>")
	for link, to := range map[string]string{"run/files/out.txt": "../../secret.txt", "run/files/whole": root, "run/logs/agent.log": filepath.Join(root, "secret.txt")} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(New(Options{Root: root, Version: "test"}).Handler())
	defer s.Close()
	if _, _, text := reply(t, s.URL, "/runs/run/files"); strings.Count(text, `"path"`) != 3 || strings.Contains(text, "secret") {
		t.Errorf("files: %s", text)
	}
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{"/runs/run/logs", 200, `<b>last</b> \ufffd\n","from":0,"to":4014,"size":4014`},
		{"/runs/run/logs?tail=6", 200, `"text":"/b> \ufffd\n","from":4008`},
		{"/runs/run/logs?from=4&tail=1", 200, `"from":4,"to":4014`},
		{"/runs/run/logs?from=99999", 200, `"text":"","from":4014`},
		{"/runs/run/logs?which=rule:my_rule", 200, `"text":"printed"`},
		{"/runs/run/logs?which=rule:..%2F..%2F..%2Fsecret", 404, "has no file"},
		{"/runs/run/logs?which=agent", 404, "has no file"},
		{"/runs/run/logs?which=other", 422, "There is no log"},
		{"/runs/run/files/files/my_rule/table.html", 200, "<script>alert(1)</script>"},
		{"/runs/run/files/logs/output.log", 200, "one\n"},
		{"/runs/run/files/run.json", 404, "has no file"},
		{"/runs/run/files/files/out.txt", 404, "has no file"},
		{"/runs/run/files/files/whole/secret.txt", 404, "has no file"},
		{"/runs/run/files/files/" + url.PathEscape("../../../secret.txt"), 404, "has no file"},
		{"/runs/run/files/files", 404, "has no file"},
		{"/runs/gone/files", 404, `There is no run \"gone\" here`},
	} {
		status, header, text := reply(t, s.URL, tt.path)
		text = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(text)
		if status != tt.status || !strings.Contains(strings.ReplaceAll(text, "\ufffd", `\ufffd`), tt.want) {
			t.Errorf("%s: %d %.300s, want %d with %s", tt.path, status, text, tt.status, tt.want)
		}
		if status == 200 && strings.Contains(tt.path, "/files/") &&
			(header.Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(header.Get("Content-Disposition"), "attachment; ") || header.Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s: %v", tt.path, header)
		}
	}
}

// A finding shows the lines of a script that has not changed since the run began,
// else the line alone that was noted with it.
func TestSourceLines(t *testing.T) {
	root, scripts := t.TempDir(), t.TempDir()
	written.Write(t, root, "run")
	r, err := trial.Open(filepath.Join(root, "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	write := func(name, text string, changed bool) string {
		path := filepath.Join(scripts, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		at := written.Started.AddDate(0, -1, 0)
		if changed {
			at = written.Started.AddDate(0, 1, 0)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := "1\n2\n3\n4\n5\nloss.backward()\n7\n8\n9\n10\n11\n"
	for _, tt := range []struct {
		name  string
		where *record.Where
		first int
		lines int
	}{
		{"no place", nil, 0, 0},
		{"unchanged", &record.Where{File: write("train.py", text, false), Line: 6, Call: "loss.backward()"}, 2, 9},
		{"at the top", &record.Where{File: write("top.py", text, false), Line: 1, Call: "1"}, 1, 5},
		{"changed since", &record.Where{File: write("changed.py", text, true), Line: 6, Call: "loss.backward()"}, 6, 1},
		{"another text there", &record.Where{File: write("other.py", text, false), Line: 6, Call: "optimizer.step()"}, 6, 1},
		{"gone", &record.Where{File: filepath.Join(scripts, "gone.py"), Line: 6, Call: "loss.backward()"}, 6, 1},
		{"no script", &record.Where{File: write("passwd", text, false), Line: 6}, 6, 0},
		{"beyond its end", &record.Where{File: write("short.py", "1\n", false), Line: 60}, 60, 0},
		{"relative", &record.Where{File: "source_lines.go", Line: 6}, 6, 0},
	} {
		got := sourceLines(r, &record.Finding{Where: tt.where})
		switch {
		case tt.where == nil:
			if got != nil {
				t.Errorf("%s: %v", tt.name, got)
			}
		case got == nil || got.FirstLine != tt.first || len(got.Lines) != tt.lines || got.Changed != (tt.lines < 2):
			t.Errorf("%s: %+v, want %d lines from %d on", tt.name, got, tt.lines, tt.first)
		}
	}
}
