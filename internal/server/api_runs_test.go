package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// ended writes a run that has ended, with what is given.
func ended(t *testing.T, root, name string, at time.Time, findings ...record.Finding) {
	t.Helper()
	host, _ := os.Hostname()
	w, err := store.Create(vfs.OS, root, name, record.Run{Format: record.RunFormat, Name: name, Host: host, Started: at, Ended: &at, Status: record.Completed,
		Workers: []record.Worker{{Name: "worker_0", Chief: true}}, Steps: map[string]int64{"TRAIN": 3}, Dropped: map[string]int64{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if err := w.Finding(f); err != nil {
			t.Fatal(err)
		}
	}
	var groups []record.Group
	for _, f := range findings {
		groups = append(groups, record.Group{Root: f, Symptoms: []record.Finding{}})
	}
	if err := w.Summary(groups); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// api is a server whose answers are held against its own description.
type api struct {
	t      *testing.T
	server *Server
	url    string
}

func newAPI(t *testing.T, o Options) *api {
	t.Helper()
	o.Token, o.Version = rightToken, "test"
	s := New(o)
	return &api{t, s, serveOne(t, s)}
}

// ask sends "METHOD /path" and a body, wants a status, and gives the answer, which has
// to be as the description says.
func (a *api) ask(line, body string, want int) map[string]any {
	a.t.Helper()
	answer, text := ask(a.t, a.url, asked{strings.Replace(line, " ", " "+apiPath, 1), withBearer, body})
	if answer.StatusCode != want {
		a.t.Errorf("%s %s: %s, want %d\n%s", line, body, answer.Status, want, text)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		a.t.Fatalf("%s: %v\n%s", line, err, text)
	}
	a.conforms(line, answer, text)
	return v
}

// conforms holds an answer against the description of its operation.
func (a *api) conforms(line string, answer *http.Response, text string) {
	a.t.Helper()
	method, path, _ := strings.Cut(line, " ")
	path, _, _ = strings.Cut(path, "?")
	doc := a.server.OpenAPI()
	for pattern, item := range doc.Paths {
		parts, own := strings.Split(pattern, "/"), strings.Split(path, "/")
		if len(parts) != len(own) || !slices.EqualFunc(parts, own, func(p, s string) bool { return p == s || strings.HasPrefix(p, "{") && s != "" }) {
			continue
		}
		op := map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete}[method]
		if op == nil {
			continue
		}
		response := op.Responses[fmt.Sprint(answer.StatusCode)]
		if response == nil {
			a.t.Errorf("%s: status %d is not described", line, answer.StatusCode)
			return
		}
		media := response.Content[strings.TrimSuffix(answer.Header.Get("Content-Type"), "; charset=utf-8")]
		if media == nil {
			a.t.Errorf("%s: an answer of type %q is not described", line, answer.Header.Get("Content-Type"))
			return
		}
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			a.t.Fatal(err)
		}
		var result huma.ValidateResult
		huma.Validate(doc.Components.Schemas, media.Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, v, &result)
		for _, err := range result.Errors {
			a.t.Errorf("%s: the answer is not as described: %v", line, err)
		}
		return
	}
}

func names(v map[string]any) (list []string) {
	for _, r := range v["runs"].([]any) {
		list = append(list, r.(map[string]any)["name"].(string))
	}
	return list
}

var start = time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)

func TestTheListOfRuns(t *testing.T) {
	root := t.TempDir()
	for i, name := range []string{"a", "b b", "c<script>", "d"} {
		ended(t, root, name, start.Add(time.Duration(i/2)*time.Minute), record.Finding{Rule: "dead_relu", Check: "layer", Severity: record.Error, Time: start})
	}
	a := newAPI(t, Options{Root: root})
	all := a.ask("GET /runs", "", 200)
	if got, want := names(all), []string{"c<script>", "d", "a", "b b"}; !slices.Equal(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
	if f := all["runs"].([]any)[0].(map[string]any)["findings"].(map[string]any); f["error"] != 1.0 || f["warning"] != 0.0 {
		t.Errorf("findings %v", f)
	}
	// A list is written as any other answer would be.
	list, err := a.server.index.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []RunList{{Format: format1, Runs: a.server.rows(list.Rows, true), Next: `"runs":[`}, {Runs: a.server.rows(list.Rows[:1], false), Building: &Building{Done: 1, Of: 2}}, {Runs: []listedRun{}}} {
		var own bytes.Buffer
		usual, err := json.Marshal(l)
		if err2 := l.writeJSON(&own); err != nil || err2 != nil || own.String() != string(usual) {
			t.Errorf("%v, %v: %s, want %s", err, err2, own.String(), usual)
		}
	}
	// Page by page it is the same list.
	var paged []string
	cursor := ""
	for range 5 {
		v := a.ask("GET /runs?limit=1&fields=basic&cursor="+cursor, "", 200)
		paged = append(paged, names(v)...)
		if cursor = v["next"].(string); cursor == "" {
			break
		}
	}
	if !slices.Equal(paged, names(all)) {
		t.Errorf("page by page: %v", paged)
	}
	// Of runs that are named only those are given.
	if got, want := names(a.ask("GET /runs?run=b+b&run=d&run=none", "", 200)), []string{"d", "b b"}; !slices.Equal(got, want) {
		t.Errorf("named runs %v, want %v", got, want)
	}
	for line, want := range map[string]int{
		"GET /runs?limit=0": 422, "GET /runs?" + strings.Repeat("&run=a", 201): 422, "GET /runs?limit=10001": 422, "GET /runs?cursor=nonsense": 422, "GET /runs?fields=all": 422,
	} {
		a.ask(line, "", want)
	}
	if empty := newAPI(t, Options{Root: filepath.Join(root, "none")}).ask("GET /runs", "", 200); len(empty["runs"].([]any)) != 0 {
		t.Errorf("a root that is not there yet: %v", empty)
	}
}

func TestARunIsRemovedWhenItsNameIsGivenTwice(t *testing.T) {
	root := t.TempDir()
	ended(t, root, "old", start)
	running := newJob(t, root, "running")
	defer running.Close()
	a := newAPI(t, Options{Root: root})
	for _, c := range []struct {
		line, says string
		want       int
	}{
		{"DELETE /runs/old", "name", 422},
		{"DELETE /runs/old?name=other", "nothing was removed", 422},
		{"DELETE /runs/running?name=running", "still running", 409},
		{"DELETE /runs/none?name=none", "no run", 404},
		{"DELETE /runs/old?name=old", "", 200},
		{"DELETE /runs/old?name=old", "no run", 404},
	} {
		v := a.ask(c.line, "", c.want)
		if text := fmt.Sprint(v["detail"], v["errors"]); !strings.Contains(text, c.says) {
			t.Errorf("%s: %s", c.line, text)
		}
	}
	if got := names(a.ask("GET /runs", "", 200)); !slices.Equal(got, []string{"running"}) {
		t.Errorf("runs %v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(root, "*old*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWhatPeopleWriteOnARun(t *testing.T) {
	root := t.TempDir()
	relu := func(subject string) record.Finding {
		return record.Finding{Rule: "dead_relu", Configuration: "dead_relu", Check: "layer", Severity: record.Error, Subject: subject, Time: start, Context: map[string]any{"x": 1.0}}
	}
	ended(t, root, "a", start, relu("one"), relu("two"))
	a := newAPI(t, Options{Root: root})
	muted := func() (list []any) {
		for _, f := range a.ask("GET /runs/a/findings", "", 200)["findings"].([]any) {
			list = append(list, f.(map[string]any)["muted"])
		}
		return list
	}
	errors := func() any {
		return a.ask("GET /runs", "", 200)["runs"].([]any)[0].(map[string]any)["findings"].(map[string]any)["error"]
	}
	if got := a.ask("PUT /runs/a/tags", `{"set":{"lr":"0.1","x":"<b>"}}`, 200)["tags"]; !reflect.DeepEqual(got, map[string]any{"lr": "0.1", "x": "<b>"}) {
		t.Errorf("tags %v", got)
	}
	if got := a.ask("PUT /runs/a/tags", `{"set":{"y":"1"},"remove":["x"]}`, 200)["tags"]; !reflect.DeepEqual(got, map[string]any{"lr": "0.1", "y": "1"}) {
		t.Errorf("tags %v", got)
	}
	for _, body := range []string{`{"set":{"a=b":"c"}}`, `{"set":{"":"c"}}`, `{"set":{"a":""}}`, `{"set":{" a":"b"}}`, `{"set":[]}`, `{"set":{"a":1}}`} {
		a.ask("PUT /runs/a/tags", body, 422)
	}
	if got := a.ask("PUT /runs/a/note", `{"note":"first\nsecond"}`, 200)["note"]; got != "first\nsecond" {
		t.Errorf("note %q", got)
	}
	// An open run that has ended takes in what is written on it.
	if got := a.ask("GET /runs", "", 200)["runs"].([]any)[0].(map[string]any); got["note"] != "first\nsecond" || got["tags"].(map[string]any)["y"] != "1" {
		t.Errorf("the list: %v", got)
	}
	a.ask("PUT /runs/a/mutes", `{"rule":"dead_relu","tensor":"one"}`, 422)
	a.ask("PUT /runs/a/mutes", `{"rule":"dead_relu","tensor":"one","reason":" "}`, 422)
	a.ask("PUT /runs/a/mutes", `{"rule":"","reason":"x"}`, 422)
	a.ask("PUT /runs/a/mutes", `{"rule":"dead_relu","tensor":"one","reason":"known"}`, 200)
	if got := muted(); !reflect.DeepEqual(got, []any{true, nil}) || errors() != 1.0 {
		t.Errorf("muted %v, %v errors", got, errors())
	}
	if got := a.ask("PUT /runs/a/mutes", `{"rule":"dead_relu","reason":"all known"}`, 200)["mutes"].([]any); len(got) != 2 {
		t.Errorf("mutes %v", got)
	}
	if got := muted(); !reflect.DeepEqual(got, []any{true, true}) || errors() != 0.0 {
		t.Errorf("muted %v, %v errors", got, errors())
	}
	if groups := a.ask("GET /runs/a/findings", "", 200)["groups"].([]any); len(groups) != 0 {
		t.Errorf("groups %v", groups)
	}
	a.ask("DELETE /runs/a/mutes?rule=dead_relu&tensor=two", "", 404)
	a.ask("DELETE /runs/a/mutes?rule=dead_relu", "", 200)
	a.ask("DELETE /runs/a/mutes?rule=dead_relu&tensor=one", "", 200)
	if got := muted(); !reflect.DeepEqual(got, []any{nil, nil}) || errors() != 2.0 {
		t.Errorf("muted %v, %v errors", got, errors())
	}
	if got := a.ask("PUT /runs/a/tags", `{}`, 200)["tags"].(map[string]any); len(got) != 2 {
		t.Errorf("mutes cost tags: %v", got)
	}
}

func TestWhatPeopleSetOfThePage(t *testing.T) {
	root := t.TempDir()
	ended(t, root, "a", start)
	a := newAPI(t, Options{Root: root})
	if v := a.ask("GET /ui", "", 200); v["persisted"] != true || len(v["archived"].([]any)) != 0 {
		t.Errorf("%v", v)
	}
	v := a.ask("PATCH /ui", `{"archived":["a"],"colours":{"a":"#123456"},"pinned":{"a":[{"s":"loss"}]},"styles":{"by":"tag"}}`, 200)
	if v["colours"].(map[string]any)["a"] != "#123456" || len(v["pinned"].(map[string]any)["a"].([]any)) != 1 {
		t.Errorf("%v", v)
	}
	if row := a.ask("GET /runs", "", 200)["runs"].([]any)[0].(map[string]any); row["archived"] != true {
		t.Errorf("archived: %v", row["archived"])
	}
	a.ask("PATCH /ui", `{"archived":7}`, 422)
	a.ask("PUT /views/mine", `{"columns":["loss"]}`, 200)
	a.ask("PUT /views/a%2Fb", `{}`, 200)
	if got := a.ask("GET /views", "", 200)["views"].([]any); len(got) != 2 {
		t.Errorf("views %v", got)
	}
	a.ask("PUT /views/"+strings.Repeat("x", 81), `{}`, 422)
	a.ask("PUT /views/mine", `7`, 422)
	a.ask("DELETE /views/mine", "", 200)
	a.ask("DELETE /views/mine", "", 404)
	// Another server of the same root knows it.
	if got := newAPI(t, Options{Root: root}).ask("GET /ui", "", 200)["archived"].([]any); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestControlsSayWhyNot(t *testing.T) {
	root := t.TempDir()
	ended(t, root, "old", start)
	w, err := store.Create(vfs.OS, root, "far", record.Run{Format: record.RunFormat, Name: "far", Host: "another-host", Started: time.Now(), Status: record.Running, Control: "/none", Steps: map[string]int64{}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	a := newAPI(t, Options{Root: root})
	for _, c := range []struct{ run, says string }{{"old", "has already ended (completed)"}, {"far", `t runs on host "another-host"`}} {
		controls := a.ask("GET /runs/"+c.run+"/controls", "", 200)
		if stop := controls["stop"].(map[string]any); stop["allowed"] != false || !strings.Contains(stop["why_not"].(string), c.says) {
			t.Errorf("%s: %v", c.run, stop)
		}
		for line, body := range map[string]string{
			"POST /runs/" + c.run + "/stop": "", "POST /runs/" + c.run + "/plan": `{"every":3}`, "POST /runs/" + c.run + "/capture": `{"tensor":"x"}`,
			"POST /runs/" + c.run + "/profile": `{}`, "GET /runs/" + c.run + "/stacks": "",
		} {
			if v := a.ask(line, body, 409); !strings.Contains(v["detail"].(string), c.says) {
				t.Errorf("%s: %v", line, v["detail"])
			}
		}
	}
	if v := a.ask("GET /runs/old/plan", "", 200); v["status"] != "completed" {
		t.Errorf("%v", v)
	}
	if r := a.ask("POST /runs/old/report", "", 200); r["bytes"].(float64) < 1000 {
		t.Errorf("%v", r)
	}
	answer, body := ask(t, a.url, asked{line: "GET /api/v1/runs/old/report", headers: withBearer})
	if answer.Header.Get("Content-Disposition") != `attachment; filename="old.html"` || answer.Header.Get("Content-Type") != "application/octet-stream" || !strings.Contains(body, "<html") {
		t.Errorf("%v", answer.Header)
	}
	// A server that only shows does so, too.
	shown := newAPI(t, Options{Root: root, ReadOnly: true}).ask("GET /runs/old/controls", "", 200)
	if d := shown["delete"].(map[string]any); !strings.Contains(d["why_not"].(string), "--read-only") {
		t.Errorf("%v", d)
	}
}

func TestARunThatWasResumedIsReadAgain(t *testing.T) {
	root := t.TempDir()
	ended(t, root, "a", start)
	runs := newOpenRuns(root)
	first, err := runs.get("a")
	if err != nil || first.Run().Status != record.Completed {
		t.Fatal(err)
	}
	if again, _ := runs.get("a"); again != first {
		t.Error("it is opened each time")
	}
	w, err := store.Resume(vfs.OS, filepath.Join(root, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	host, _ := os.Hostname()
	if err := w.UpdateRun(func(r *record.Run) { r.Status, r.Ended, r.Host = record.Running, nil, host }); err != nil {
		t.Fatal(err)
	}
	if resumed, err := runs.get("a"); err != nil || resumed.Run().Status != record.Running {
		t.Errorf("%v %v", resumed.Run().Status, err)
	}
}
