package docs

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// allPages are the pages for people, by their paths from the top.
func allPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(testenv.Root(), pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(found), err)
		}
		for _, path := range found {
			name, _ := filepath.Rel(testenv.Root(), path)
			pages[filepath.ToSlash(name)] = read(t, path)
		}
	}
	return pages
}

// The parts of a step that pages name for PyTorch are those that its hook sends.
func TestPartsAreThoseThatAreSent(t *testing.T) {
	sent := map[string]bool{}
	mark := regexp.MustCompile(`_marks\.(DATA|TO_DEVICE|FORWARD|BACKWARD|RANKS|OPTIMIZER|CHECKPOINT|OTHER)\b`)
	files, err := filepath.Glob(filepath.Join(testenv.Root(), "python", "vigil", "_torch", "*.py"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		for _, m := range mark.FindAllStringSubmatch(read(t, path), -1) {
			sent[strings.ToLower(m[1])] = true
		}
	}
	want := strings.Join(slices.Sorted(maps.Keys(sent)), " ")

	_, text, _ := strings.Cut(read(t, "pytorch.md"), "\n## Where the time of a step goes\n\nEvery step, of every rank, is divided into parts:")
	text, _, found := strings.Cut(text, "\n")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`time/([a-z_]+)`").FindAllStringSubmatch(text, -1) {
		if m[1] != "step" {
			named[m[1]] = true
		}
	}
	if got := strings.Join(slices.Sorted(maps.Keys(named)), " "); !found || got != want {
		t.Errorf("pytorch.md names %s, and the hook sends %s", got, want)
	}

	words := map[string]string{
		"waiting for data": "data", "copying to the device": "to_device", "forward": "forward", "backward": "backward", "waiting for other ranks": "ranks",
		"the optimiser": "optimizer", "checkpoints (`torch.save`)": "checkpoint", "and all else (`other`)": "other",
	}
	_, text, _ = strings.Cut(read(t, "time.md"), "A step and the gap before it are divided into parts: ")
	text, _, found = strings.Cut(text, ";")
	var parts []string
	for item := range strings.SplitSeq(text, ", ") {
		parts = append(parts, words[item])
	}
	slices.Sort(parts)
	if got := strings.Join(parts, " "); !found || got != want {
		t.Errorf("time.md names %q (%s), and the hook sends %s", text, got, want)
	}
}

// The cost of sampling that the page on machine metrics has is that of the notebook, and
// how many times as much others take is computed from its table.
func TestCostOfSampling(t *testing.T) {
	_, table, _ := strings.Cut(read(t, filepath.Join("lab", "performance.md")), "\n## Sampling the machine\n")
	table, _, _ = strings.Cut(table, "\n## ")
	percent := regexp.MustCompile(`([\d.]+) %`)
	cost, least, most := map[string]string{}, math.Inf(1), 0.0
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+ m?s) \|.*$`).FindAllStringSubmatch(table, -1) {
		var taken []float64
		for i, m := range percent.FindAllStringSubmatch(row[0], -1) {
			if i == 0 {
				cost[row[1]] = m[0]
			}
			x, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			taken = append(taken, x)
		}
		for _, x := range taken[1:] {
			least, most = min(least, x/taken[0]), max(most, x/taken[0])
		}
	}
	_, kept, _ := strings.Cut(table, "over 24 hours at 100 ms take ")
	kept, _, found := strings.Cut(kept, ".\n")
	if len(cost) != 4 || !found {
		t.Fatalf("the notebook has the intervals %v, and keeps %q", cost, kept)
	}
	page := read(t, "machine.md")
	for _, want := range []string{
		fmt.Sprintf("At 500 ms sampling takes %s of one core, and at 100 ms %s;", cost["500 ms"], cost["100 ms"]),
		fmt.Sprintf("take %.1f to %.1f times as much.", least, most),
		fmt.Sprintf("Over a day of samples every 100 ms the agent keeps %s:", kept),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("machine.md does not say %q", want)
		}
	}
}

// A program of Go is static where it was built without cgo, and only there.
func TestStaticIsWithoutCgo(t *testing.T) {
	for name, text := range allPages(t) {
		for line := range strings.SplitSeq(text, "\n") {
			claims := regexp.MustCompile(`\bstatic\b|itself needs nothing`).MatchString(line) && strings.Contains(line, "vigil")
			if (claims || strings.Contains(line, "go install ")) && !strings.Contains(line, "CGO_ENABLED=0") {
				t.Errorf("%s: without CGO_ENABLED=0: %s", name, line)
			}
		}
	}
	if !strings.Contains(read(t, filepath.Join(testenv.Root(), "python", "build_program.py")), `CGO_ENABLED="0"`) {
		t.Error("pip builds the program with cgo, and the pages say without")
	}
}

// How often gains held is what bench/slow measured, and no page calls them a bound.
func TestGainsAreEstimates(t *testing.T) {
	bench := read(t, filepath.Join(testenv.Root(), "bench", "slow", "README.md"))
	after := func(row string) (n, of int) { // the last cell of a row: "14 of 18"
		_, text, _ := strings.Cut(bench, "| "+row+" |")
		text, _, _ = strings.Cut(text, "\n")
		cells := strings.Split(strings.Trim(text, "| "), "|")
		if _, err := fmt.Sscanf(strings.TrimSpace(cells[len(cells)-1]), "%d of %d", &n, &of); err != nil {
			t.Fatalf("%s: %q: %v", row, text, err)
		}
		return n, of
	}
	held, of := after("gain at least the measured one")
	near, _ := after("gain at most 1.5 times the measured one")
	want := fmt.Sprintf("of %d gains that were measured, mending brought more in %d, and in %d the gain was over 1.5 times what mending brought", of, of-held, of-near)
	if !strings.Contains(read(t, "slow.md"), want) {
		t.Errorf("slow.md does not say %q", want)
	}
	bound := regexp.MustCompile(`at most [\d.]+ times as fast|gain is a bound|honest bound`)
	for name, text := range allPages(t) {
		if m := bound.FindString(text); m != "" {
			t.Errorf("%s calls a gain a bound: %q", name, m)
		}
	}
}

// No page denies what is there.
func TestNothingIsDenied(t *testing.T) {
	denial := regexp.MustCompile(`(?i)\bno (account and no )?(dashboard|server)\b|not run on one yet|does not profile|profiling rules are not there\.|profiler data is not captured`)
	for name, text := range allPages(t) {
		if m := denial.FindString(text); m != "" {
			t.Errorf("%s: %q", name, m)
		}
	}
}

// Each test and file of tests that a page names is there, in the package that it names
// next to it.
func TestNamedTestsAreThere(t *testing.T) {
	root := testenv.Root()
	where := map[string][]string{} // directories, by the name of a test or of a file
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "build" || d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, "_test.js") {
			return nil
		}
		dir, _ := filepath.Rel(root, filepath.Dir(path))
		where[d.Name()] = append(where[d.Name()], filepath.ToSlash(dir))
		if strings.HasSuffix(path, ".go") {
			for _, m := range function.FindAllStringSubmatch(read(t, path), -1) {
				where[m[1]] = append(where[m[1]], filepath.ToSlash(dir))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`([^`]+)`")
	test := regexp.MustCompile(`^(?:(.*)/)?(Test[A-Z]\w*|\w+_test\.(?:go|js))$`)
	pieces := regexp.MustCompile(`[;|\n]`)
	named := 0
	for name, text := range allPages(t) {
		for _, piece := range pieces.Split(text, -1) {
			var packages []string
			for _, m := range code.FindAllStringSubmatch(piece, -1) {
				if info, err := os.Stat(filepath.Join(root, m[1])); err == nil && info.IsDir() {
					packages = append(packages, m[1])
				}
			}
			for _, m := range code.FindAllStringSubmatch(piece, -1) {
				what := test.FindStringSubmatch(m[1])
				if what == nil {
					continue
				}
				named++
				in := packages
				if what[1] != "" {
					in = []string{what[1]}
				}
				below := func(dir string) bool {
					return len(in) == 0 || slices.ContainsFunc(in, func(p string) bool { return dir == p || strings.HasPrefix(dir, p+"/") })
				}
				if !slices.ContainsFunc(where[what[2]], below) {
					t.Errorf("%s: %s is not in %s: it is in %s", name, what[2], in, where[what[2]])
				}
			}
		}
	}
	if named < 50 {
		t.Errorf("%d tests are named: the pages are not read", named)
	}
}
