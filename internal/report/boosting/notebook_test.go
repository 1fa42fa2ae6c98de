package boosting

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The notebook is one of format 4.5 that has a cell with code for each section
// of the page, names the run as seen from its place, and takes hostile names for
// what they are. That its code runs is tested on a real training in e2e.
func TestNotebook(t *testing.T) {
	for name, training := range map[string]training{"two": twoClasses, "three": threeClasses, "numbers": numbers} {
		tr := makeRun(t, training)
		dir := t.TempDir()
		if err := WriteIn(dir, tr, Options{Now: time.Unix(0, 0)}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(Path))
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		d, err := compose(tr, Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := readNotebook(t, strings.TrimSuffix(path, ".html")+".ipynb")
		if !strings.HasPrefix(n["setup"], `run, kind = "../..", "`+d.kind.text()+`"`) {
			t.Errorf("%s: setup begins %.60q", name, n["setup"])
		}
		for _, s := range d.content.Sections {
			if n[s.ID] == "" || !strings.HasPrefix(n[s.ID+"-text"], "## "+markdown(s.Title)) {
				t.Errorf("%s: no cells for %q", name, s.ID)
			}
		}
		for id, text := range n {
			if strings.Contains(text, "<b>") || strings.Contains(text, "<script") {
				t.Errorf("%s: cell %q has markup: %s", name, id, text)
			}
		}

		elsewhere := filepath.Join(dir, "out.ipynb")
		if err := WriteFile(elsewhere, tr, Options{}); err != nil {
			t.Fatal(err)
		}
		if n := readNotebook(t, elsewhere); !strings.HasPrefix(n["setup"], "run, kind = "+quoted(tr.Path())) {
			t.Errorf("%s: setup begins %.60q", name, n["setup"])
		}
	}
}

// readNotebook gives the text of each cell by its id.
func readNotebook(t *testing.T, path string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			ID     string `json:"id"`
			Source string `json:"source"`
		} `json:"cells"`
		Format int `json:"nbformat"`
		Minor  int `json:"nbformat_minor"`
	}
	if err := json.Unmarshal(b, &n); err != nil {
		t.Fatal(err)
	}
	if n.Format != 4 || n.Minor != 5 {
		t.Errorf("format %d.%d", n.Format, n.Minor)
	}
	out := map[string]string{}
	for _, c := range n.Cells {
		if _, twice := out[c.ID]; twice || c.ID == "" {
			t.Errorf("cell %q comes twice", c.ID)
		}
		out[c.ID] = c.Source
	}
	return out
}

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"a plain text, 3.5 % of it":    "a plain text, 3.5 % of it",
		"<b>x</b> & `y` *z* [a](b)":    `&lt;b&gt;x&lt;/b&gt; &amp; \` + "`y\\`" + ` \*z\* \[a\](b)`,
		"first\n\n# second\t$x$ a|b_c": `first # second \$x\$ a\|b\_c`,
	} {
		if got := markdown(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
