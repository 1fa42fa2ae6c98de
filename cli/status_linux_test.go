package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// watched is the beginning of a job, in sh, that trains in the background and
// writes what it likes. "pause" waits for Enter.
const watched = `
: > trained
"$0" demo-train --fault none --seconds 600 > trained & train=$!
pause() { read answer; }
over() { kill $train; wait $train; }
pause
`

// statusJob runs a job under vigil run and waits until the state of its
// training is in the last row.
func statusJob(t *testing.T, script string, flags ...string) *pty {
	t.Helper()
	argv := append([]string{vigil(t), "run", "--name", "r"}, flags...)
	p := onTerminal(t, append(argv, "--", "sh", "-c", watched+script, vigil(t))...)
	// The line that says what is trained comes at a time of its own.
	p.until("what is trained", func() bool { return p.rowWith("vigil: model MLP") })
	p.status()
	return p
}

// status waits until the state is drawn, after what is there now.
func (p *pty) status() {
	p.t.Helper()
	before := p.screen.Last()
	p.until("the next status line", func() bool {
		last := p.screen.Last()
		return last != before && strings.HasPrefix(last, "vigil: step ")
	})
}

// rowWith reports whether a row above the last one contains text.
func (p *pty) rowWith(text string) bool {
	return slices.ContainsFunc(p.screen.Above(), func(row string) bool { return strings.Contains(row, text) })
}

// enter presses Enter and waits for a text of the job.
func (p *pty) enter(text string) {
	p.t.Helper()
	p.press("\n")
	p.until(fmt.Sprintf("%q", text), func() bool { return p.rowWith(text) })
}

// job is what the job wrote, without what is ours: from the first empty line,
// which is the first Enter, to the summary.
func (p *pty) job() []string {
	rows := p.screen.All()
	if last := p.screen.Last(); last != "" {
		rows = p.screen.Above()
	}
	for i, row := range rows {
		if strings.HasPrefix(row, "vigil: r completed") {
			rows = rows[:i-1] // with the empty line before it
			break
		}
	}
	first := slices.Index(rows, "")
	return rows[first+1:]
}

// wrote checks the job's output, and that no state was left in it.
func (p *pty) wrote(want ...string) {
	p.t.Helper()
	if got := p.job(); !slices.Equal(got, want) {
		p.t.Errorf("the job's output is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var stateLine = regexp.MustCompile(`vigil: step .*(finding|>$)`)

// clean checks that the terminal is as it was.
func (p *pty) clean() {
	p.t.Helper()
	if all := strings.Join(p.screen.All(), "\n"); stateLine.MatchString(all) {
		p.t.Errorf("a status line was left:\n%s", all)
	}
	if _, rows := p.screen.Size(); p.screen.Region() != rows {
		p.t.Errorf("%d of %d rows scroll", p.screen.Region(), rows)
	}
}

func numbers(from, to int) (list []string) {
	for i := from; i <= to; i++ {
		list = append(list, fmt.Sprint(i))
	}
	return list
}

func TestStatusLineLeavesOutputAlone(t *testing.T) {
	for _, c := range []struct {
		name, script string
		do           func(*pty)
		want         []string
	}{
		{"many lines", `seq 1 1000; pause; seq 1001 1010; over`, func(p *pty) {
			p.enter("1000")
			p.status()
			p.enter("1010")
		}, append(append(numbers(1, 1000), ""), numbers(1001, 1010)...)},
		{"parts of lines", `printf 'one '; pause; printf 'two '; over; echo three`, func(p *pty) {
			p.enter("one")
			p.status()
			p.enter("three")
		}, []string{"one", "two three"}},
		{"input", `seq 1 30; printf 'name: '; read name; echo "hello $name"; over`, func(p *pty) {
			p.enter("name:")
			p.status()
			p.press("Ada")
			p.until("the name", func() bool { return p.rowWith("name: Ada") })
			p.status()
			p.enter("hello Ada")
		}, append(numbers(1, 30), "name: Ada", "hello Ada")},
		{"a bar", `seq 1 30; bar() { for i in $(seq $1 $2); do printf '\r%3d%%|####|' $i; done; }
			bar 1 50; pause; bar 51 100; echo; over`, func(p *pty) {
			p.enter(" 50%|####|")
			p.status()
			p.enter("100%|####|")
		}, append(numbers(1, 30), " 50%|####|", "100%|####|")},
		{"two bars", `seq 1 30; bars() { printf '\router %d\n\rinner %d\033[A' $1 $1; }
			bars 1; bars 2; while [ $(wc -l < trained) -lt 4 ]; do bars 3; done; bars 4; printf '\n\n'; over`, func(p *pty) {
			p.enter("inner 4")
		}, append(numbers(1, 30), "outer 4", "inner 4")},
		{"colours", `printf '\033[31mred '; pause; printf 'red\033[0m\n'; over`, func(p *pty) {
			p.enter("red")
			p.status()
			p.enter("red")
		}, []string{"red", "red"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := statusJob(t, c.script)
			c.do(p)
			if code := p.code(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			p.until("the summary", func() bool { return p.rowWith("vigil: r completed") })
			p.wrote(c.want...)
			p.clean()
		})
	}
}

func TestStatusLineFollowsTheSize(t *testing.T) {
	p := statusJob(t, `seq 1 40; pause; seq 41 80; pause; seq 81 100; over`)
	p.enter("40")
	for i, size := range []struct{ columns, rows int }{{70, 30}, {100, 15}} {
		p.status()
		p.resize(size.columns, size.rows)
		p.status()
		p.enter(fmt.Sprint([]int{80, 100}[i]))
	}
	if code := p.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.wrote(slices.Concat(numbers(1, 40), []string{""}, numbers(41, 80), []string{""}, numbers(81, 100))...)
	p.clean()
}

// resize gives the terminal another size.
func (p *pty) resize(columns, rows int) {
	p.t.Helper()
	p.screen.Resize(columns, rows)
	conn, err := p.master.SyscallConn()
	if err != nil {
		p.t.Fatal(err)
	}
	size := &unix.Winsize{Row: uint16(rows), Col: uint16(columns)}
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, size) }); err != nil || failed != nil {
		p.t.Fatal(err, failed)
	}
}

func TestStatusLineGoesWithTheJob(t *testing.T) {
	for name, end := range map[string]func(*pty){
		"Ctrl-C":              func(p *pty) { p.press("\x03") },
		"SIGTERM for us":      func(p *pty) { _ = p.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP for us":       func(p *pty) { _ = p.cmd.Process.Signal(syscall.SIGHUP) },
		"SIGKILL for the job": func(p *pty) { p.press("k\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := statusJob(t, `trap over EXIT; trap 'exit 9' HUP INT TERM; seq 1 30; pause; over; kill -KILL $$`)
			p.enter("30")
			p.status()
			end(p)
			if code := p.code(); code == 0 {
				t.Errorf("exit code 0")
			}
			p.until("the summary", func() bool {
				return p.rowWith("vigil: r failed") || p.rowWith("vigil: r killed") || p.rowWith("vigil: r interrupted") || p.rowWith("vigil: r ended")
			})
			p.clean()
		})
	}
}

// TestStatusLineMakesWayForTheShell stops the job by Ctrl-Z: alone, and in a
// script, where the terminal stops us as well.
func TestStatusLineMakesWayForTheShell(t *testing.T) {
	job := watched + `seq 1 30; pause; echo on; over`
	for name, shell := range map[string]string{
		"alone":       `"$0" run --name r -- sh -c "$1" "$0"; echo "suspended"; read x; fg; echo "ended $?"`,
		"in a script": `sh -c '"$0" run --name r -- sh -c "$1" "$0"; exit $?' "$0" "$1"; echo "suspended"; read x; fg; echo "ended $?"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := onTerminal(t, "bash", "--norc", "-m", "-c", shell, vigil(t), job)
			p.until("what is trained", func() bool { return p.rowWith("vigil: model MLP") })
			p.enter("30")
			p.status()
			p.press("\x1a")
			p.until("the shell", func() bool { return p.rowWith("suspended") })
			p.until("an empty last row", func() bool { return !stateLine.MatchString(strings.Join(p.screen.All(), "\n")) })
			// It clears the row before it stops itself: a shell that goes on in between would leave it stopped.
			p.until("vigil run to be stopped", func() bool { return stoppedRuns(p.cmd.Process.Pid) > 0 })
			p.press("\n")
			p.status()
			p.enter("on")
			p.until("the end", func() bool { return p.rowWith("ended 0") })
			if code := p.code(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			p.clean()
		})
	}
}

// stoppedRuns counts the processes of "vigil run" in a session that are stopped; 0 while one is not.
func stoppedRuns(session int) (n int) {
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0
	}
	for _, dir := range entries {
		argv, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if words := bytes.Split(argv, []byte{0}); err != nil || len(words) < 2 || string(words[1]) != "run" {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // state, parent, group, session
		if len(fields) < 4 || string(fields[3]) != strconv.Itoa(session) {
			continue
		}
		if string(fields[0]) != "T" {
			return 0
		}
		n++
	}
	return n
}

// TestStatusLineIsStillOnAProgramsScreen has the training make steps while the
// job reads keys for itself.
func TestStatusLineIsStillOnAProgramsScreen(t *testing.T) {
	p := statusJob(t, `
		steps() { n=$(($(wc -l < trained) + $1)); while [ $(wc -l < trained) -lt $n ]; do :; done; }
		stty -icanon -echo; steps 1; echo drawing; read x; steps 1; echo done; read x; stty icanon echo; read x; over`)
	p.enter("drawing")
	before := p.screen.Last()
	p.enter("done")
	if after := p.screen.Last(); after != before {
		t.Errorf("the last row was %q and is %q", before, after)
	}
	p.press("\n")
	p.status()
	p.press("\n")
	if code := p.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.clean()
}

// TestOneRunHasTheRow starts a run while another one goes on; when that one
// ends, the later one takes the row.
func TestOneRunHasTheRow(t *testing.T) {
	const script = `
		run() { "$0" run --name $1 -- "$0" demo-train --fault none --seconds 600 > /dev/null & }
		run a; a=$!; read x; run b; b=$!
		read x; kill $a; wait $a; echo "a is over"; read x; kill $b; wait $b; echo "b is over"`
	p := onTerminal(t, "sh", "-c", script, vigil(t))
	models := func(n int) func() bool {
		return func() bool { return strings.Count(strings.Join(p.screen.Above(), "\n"), "vigil: model MLP") == n }
	}
	p.until("the first run", models(1))
	p.status()
	p.press("\n")
	p.until("the second run", models(2))
	p.status()
	p.enter("a is over")
	p.status()
	p.enter("b is over")
	if code := p.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if n := strings.Count(p.shown(), "\x1b[r\x1b[24;1H"); n != 2 {
		t.Errorf("the row was given back %d times, want once by each run", n)
	}
	p.clean()
}

// TestNoStatusLine lists what keeps the last row as it is.
func TestNoStatusLine(t *testing.T) {
	for _, c := range []struct {
		name           string
		environ, flags []string
		line           bool
	}{
		{"usual", nil, nil, true},
		{"no colours", []string{"NO_COLOR=1"}, nil, true},
		{"dumb terminal", []string{"TERM=dumb"}, nil, false},
		{"CI", []string{"CI=true"}, nil, false},
		{"not wanted", nil, []string{"--no-status"}, false},
		{"quiet", nil, []string{"--quiet"}, false},
		{"JSON", nil, []string{"--json"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			argv := append(append([]string{vigil(t), "run"}, c.flags...), "--", vigil(t), "demo-train", "--fault", "none", "--seconds", "2")
			p := onTerminalWith(t, c.environ, argv...)
			if code := p.code(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if line := strings.Contains(p.shown(), "\x1b[1;23r"); line != c.line {
				t.Errorf("a status line: %v, want %v; the terminal was told %q", line, c.line, p.shown())
			}
		})
	}
}

// TestDemoShowsItsState runs the demo, whose training prints elsewhere.
func TestDemoShowsItsState(t *testing.T) {
	p := onTerminal(t, vigil(t), "demo", "--go", "--fault", "none", "--seconds", "4")
	p.until("the state", func() bool { return stateLine.MatchString(strings.Join(p.screen.All(), "\n")) })
	if code := p.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.until("the end", func() bool { return p.rowWith("Try next:") })
	p.clean()
}
