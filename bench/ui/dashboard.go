//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// dashboard is a `vigil ui` of its own process.
type dashboard struct {
	base, token string
	cmd         *exec.Cmd
	said        bytes.Buffer
}

// serve starts `vigil ui` over a root. It ends with ctx, or by end.
func (b *bench) serve(ctx context.Context, root string) (*dashboard, error) {
	d := &dashboard{cmd: exec.CommandContext(ctx, b.binary, "ui", root, "--listen", "127.0.0.1:0", "--json")}
	d.cmd.Stderr = &d.said
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('}')
	var at struct{ URL, Token string }
	if err == nil {
		err = json.Unmarshal(line, &at)
	}
	if err != nil {
		d.end()
		return nil, fmt.Errorf("read the address of vigil ui: %w: %s", err, d.said.String())
	}
	d.base, _, _ = strings.Cut(at.URL, "/?")
	d.token = at.Token
	return d, nil
}

func (d *dashboard) end() { end(d.cmd) }

// end asks a process to end, and ends it where it does not.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(syscall.SIGINT)
	late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	_ = cmd.Wait()
}

func (d *dashboard) pid() int { return d.cmd.Process.Pid }

// page is the address of a page, with the token, as a person opens it first.
func (d *dashboard) page(path string) string {
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	return d.base + path + join + "token=" + url.QueryEscape(d.token)
}

// ask sends a request to the server as a page does.
func (d *dashboard) ask(ctx context.Context, path string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+d.token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(answer.Body, 500))
		answer.Body.Close()
		return nil, fmt.Errorf("%s: %s: %s", path, answer.Status, b)
	}
	return answer, nil
}

// read is ask for the whole answer.
func (d *dashboard) read(ctx context.Context, path string, header ...string) ([]byte, error) {
	answer, err := d.ask(ctx, path, header...)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// listed waits until the list of runs is complete: its index is made the first time.
func (d *dashboard) listed(ctx context.Context) error {
	for {
		b, err := d.read(ctx, "/api/v1/runs?limit=1")
		if err != nil {
			return err
		}
		var list struct {
			Building *struct{} `json:"building"`
		}
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
		if list.Building == nil {
			return nil
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
