package docs

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// mostPictures is how many pictures of the dashboard the pages have.
const mostPictures = 12

// TestPicturesAreOfRealRuns: each picture of the dashboard is listed with the trainings
// that it was drawn of, whose scripts are in the repository; each is on a page, which
// names one of these scripts below it.
func TestPicturesAreOfRealRuns(t *testing.T) {
	dir := filepath.Join("images", "ui")
	scripts := map[string][]string{} // by picture
	lines := strings.Split(strings.TrimSpace(read(t, filepath.Join(dir, "pictures.tsv"))), "\n")
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != 6 {
			t.Fatalf("a row of %d cells: %q", len(cells), line)
		}
		scripts[cells[0]] = append(scripts[cells[0]], path.Base(cells[2]))
		if _, err := os.Stat(filepath.Join(testenv.Root(), cells[2])); err != nil {
			t.Errorf("%s: %v", cells[0], err)
		}
		if !strings.HasPrefix(cells[5], "vigil run ") || !strings.Contains(cells[5], "-- python "+path.Base(cells[2])) {
			t.Errorf("%s: the command is %q", cells[0], cells[5])
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, f := range files {
		if f.Name() != "pictures.tsv" {
			there = append(there, f.Name())
		}
	}
	if listed := slices.Sorted(maps.Keys(scripts)); !slices.Equal(listed, there) {
		t.Errorf("listed are %v, and there are %v", listed, there)
	}
	if len(there) > mostPictures {
		t.Errorf("%d pictures of the dashboard, more than %d", len(there), mostPictures)
	}

	shown := map[string]bool{}
	image := regexp.MustCompile(`(?m)^!\[[^\]]*\]\([^)]*images/ui/([^)]+)\)\n(\n.*)?`) // with the line that follows
	for name, text := range allPages(t) {
		for _, m := range image.FindAllStringSubmatch(text, -1) {
			shown[m[1]] = true
			if !slices.ContainsFunc(scripts[m[1]], func(s string) bool { return strings.Contains(m[2], s) }) {
				t.Errorf("%s: %s is of %v, and the line below it names none", name, m[1], scripts[m[1]])
			}
		}
		if n := len(regexp.MustCompile(`\]\([^)]*images/ui/[^)]*\.png`).FindAllString(text, -1)); n != len(image.FindAllString(text, -1)) {
			t.Errorf("%s: %d pictures of the dashboard, of which %d are lines of their own", name, n, len(image.FindAllString(text, -1)))
		}
	}
	for _, f := range there {
		if !shown[f] {
			t.Errorf("no page shows %s", f)
		}
	}
}
