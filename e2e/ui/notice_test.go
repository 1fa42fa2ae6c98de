package ui

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/server"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
	"github.com/vigil-ml/vigil/web"
)

// A browser that may notify, and keeps what it was to show: one without a screen shows nothing.
const notifications = `window.notes = []; window.Notification = class {
	static permission = "granted"; static requestPermission = async () => "granted";
	constructor(title, {body}) { notes.push(title + " | " + body) } close() {} };`

// away makes the page believe that another tab is in front, or that it is again.
func (b *tab) away(yes bool) {
	b.Helper()
	b.value(`(yes => { Object.defineProperty(document, "hidden", {value: yes, configurable: true}); document.dispatchEvent(new Event("visibilitychange")); })(` + map[bool]string{true: "true", false: "false"}[yes] + `)`)
}

// A finding that comes while nobody looks is counted in the tab's title and shown as a notification, if that was asked for.
func TestNewFindings(t *testing.T) {
	dir := t.TempDir()
	started := time.Now().Add(-time.Minute).UTC()
	w, err := store.Create(vfs.OS, dir, "going", record.Run{
		Format: record.RunFormat, Name: "going", Command: []string{"python", "train.py"}, Host: "elsewhere", Started: started, Status: record.Running, Steps: map[string]int64{}, Dropped: map[string]int64{}, Plan: []record.PlanChange{},
	})
	if err != nil {
		t.Fatal(err)
	}
	find := func(rule, message string) {
		t.Helper()
		if err := w.Finding(record.Finding{Rule: rule, Configuration: rule, Check: "seen", Severity: record.Error, Message: message, Time: time.Now().UTC()}); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, serving(t, dir), "/runs")
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: notifications}); err != nil {
		t.Fatal(err)
	}
	b.visit("/runs/going/overview")
	b.wait(`document.querySelector(".live")`)
	title := b.value(`document.title`)

	b.away(true)
	find("loss_flat", "The loss does not move.")
	b.wait(`document.title === "(1 new) " + ` + quote(title))
	if notes := b.value(`notes.length`); notes != "0" {
		t.Errorf("%s notifications, and nobody asked for them", notes)
	}
	b.away(false)
	b.wait(`document.title === ` + quote(title))

	b.click("Settings")
	b.click("Notify of new findings")
	b.wait(`[...document.querySelectorAll("[role^=menuitem]")].some(e => e.innerText.includes("Notify") && e.ariaChecked === "true")`)
	b.away(true)
	find("dead_relu", "Half of the units are dead.")
	b.wait(`notes.join() === "Half of the units are dead. | going"`)
	b.wait(`document.title === "(1 new) " + ` + quote(title))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A page that is older than its server says so, and reloads when it is asked to.
func TestServerIsNewer(t *testing.T) {
	next := fstest.MapFS{}
	err := fs.WalkDir(web.App(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := fs.ReadFile(web.App(), path)
		next[path] = &fstest.MapFile{Data: append(b, '\n')}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var now atomic.Pointer[http.Handler]
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*now.Load()).ServeHTTP(w, r) }))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	start := func(app fs.FS) {
		h := server.New(server.Options{Root: root, Version: "test", App: app, Token: "secret", ReadOnly: true}).HandlerAt(s.Listener.Addr())
		now.Store(&h)
	}
	start(web.App())
	b := open(t, &dashboard{URL: s.URL + "/?token=secret", base: s.URL}, "/runs")
	b.forgive("net::ERR")
	b.shows(healthy)

	start(next)
	s.CloseClientConnections() // as when the old server ends
	b.shows("The server is newer than this page.")
	b.click("Reload")
	b.settled()
	b.wait(`document.querySelector(".live") && !document.querySelector(".notice")`)
}
