package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
)

// TestMain is also the agent that tests run as a process of its own, to kill
// it.
func TestMain(m *testing.M) {
	if os.Getenv("VIGIL_TEST_AGENT") != "" {
		dieOver(os.Getenv("VIGIL_TEST_DEADLY"))
		if err := Run(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if socket := os.Getenv("VIGIL_TEST_TRAINER"); socket != "" {
		trainer(socket)
		os.Exit(0)
	}
	for _, name := range []string{"VIGIL", "VIGIL_SOCKET", "RANK"} { // a hook of a test has them from nowhere else
		os.Unsetenv(name)
	}
	goleak.VerifyTestMain(m)
}

// running agent of a test, in this process.
type testAgent struct {
	t      testing.TB
	set    Settings
	in     *io.PipeWriter
	cancel context.CancelFunc
	done   chan error

	mu     sync.Mutex
	events []live.Event
}

func settings(t testing.TB) Settings {
	t.Helper()
	dir, err := os.MkdirTemp("", "vagent")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	sock := filepath.Join(dir, "sock")
	if err := os.Mkdir(sock, 0o700); err != nil {
		t.Fatal(err)
	}
	set := Settings{
		Name: "run", Dir: filepath.Join(dir, "runs"), Command: []string{"./train"}, Host: "here", Started: time.Now(),
		Socket: filepath.Join(sock, "s"), Vigil: "test",
		Config: config.Run{Rules: "default", Budget: 0.02, Keep: 20 << 30, MinFree: config.MinFree{Bytes: 1}},
	}
	return set
}

func startAgent(t testing.TB, set Settings) *testAgent {
	t.Helper()
	in, w := io.Pipe()
	out, ew := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	a := &testAgent{t: t, set: set, in: w, cancel: cancel, done: make(chan error, 1)}
	read := make(chan struct{})
	go func() {
		err := Run(ctx, in, ew)
		in.Close()
		ew.Close()
		<-read // all that it said is in the list
		a.done <- err
	}()
	go func() {
		defer close(read)
		sc := bufio.NewScanner(out)
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			var e live.Event
			if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
				t.Errorf("event %q: %v", sc.Text(), err)
				continue
			}
			a.mu.Lock()
			a.events = append(a.events, e)
			a.mu.Unlock()
		}
	}()
	if err := json.NewEncoder(w).Encode(set); err != nil {
		t.Fatal(err)
	}
	wait(t, "the agent's socket", func() bool {
		select {
		case err := <-a.done:
			t.Fatalf("the agent ended: %v", err)
		default:
		}
		return listens(set)
	})
	return a
}

// end tells the agent that the job is over and waits for it.
func (a *testAgent) end(e Ended) {
	a.t.Helper()
	if err := json.NewEncoder(a.in).Encode(input{Ended: &e}); err != nil {
		a.t.Fatalf("tell the agent of the end: %v", err)
	}
	if err := <-a.done; err != nil {
		a.t.Errorf("the agent ended with: %v", err)
	}
	a.in.Close()
	a.cancel()
}

func (a *testAgent) completed() { a.end(Ended{Status: record.Completed}) }

func (a *testAgent) list() []live.Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]live.Event(nil), a.events...)
}

const waitTime = 2 * time.Minute

func wait(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(waitTime); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// listens reports that the agent takes connections.
func listens(set Settings) bool {
	c, err := net.Dial("unix", set.Socket)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
