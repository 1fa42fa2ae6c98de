package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// Every way to start a goroutine or to share memory is seen, and nothing else is taken for one.
func TestSharesMemory(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{`func f() { go g() }`, true},
		{`func f() { func() { go g() }() }`, true},
		{`var c chan int`, true},
		{`func f(<-chan int) {}`, true},
		{`func f() { <-done }`, true},
		{`func f() { done <- 1 }`, true},
		{`func f() { select {} }`, true},
		{`import "sync"`, true},
		{`import "sync/atomic"`, true},
		{`import wait "golang.org/x/sync/errgroup"`, true},
		{`import "net/http/httptest"`, true},
		{`func f() { time.AfterFunc(1, g) }`, true},
		{`func f() { context.AfterFunc(c, g) }`, true},
		{`func f() { unix.Mmap(1, 0, 1, 0, 0) }`, true},
		{`func f() { group.Go(g) }`, true},
		{`func f(t *testing.T) { t.Parallel() }`, true},
		{`func f(b *testing.B) { b.RunParallel(g) }`, true},
		{`import "net/url"`, false},
		{`import "syncer"`, false},
		{`func f() { defer g(); go_(); x := -1; _ = *p }`, false},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+tt.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := sharesMemory(file); got != tt.want {
			t.Errorf("%s: shares memory: %v, want %v", tt.text, got, tt.want)
		}
	}
}

// Each package with tests is in one of the two lists, also where only its tests share memory, and the test command runs both.
func TestDivide(t *testing.T) {
	root := testenv.Root()
	d, err := divide(root)
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/vigil-ml/vigil/"
	for _, name := range []string{"hook", "internal/agent", "internal/capture", "internal/server", "internal/store", "internal/tensor", "e2e"} {
		if !slices.Contains(d.racy, module+name) {
			t.Errorf("%s is not among those that share memory", name)
		}
	}
	for _, name := range []string{"internal/store/layout", "internal/testenv/racy"} {
		if !slices.Contains(d.others, module+name) {
			t.Errorf("%s is among those that share memory", name)
		}
	}
	for _, name := range []string{"internal/trial", "internal/agent", "internal/rules"} {
		if !slices.Contains(d.less, module+name) {
			t.Errorf("no test of %s is known to do less under the race detector", name)
		}
	}
	for _, name := range []string{"TestCrashes", "TestRestartsChangeNothing", "TestDefaultSetOnTraces"} {
		if !slices.Contains(d.tests, name) {
			t.Errorf("%s is not among the tests that do less under the race detector", name)
		}
	}
	command, err := os.ReadFile(filepath.Join(root, "scripts", "stages-ordinary.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"$(go run ./internal/testenv/racy |", "$(go run ./internal/testenv/racy others |", "$(go run ./internal/testenv/racy less)"} {
		if !strings.Contains(string(command), call) {
			t.Errorf("the test command does not run %q", call)
		}
	}
}
