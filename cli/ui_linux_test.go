package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// dashboard is a running `vigil ui` or `vigil run --ui`.
type dashboard struct {
	t   *testing.T
	cmd *exec.Cmd
	url string // up to the token
	key string
	// What it printed, for after the end.
	out, err *bytes.Buffer
	ended    chan struct{} // all that it printed was read
}

// end ends it, as Ctrl-C does, and gives its exit code.
func (d *dashboard) end() int {
	if d.cmd.ProcessState == nil {
		_ = d.cmd.Process.Signal(os.Interrupt)
		<-d.ended
		_ = d.cmd.Wait()
	}
	return d.cmd.ProcessState.ExitCode()
}

// startDashboard starts a command and waits for the address it prints.
func startDashboard(t *testing.T, dir string, env []string, args ...string) *dashboard {
	t.Helper()
	d := &dashboard{t: t, cmd: exec.Command(vigil(t), args...), out: &bytes.Buffer{}, err: &bytes.Buffer{}, ended: make(chan struct{})}
	d.cmd.Dir, d.cmd.Env = dir, append(cleanEnv(t), env...)
	address := make(chan string, 2)
	find := func(from io.Reader, keep *bytes.Buffer) func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			lines := bufio.NewScanner(from)
			for lines.Scan() {
				fmt.Fprintln(keep, lines.Text())
				if i := strings.Index(lines.Text(), "http"); i >= 0 && strings.Contains(lines.Text(), "token=") {
					address <- strings.TrimRight(strings.Fields(lines.Text()[i:])[0], `",`)
				}
			}
		}()
		return func() { <-done }
	}
	stdout, _ := d.cmd.StdoutPipe()
	stderr, _ := d.cmd.StderrPipe()
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, second := find(stdout, d.out), find(stderr, d.err)
	go func() { first(); second(); close(d.ended) }()
	t.Cleanup(func() { d.end() })
	select {
	case a := <-address:
		d.url, d.key, _ = strings.Cut(a, "?token=")
		return d
	case <-d.ended:
	case <-time.After(2 * time.Minute):
	}
	d.end()
	t.Fatalf("no address of a dashboard\n%s%s", d.out, d.err)
	return nil
}

// ask sends "METHOD /path" of the API, wants a status, and gives the answer.
func (d *dashboard) ask(line, body string, want int) map[string]any {
	d.t.Helper()
	method, path, _ := strings.Cut(line, " ")
	r, _ := http.NewRequest(method, d.url+"api/v1"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+d.key)
	r.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != want {
		d.t.Errorf("%s %s: %s\n%s", line, body, answer.Status, b)
	}
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		d.t.Fatalf("%s: %v\n%s", line, err, b)
	}
	return v
}

// until waits for something.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// TestDashboardControlsARealJob: a job runs with its dashboard next to it; each control
// does what it says, and the dashboard ends with the job.
func TestDashboardControlsARealJob(t *testing.T) {
	dir := t.TempDir()
	d := startDashboard(t, dir, nil, "run", "--ui", "--quiet", "--name", "r", "--monitor", "500", "--", vigil(t), "demo-train", "--fault", "none", "--seconds", "600")
	run := func() record.Run {
		tr, err := trial.Open(filepath.Join(dir, "vigil-runs", "r"))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		return tr.Run()
	}
	until(t, "a plan and some steps", func() bool { r := run(); return len(r.Plan) > 0 && r.Steps["TRAIN"] > 10 })
	if row := d.ask("GET /runs", "", 200)["runs"].([]any)[0].(map[string]any); row["name"] != "r" || row["status"] != "running" || row["live"] != true {
		t.Errorf("the list: %v", row)
	}
	controls := d.ask("GET /runs/r", "", 200)["controls"].(map[string]any)
	for _, name := range []string{"stop", "plan", "monitor", "profile", "stacks", "report", "tags"} {
		if controls[name].(map[string]any)["allowed"] != true {
			t.Errorf("%s: %v", name, controls[name])
		}
	}

	// The plan.
	changes := len(run().Plan)
	d.ask("POST /runs/r/plan", `{"every":7}`, 200)
	until(t, "the change of the plan", func() bool { return len(run().Plan) > changes })
	if p := run().Plan; p[len(p)-1].Why != "dashboard: every 7" {
		t.Errorf("history: %q", p[len(p)-1].Why)
	}
	for body, says := range map[string]string{
		`{"every":-1}`: "", `{"add_rules":["overfti"]}`: `did you mean "overfit"`, `{"collect":["heads"]}`: "selects nothing", `{}`: "no change", `{"monitor":"250"}`: "none of 100",
	} {
		want := 422
		if says == "selects nothing" {
			want = 409 // the agent says so
		}
		if v := d.ask("POST /runs/r/plan", body, want); !strings.Contains(fmt.Sprint(v["detail"]), says) {
			t.Errorf("%s: %v", body, v["detail"])
		}
	}
	if rules := d.ask("POST /runs/r/plan", `{"add_rules":["overfit:patience=2,configuration=patient"]}`, 200)["rules"].([]any); len(rules) != 1 {
		t.Errorf("added: %v", rules)
	}

	// Machine metrics: off, and on again.
	samples := func() int64 {
		tr, err := trial.Open(filepath.Join(dir, "vigil-runs", "r"))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		n := int64(0)
		for _, h := range tr.Hosts() {
			c, _ := tr.SampleCount(h)
			n += c
		}
		return n
	}
	until(t, "samples of the machine", func() bool { return samples() > 0 })
	d.ask("POST /runs/r/plan", `{"monitor":"off"}`, 200)
	until(t, "the end of sampling", func() bool {
		n := samples()
		time.Sleep(1500 * time.Millisecond)
		return samples() == n
	})
	n := samples()
	d.ask("POST /runs/r/plan", `{"monitor":"100"}`, 200)
	until(t, "samples again", func() bool { return samples() > n+3 })

	// Stacks, a report, and what is written on the run.
	if s := d.ask("GET /runs/r/stacks", "", 200); s["processes"].(float64) < 1 {
		t.Errorf("stacks: %v", s)
	}
	if v := d.ask("POST /runs/r/profile", `{"seconds":1}`, 409); !strings.Contains(v["detail"].(string), "not in Python") {
		t.Errorf("profile: %v", v["detail"])
	}
	file := d.ask("POST /runs/r/report", "", 200)["report"].(string)
	if b, err := os.ReadFile(file); err != nil || !bytes.Contains(b, []byte("<html")) {
		t.Errorf("report %s: %v", file, err)
	}
	d.ask("PUT /runs/r/tags", `{"set":{"lr":"0.1"}}`, 200)
	if r := run(); r.Tags["lr"] != "0.1" {
		t.Errorf("tags %v", r.Tags)
	}
	if v := d.ask("DELETE /runs/r?name=r", "", 409); !strings.Contains(v["detail"].(string), "still running") {
		t.Errorf("delete: %v", v)
	}

	// The end.
	d.ask("POST /runs/r/stop", "", 200)
	until(t, "the end of the run", func() bool { return run().Status != record.Running })
	if r := run(); r.Status != record.Stopped {
		t.Errorf("status %s", r.Status)
	}
	until(t, "the end of the dashboard", func() bool {
		c, err := net.DialTimeout("tcp", strings.TrimSuffix(strings.TrimPrefix(d.url, "http://"), "/"), time.Second)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

// TestUI: what the command prints, and what it does not take.
func TestUI(t *testing.T) {
	dir := t.TempDir()
	d := startDashboard(t, dir, []string{"SSH_CONNECTION=192.0.2.1 50000 192.0.2.7 2222"}, "ui", "runs", "--listen", "0", "--base-path", "vigil/{port}/", "--read-only")
	port, _, _ := strings.Cut(strings.TrimPrefix(d.url, "http://127.0.0.1:"), "/")
	if about := d.ask("GET /server", "", 200); about["root"] != filepath.Join(dir, "runs") || about["read_only"] != true || about["base_path"] != "/vigil/"+port {
		t.Errorf("about: %v", about)
	}
	d.ask("PATCH /ui", `{"archived":[]}`, 403)
	if code := d.end(); code != 0 {
		t.Errorf("after Ctrl-C: exit code %d", code)
	}
	if lines := strings.Split(strings.TrimSpace(d.out.String()), "\n"); len(lines) != 1 || lines[0] != "http://127.0.0.1:"+port+"/vigil/"+port+"/?token="+d.key || len(d.key) != 43 {
		t.Errorf("standard output: %q", d.out)
	}
	if tunnel := "ssh -N -L " + port + ":127.0.0.1:" + port + " -p 2222 "; !strings.Contains(d.err.String(), tunnel) || !strings.Contains(d.err.String(), "@192.0.2.7\n") {
		t.Errorf("standard error lacks %q: %s", tunnel, d.err)
	}

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--listen", taken.Addr().String()}, "another program has the port"},
		{[]string{"--listen", "nowhere.invalid:80"}, "an address of this machine and a port"},
		{[]string{"--listen", "0", "--base-path", `/a"b`}, "--base-path"},
		{[]string{"--listen", "0", "--base-path", "/a/../b"}, "not a plain path"},
		{[]string{"--listen", "0", "--framed-by", "*"}, "the beginning of the page's address"},
		{[]string{"--listen", "0", "--framed-by", "http://localhost:8888", "--framed-by", "hub.example.org"}, `"hub.example.org" is not an origin`},
		{[]string{"--listen", "0", "--tls-cert", file}, "--tls-cert and --tls-key go together"},
		{[]string{"--listen", "0", "--tls-cert", file, "--tls-key", file}, "read the certificate"},
		{[]string{file}, "not a directory"},
	} {
		cmd := exec.Command(vigil(t), append([]string{"ui"}, c.args...)...)
		cmd.Dir, cmd.Env = dir, cleanEnv(t)
		b, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(b), c.says) || strings.Count(string(b), "\n") > 2 {
			t.Errorf("%q: exit code %d, %s", c.args, cmd.ProcessState.ExitCode(), b)
		}
	}
}

// TestUITakesTheNextFreePort: a second one says that the usual port is taken.
func TestUITakesTheNextFreePort(t *testing.T) {
	dir := t.TempDir()
	startDashboard(t, dir, nil, "ui") // on the usual port, or it is taken already
	second := startDashboard(t, dir, nil, "ui")
	second.end()
	if want := fmt.Sprintf("vigil: port %d is taken; this is port ", uiPort); !strings.Contains(second.err.String(), want) {
		t.Errorf("standard error lacks %q: %s", want, second.err)
	}
}

// TestUISaysThatAnOpenAddressIsNotEncrypted.
func TestUISaysThatAnOpenAddressIsNotEncrypted(t *testing.T) {
	d := startDashboard(t, t.TempDir(), nil, "ui", "--listen", "0.0.0.0:0")
	d.end()
	if !strings.Contains(d.err.String(), "the connection is not encrypted") {
		t.Errorf("standard error: %s", d.err)
	}
}

// TestUIBesideAProgram: who started it lets browsers in, one a line, and its end is that of the line.
func TestUIBesideAProgram(t *testing.T) {
	cmd := exec.Command(vigil(t), "ui", "--listen", "0", "--beside", "--json")
	cmd.Dir, cmd.Env = t.TempDir(), cleanEnv(t)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	about, err := said.ReadBytes('}')
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ Address string }
	if err := json.Unmarshal(about, &at); err != nil {
		t.Fatal(err)
	}
	secret := strings.Repeat("0123456789", 4)
	fmt.Fprintf(in, "too short\n%s\n", secret)
	if _, err := said.ReadString('\n'); err != nil { // the end of the first answer's line
		t.Fatal(err)
	}
	if line, err := said.ReadString('\n'); line != "ok\n" {
		t.Errorf("the answer to a ticket: %q, %v", line, err)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for token, want := range map[string]int{secret: http.StatusSeeOther, "too short": http.StatusUnauthorized} {
		answer, err := client.Get("http://" + at.Address + "/?token=" + strings.ReplaceAll(token, " ", "%20"))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%q: %s, want %d", token, answer.Status, want)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the end: %v", err)
	}
}
