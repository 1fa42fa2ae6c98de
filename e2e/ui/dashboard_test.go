package ui

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// dashboard is a `vigil ui` of its own process.
type dashboard struct {
	URL   string `json:"url"` // with the token
	Token string `json:"token"`
	base  string // without it
	cmd   *exec.Cmd
	said  *bytes.Buffer
}

// serve starts `vigil ui` over a root.
func serve(dir, root string, flags ...string) (*dashboard, error) {
	cmd := exec.Command(binary, append([]string{"ui", root, "--listen", "127.0.0.1:0", "--json"}, flags...)...)
	cmd.Dir, cmd.Env = dir, environment()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d := &dashboard{cmd: cmd, said: &bytes.Buffer{}}
	cmd.Stderr = d.said
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start vigil ui: %w", err)
	}
	line, err := bufio.NewReader(out).ReadBytes('}')
	if err == nil {
		err = json.Unmarshal(line, d)
	}
	if err != nil {
		d.end()
		return nil, fmt.Errorf("read the address of vigil ui: %w\n%s", err, d.said)
	}
	d.base, _, _ = strings.Cut(d.URL, "/?")
	return d, nil
}

// end ends it as Ctrl-C does.
func (d *dashboard) end() {
	_ = d.cmd.Process.Signal(syscall.SIGINT)
	done := make(chan error, 1)
	go func() { done <- d.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		_ = d.cmd.Process.Kill()
	}
}

// serving is serve for one test.
func serving(t *testing.T, root string, flags ...string) *dashboard {
	t.Helper()
	d, err := serve(t.TempDir(), root, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.end)
	return d
}

// dashboards are those over runs that several tests look at, and that none of them changes.
var dashboards = map[string]*dashboard{}

// over is the dashboard over such runs. The first test that asks for it writes them.
func over(t *testing.T, name string, write func(t *testing.T, root string)) *dashboard {
	t.Helper()
	if d := dashboards[name]; d != nil {
		return d
	}
	dir := filepath.Dir(binary)
	write(t, filepath.Join(dir, name))
	d, err := serve(dir, filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	dashboards[name] = d
	return d
}

// get reads from the API.
func (d *dashboard) get(t *testing.T, path string, v any) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, d.base+"/api/v1"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+d.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s: %s", path, response.Status, b)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("GET %s: %v: %.300s", path, err, b)
	}
}
