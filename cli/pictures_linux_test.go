package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/screen"
	"github.com/vigil-ml/vigil/internal/testenv/timed"
)

// picture is a picture of a terminal on which commands are given, one after
// another.
type picture struct {
	name     string
	columns  int
	commands []string
	codes    []int  // with which they end, where not all end with 0
	rows     int    // the most that are shown of what they print; 0: all
	answer   string // what is typed when something is asked
	machine  bool   // it is about this machine
	live     string // a run is seen live: how its summary begins
	timed    bool   // it is about the run "resnet", written for it
}

// pictures are those of the documentation, nearly all of commands on recorded runs.
// Those that change a run or start a job come last.
var pictures = []picture{
	{name: "findings", columns: 100, commands: []string{"vigil findings first"}},
	{name: "brief", columns: 100, commands: []string{"vigil findings first --brief"}},
	{name: "check", columns: 100, commands: []string{`vigil check mended --rule 'high:expression=series("loss").mean(50) > 0.5'`}, codes: []int{2}},
	{name: "rules-list", columns: 100, commands: []string{"vigil rules list"}, rows: 16},
	{name: "rules-describe", columns: 100, commands: []string{"vigil rules describe dead_relu"}, rows: 30},
	{name: "rules-test", columns: 80, commands: []string{"vigil rules test own_rules_test.yaml"}},
	{name: "ls", columns: 100, commands: []string{"vigil ls"}},
	{name: "show", columns: 100, commands: []string{"vigil show"}},
	{name: "plan", columns: 100, commands: []string{"vigil plan"}},
	{name: "values", columns: 80, commands: []string{"vigil values loss"}},
	{name: "histogram", columns: 80, commands: []string{"vigil values mended Sequential_0.weight --stat hist --steps 0:100"}},
	{name: "tail", columns: 80, commands: []string{"vigil tail first"}, rows: 24},
	{name: "compare", columns: 100, commands: []string{"vigil compare first mended"}},
	{name: "logs", columns: 100, commands: []string{"vigil logs mended", "vigil logs crashed --traceback"}},
	{name: "report", columns: 80, commands: []string{"vigil report"}},
	{name: "fsck", columns: 80, commands: []string{"vigil fsck mended"}},
	{name: "doctor", columns: 110, commands: []string{"vigil doctor -- python train.py"}, machine: true},
	{name: "doctor-run", columns: 100, commands: []string{"vigil doctor crashed"}, codes: []int{1}},
	{name: "help", columns: 80, commands: []string{"vigil help"}},
	{name: "tag", columns: 80, commands: []string{"vigil tag mended reviewed=yes --note 'learns'", "vigil ls --tag reviewed"}},
	{name: "rm", columns: 80, commands: []string{"vigil rm crashed"}, answer: "y\n"},
	{name: "demo", columns: 100, commands: []string{"vigil demo --go"}, live: "stopped by"},
	{name: "top", columns: 90, commands: []string{"vigil top resnet"}, timed: true},
	{name: "trace", columns: 80, commands: []string{"vigil trace resnet -o trace.json.gz"}, timed: true},
	{name: "stop", columns: 80, commands: []string{"vigil stop night"}},
}

// replacedInPictures are words that say where and when a picture was made.
var replacedInPictures = []struct {
	is  *regexp.Regexp
	was string
}{
	{regexp.MustCompile(`\b\d+(\.\d+)? (GB|GiB) free`), "52.1 GB free"},
	{regexp.MustCompile(`Linux \S+ on \w+`), "Linux 6.12.0 on amd64"},
	{regexp.MustCompile(`can be made in "[^"]*"`), `can be made in "/tmp"`},
	{regexp.MustCompile(`report\.html \(\d+ KB\)`), "report.html (140 KB)"},
	{regexp.MustCompile(`\b[\d.]+ kB\b`), "31.4 kB"},
	{regexp.MustCompile(`demo-vanishing-\d+-\d+`), "demo-vanishing-20261102-090000"},
	{regexp.MustCompile(`is Python 3\.\d+\.\d+`), "is Python 3.12.1"},
	{regexp.MustCompile(`(?m)^[^\n]* steps/s [^\n]*overhead[^\n]*\n`), ""}, // a line of progress, of a machine that is busy
}

// TestPicturesOfCommands compares the pictures of the documentation to what the
// commands print now, on runs that were recorded. -update makes them again; -record
// trains again before.
func TestPicturesOfCommands(t *testing.T) {
	if *recordRuns {
		recordPictureRuns(t)
	}
	dir := picturedProject(t)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "python"), []byte("#!/bin/sh\nexec '"+testenv.Python(t)+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"own_rules.yaml", "own_rules_test.yaml"} {
		text, err := os.ReadFile(filepath.Join(testenv.Root(), "examples", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	timed.Write(t, filepath.Join(dir, "other-runs"), "resnet", timed.Options{Started: timedStart, Seconds: 120, Ranks: 2, GPU: true, Detail: true})
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			if p.name == "stop" {
				startsJob(t, dir, "night")
			}
			drawn := p.taken(t, dir, bin)
			if p.machine && !updating() && regexp.MustCompile(`>(warning|failure)<`).MatchString(drawn) {
				t.Skip("this machine is not as it should be, which the picture does not show")
			}
			if p.live != "" {
				compareWords(t, p.name, p.live, drawn)
			} else {
				compareWithPicture(t, p, drawn)
			}
		})
	}
}

// taken gives the commands in a folder, and makes the picture.
func (p picture) taken(t *testing.T, dir, bin string) string {
	t.Helper()
	var written strings.Builder
	width := p.columns
	if p.machine {
		width = 400 // no line is broken where a path is longer than in the picture
	}
	for i, command := range p.commands {
		code := 0
		if p.codes != nil {
			code = p.codes[i]
		}
		root := "vigil-runs"
		if p.timed {
			root = "other-runs"
		}
		terminal := onTerminalWith(t, []string{"VIGIL_DIR=" + root, "TZ=UTC", "VIGIL_NO_STATUS=1", "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "OMP_NUM_THREADS=1"},
			"bash", "--norc", "-c", `stty cols "$0" && cd "$1" && eval "$2"`, fmt.Sprint(width), dir, command)
		if p.answer != "" {
			terminal.until("a question", func() bool { return strings.HasSuffix(terminal.shown(), "[y/N] ") })
			terminal.press(p.answer)
		}
		if got := terminal.code(); got != code {
			t.Fatalf("%q ended with %d, want %d: %s", command, got, code, terminal.shown())
		}
		text := terminal.shown()
		for from, to := range map[string]string{dir: "~/classifier", recordedIn: "~/classifier", filepath.Join(bin, "python"): recordedPython, testenv.Python(t): recordedPython} {
			text = strings.ReplaceAll(text, from, to)
		}
		for _, r := range replacedInPictures {
			text = r.is.ReplaceAllString(text, r.was)
		}
		if lines := strings.SplitAfter(text, "\n"); p.rows > 0 && len(lines) > p.rows {
			text = strings.Join(lines[:p.rows], "") + "\x1b[0m\x1b[2m…\x1b[0m\r\n"
		}
		if i > 0 {
			written.WriteString("\r\n")
		}
		written.WriteString("\x1b[1m$ " + command + "\x1b[0m\r\n" + text)
	}
	return screen.Picture(p.columns, written.String())
}

// compareWithPicture compares what was drawn to the picture that is there.
func compareWithPicture(t *testing.T, p picture, got string) {
	t.Helper()
	path := filepath.Join(testenv.Root(), "docs", "images", p.name+".svg")
	if updating() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	is, was := picturedLines(got), picturedLines(string(want))
	t.Errorf("%s does not show what is printed now; go test ./cli -run TestPicture -update makes it anew", path)
	for _, l := range was {
		if !slices.Contains(is, l) {
			t.Logf("- %s", l)
		}
	}
	for _, l := range is {
		if !slices.Contains(was, l) {
			t.Logf("+ %s", l)
		}
	}
}

var picturedLine = regexp.MustCompile(`<text [^>]*>[^<]*</text>`)

func picturedLines(svg string) []string { return picturedLine.FindAllString(svg, -1) }

// startsJob starts a job that goes on until it is stopped.
func startsJob(t *testing.T, dir, name string) {
	t.Helper()
	job := exec.Command(vigil(t), "run", "--quiet", "--name", name, "--", "sleep", "600")
	job.Dir, job.Env = dir, cleanEnv(t)
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = job.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = job.Process.Signal(os.Interrupt)
		<-ended
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(dir, "vigil-runs", name, "run.json"))
		if err == nil && strings.Contains(string(text), `"control"`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the job did not start: %v\n%s", err, text)
		}
	}
}

// Each picture is in a page, and each in the folder is one of these or made by a
// script.
func TestPicturesAreShown(t *testing.T) {
	known := []string{"mistake.svg"}
	for _, p := range pictures {
		known = append(known, p.name+".svg")
	}
	pages, err := filepath.Glob(filepath.Join(testenv.Root(), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, page := range append(pages, filepath.Join(testenv.Root(), "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	found, err := filepath.Glob(filepath.Join(testenv.Root(), "docs", "images", "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		name := filepath.Base(path)
		if !slices.Contains(known, name) {
			t.Errorf("nobody makes %s", path)
		}
	}
	for _, name := range known {
		if !regexp.MustCompile(`!\[[^\]]{10,}\]\((docs/)?images/` + regexp.QuoteMeta(name) + `\)`).MatchString(all.String()) {
			t.Errorf("no page shows images/%s with words for those who do not see it", name)
		}
	}
}
