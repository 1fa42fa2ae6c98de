// Package golden compares pictures of the dashboard's pages, of runs that are made of
// formulas, with those in testdata. It does so where VIGIL_TEST_LONG is set:
//
//	VIGIL_TEST_LONG=1 go test ./e2e/golden
//	go test ./e2e/golden -update
//
// The second command writes them. A picture that differs is written to build/pictures,
// with one of where.
//
// It draws the pictures of the documentation, too, of real trainings:
//
//	go test ./e2e/golden -run TestDocumentation -timeout 60m -record
package golden

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/server"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/web"
)

var update = flag.Bool("update", false, "write the pictures")

// stored is where the pictures lie.
func stored(name string) string {
	return filepath.Join(testenv.Root(), "e2e", "golden", "testdata", name+".png")
}

// A look is how a page is shown.
type look struct {
	suffix, theme string
	width, most   int64 // of the window; what is below most is not on the picture
}

var (
	light  = look{"", "light", 1200, 2200}
	dark   = look{"-dark", "dark", 1200, 2200}
	narrow = look{"-narrow", "light", 390, 1400}

	first   = []look{{"", "light", 1200, 1000}} // what is seen first
	several = append(first, look{"-dark", "dark", 1200, least}, narrow)
)

// pictures are all of them: each page, and some in each look.
var pictures = []struct {
	name, path string
	looks      []look
	ready      string // the page is drawn when this is true; "": when nothing is busy
}{
	{"runs", "/runs", first, has(softmax)},
	{"overview", "/runs/" + softmax + "/overview", several, ""},
	{"curves", "/runs/" + healthy + "/curves?closed=collection%20gradients", first, ""},
	{"tensors", "/runs/" + sigmoid + "/tensors", first, ""},
	{"findings", "/runs/" + sigmoid + "/findings", first, ""},
	{"machine", "/runs/" + going + "/machine", append(first, narrow), ""},
	{"time", "/runs/" + slow + "/time", first, ""},
	{"controls", "/runs/" + going + "/controls", first, ""},
	{"parts", "/gallery/", []look{light}, `window.ready`},
}

// has is true of a page that has drawn all, and has a text.
func has(text string) string {
	return drawn + ` && document.body.innerText.includes("` + text + `")`
}

func TestPictures(t *testing.T) {
	if os.Getenv("VIGIL_TEST_LONG") == "" && !*update {
		t.Skip("pictures are compared where VIGIL_TEST_LONG is set")
	}
	root := t.TempDir()
	writeRuns(t, root)
	s := server.New(server.Options{Root: root, Version: "1.0", App: web.App(), Now: func() time.Time { return now }})
	b := open(t, asOnItsHost(s.Handler()), now)
	for _, p := range pictures {
		for _, l := range p.looks {
			t.Run(p.name+l.suffix, func(t *testing.T) {
				b.visit(t, p.path, l, p.ready)
				same(t, p.name+l.suffix, b.shot(t))
			})
		}
	}
	// What a comparison is for: a colour that changes, a panel that moves.
	for _, row := range []struct{ name, change string }{
		{"a colour that changes", `document.documentElement.style.setProperty("--page", "#e8e0d0")`},
		{"a panel that moves", `document.querySelector("main").style.paddingTop = "24px"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := read(t, stored("overview"))
			b.visit(t, "/runs/"+softmax+"/overview", first[0], "")
			b.evaluate(t, row.change)
			if share, _ := compare(decode(t, b.shot(t)), decode(t, want)); share <= mostDiffer {
				t.Errorf("only %.2f %% of the pixels differ", 100*share)
			}
		})
	}
}

// same compares a picture with the stored one, or stores it.
func same(t *testing.T, name string, got []byte) {
	t.Helper()
	small := encode(t, shrink(decode(t, got)))
	if *update {
		old, err := os.ReadFile(stored(name))
		if err == nil {
			if share, _ := compare(decode(t, got), decode(t, old)); share <= mostDiffer/10 {
				return // nobody would see what differs
			}
		}
		if err := os.MkdirAll(filepath.Dir(stored(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(stored(name), small, 0o644); err != nil { //nolint:gosec // a file of the repository
			t.Fatal(err)
		}
		return
	}
	share, where := compare(decode(t, got), decode(t, read(t, stored(name))))
	if share <= mostDiffer {
		return
	}
	dir := filepath.Join(testenv.Root(), "build", "pictures")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, b := range map[string][]byte{name: small, name + "-difference": encode(t, where)} {
		if err := os.WriteFile(filepath.Join(dir, file+".png"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("%.2f %% of the pixels differ from %s, more than %g %%; see %s-difference.png in build/pictures, and write it with -update if it is as it should be", 100*share, stored(name), 100*mostDiffer, name)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	i, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return i
}
