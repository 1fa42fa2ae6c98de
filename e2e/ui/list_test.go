package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// listedRuns writes runs of two models with losses that differ; the newest goes on.
func listedRuns(t *testing.T, root string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 8 {
		model := []string{"resnet", "vit"}[i%2]
		name := fmt.Sprintf("%s-%d", model, i)
		started := time.Now().Add(time.Duration(i-10) * time.Hour).UTC()
		w, err := store.Create(vfs.OS, root, name, record.Run{
			Format: record.RunFormat, Name: name, Command: []string{"python", "train.py"}, Host: "elsewhere", Started: started, Status: record.Running, Steps: map[string]int64{}, Dropped: map[string]int64{}, Plan: []record.PlanChange{},
			Provenance: &record.Provenance{Hyperparameters: map[string]string{"model": model, "lr": fmt.Sprint(0.01 * float64(i+1))}},
		})
		must(err)
		for s := range 30 {
			must(w.Append("worker_0", "session", uint64(s+1), &record.Step{Worker: "worker_0", Step: int64(s), Mode: record.Train, ModeStep: int64(s), Time: started.Add(time.Duration(s) * time.Second),
				Scalars: []record.Scalar{{Name: "loss", Value: float64(i+1) / float64(s+1)}}}))
		}
		if i < 2 {
			must(w.Finding(record.Finding{Rule: "dead_relu", Configuration: "dead_relu", Check: "dead", Severity: record.Error, Time: started}))
		}
		must(store.WriteLabels(vfs.OS, w.Path(), record.Labels{Tags: map[string]string{"model": model}}))
		must(w.UpdateRun(func(r *record.Run) {
			r.Steps["TRAIN"] = 30
			if i < 7 {
				ended := started.Add(time.Minute)
				r.Status, r.Ended = record.Completed, &ended
			}
		}))
		must(w.Close())
	}
}

// shown are the names in the table, in their order.
func (b *tab) shown() string {
	return b.value(`[...document.querySelectorAll(".runs-name a")].map(a => a.textContent).join(" ")`)
}

// lists waits until the table has these names.
func (b *tab) lists(names string) {
	b.Helper()
	b.wait(`[...document.querySelectorAll(".runs-name a")].map(a => a.textContent).join(" ") === ` + quote(names))
}

// search puts a text into the search of the list.
func (b *tab) search(text string) {
	b.Helper()
	b.value(`(() => { const field = document.querySelector("[aria-label='Search runs']"); field.focus(); field.select(); return 1; })()`)
	if text == "" {
		b.keys(kb.Delete)
	} else {
		b.keys(text)
	}
	b.keys(kb.Enter) // takes back what is offered
}

// table puts the focus on the table.
func (b *tab) table() { b.value(`document.querySelector(".table").focus()`) }

const allRuns = "vit-7 resnet-6 vit-5 resnet-4 vit-3 resnet-2 vit-1 resnet-0"

// The list of runs is searched, put into order, grouped and kept as a view; the
// address holds it all.
func TestListIsSearchedAndOrdered(t *testing.T) {
	root := t.TempDir()
	listedRuns(t, root)
	d := serving(t, root)
	b := open(t, d, "/runs")
	b.lists(allRuns)

	for query, want := range map[string]string{
		"resnet": "resnet-6 resnet-4 resnet-2 resnet-0", "finding:dead_relu": "vit-1 resnet-0", "loss<=0.1": "resnet-2 vit-1 resnet-0",
		"status:running": "vit-7", "tag:model=vit -status:running": "vit-5 vit-3 vit-1", "lr>=0.07 or name:resnet-0": "vit-7 resnet-6 resnet-0",
	} {
		b.search(query)
		b.lists(want)
	}
	b.search("resnet los<1")
	b.shows("Unknown field “los”.")
	b.wait(`document.querySelector(".runs-search-behind mark").textContent === "los"`)
	b.search("")
	b.lists(allRuns)

	b.visit("/runs?c=name&c=last.loss&c=min.loss&c=param.lr&c=at.9.loss&sort=last.loss")
	b.lists("resnet-0 vit-1 resnet-2 vit-3 resnet-4 vit-5 resnet-6 vit-7")
	var said struct {
		Runs []struct {
			Name   string
			Values map[string]struct{ Last, Min float64 }
		}
	}
	d.get(t, "/runs?fields=full", &said)
	b.wait(`!document.querySelector("[aria-label=Loading]")`)
	for _, r := range said.Runs {
		var cells []float64
		text := b.value(`JSON.stringify([...[...document.querySelectorAll("tbody tr")].find(tr => tr.innerText.includes(` + quote(r.Name) + `)).querySelectorAll("td.n")].map(td => Number(td.innerText.replace("best", ""))))`)
		if err := json.Unmarshal([]byte(text), &cells); err != nil || len(cells) != 3 {
			t.Fatalf("cells of %s: %s, %v", r.Name, text, err)
		}
		for i, want := range []float64{r.Values["loss"].Last, r.Values["loss"].Min, 3 * r.Values["loss"].Last} {
			if got := cells[i]; got < want*0.999 || got > want*1.001 {
				t.Errorf("%s shows %v, the API says %v", r.Name, got, want)
			}
		}
	}
	b.visit("/runs?c=name&c=last.loss&c=min.loss&sort=-last.loss")
	b.lists("vit-7 resnet-6 vit-5 resnet-4 vit-3 resnet-2 vit-1 resnet-0")
	b.click("loss, lowest") // the best run is first
	b.wait(`location.search.includes("sort=min.loss")`)
	b.lists("resnet-0 vit-1 resnet-2 vit-3 resnet-4 vit-5 resnet-6 vit-7")
	b.click("loss, lowest")
	b.wait(`location.search.includes("sort=-min.loss")`)
	b.lists("vit-7 resnet-6 vit-5 resnet-4 vit-3 resnet-2 vit-1 resnet-0")

	b.visit("/runs?group=tag.model")
	b.wait(`[...document.querySelectorAll("tr.group")].length === 2`)
	b.lists("vit-7 vit-5 vit-3 vit-1 resnet-6 resnet-4 resnet-2 resnet-0")
	b.table()
	b.keys(kb.ArrowDown + kb.Enter) // closes the first group
	b.lists("resnet-6 resnet-4 resnet-2 resnet-0")

	b.visit("/runs?q=vit&sort=name&c=name&c=status")
	b.click("Views")
	b.click("Save as a new view")
	b.wait(`document.querySelector("dialog[open] input")`)
	b.keys("vision" + kb.Enter)
	b.wait(`location.search.includes("view=vision")`)
	b.visit("/runs")
	b.click("Views")
	b.click("vision")
	b.lists("vit-1 vit-3 vit-5 vit-7")
	b.value(`history.back()`)
	b.lists(allRuns)
	if _, err := os.Stat(filepath.Join(root, ".vigil", "views", "vision.json")); err != nil {
		t.Error(err)
	}
}

// Runs are tagged, compared, archived and deleted by keys alone; what goes is listed
// before, and what goes on stays.
func TestListIsTidied(t *testing.T) {
	root := t.TempDir()
	listedRuns(t, root)
	d := serving(t, root)
	b := open(t, d, "/runs?sort=name")
	b.lists("resnet-0 resnet-2 resnet-4 resnet-6 vit-1 vit-3 vit-5 vit-7")

	// The edges of columns are moved by keys, and Enter gives back the usual width.
	width := `document.querySelector("th[aria-sort], th.stays").querySelector(".edge").ariaValueNow`
	before := b.value(width)
	b.value(`document.querySelector("th[aria-sort], th.stays").querySelector(".edge").focus()`)
	b.keys(kb.ArrowRight + kb.ArrowRight)
	b.wait(width + ` - ` + before + ` === 32`)
	b.keys(kb.Enter)
	b.wait(width + ` === "` + before + `"`)

	b.table()
	b.keys(kb.ArrowDown + "e")
	b.wait(`document.activeElement.className === "runs-tags-field"`)
	b.keys(` note="two words"` + kb.Enter)
	b.shows("note=two words")
	b.wait(`document.activeElement.className.startsWith("table")`)
	labels, err := store.ReadLabels(vfs.OS, filepath.Join(root, "resnet-0"))
	if err != nil || labels.Tags["note"] != "two words" || labels.Tags["model"] != "resnet" {
		t.Errorf("the tags are %v, %v", labels.Tags, err)
	}

	b.keys("x" + kb.ArrowDown + "x")
	b.shows("2 runs chosen")
	b.keys("v")
	b.wait(`location.pathname.endsWith("/curves") && new URLSearchParams(location.search).get("runs") === "resnet-2,resnet-0"`)
	b.value(`history.back()`)
	b.wait(`location.pathname.endsWith("/runs") && document.querySelector("h1")?.innerText === "Runs" && document.querySelector(".runs-chosen")`)
	b.shows("2 runs chosen")

	b.table()
	b.keys("a")
	b.shows("2 runs archived.")
	b.lists("resnet-4 resnet-6 vit-1 vit-3 vit-5 vit-7")
	b.visit("/runs?q=archived:yes&sort=name")
	b.lists("resnet-0 resnet-2")

	b.visit("/runs?sort=name")
	b.lists("resnet-4 resnet-6 vit-1 vit-3 vit-5 vit-7")
	b.table()
	b.keys(kb.End + "x" + kb.ArrowUp + "x" + kb.Delete)
	b.shows("Delete this run for good?")
	b.shows("vit-7 is still running and stays.")
	b.keys(kb.Escape)
	b.wait(`!document.querySelector("dialog[open]")`)
	if b.shown() != "resnet-4 resnet-6 vit-1 vit-3 vit-5 vit-7" {
		t.Errorf("Escape deleted runs: %s", b.shown())
	}
	b.table()
	b.keys(kb.Delete)
	b.wait(`document.querySelector("dialog[open]")`)
	b.keys(kb.Tab + kb.Enter)
	b.shows("vit-5 is deleted.")
	b.lists("resnet-4 resnet-6 vit-1 vit-3 vit-7")
	if _, err := os.Stat(filepath.Join(root, "vit-5")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("vit-5 is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "vit-7")); err != nil {
		t.Error(err)
	}
}

// With --read-only nothing is offered that changes anything.
func TestListIsOnlyRead(t *testing.T) {
	root := t.TempDir()
	listedRuns(t, root)
	b := open(t, serving(t, root, "--read-only"), "/runs?run=resnet-0")
	b.shows("1 run chosen")
	b.shows("Read only")
	for _, name := range []string{"Tag", "Archive", "Delete"} {
		if off := b.value(`[...document.querySelectorAll(".runs-chosen button")].find(e => e.innerText.trim() === ` + quote(name) + `).disabled`); off != "true" {
			t.Errorf("%s is offered", name)
		}
	}
	b.table()
	b.keys(kb.ArrowDown + "e" + "a" + kb.Delete)
	if b.value(`document.querySelector("dialog[open], .runs-tags-field") === null`) != "true" {
		t.Error("a key offers a change")
	}
	if list, _ := os.ReadDir(filepath.Join(root, ".vigil")); len(list) > 0 && strings.Contains(fmt.Sprint(list), "ui.json") {
		t.Errorf("written: %v", list)
	}
}

// What was not sent at first is asked for when it is wanted: a column that is chosen, put
// into order, grouped or searched by; and the course of the loss of the runs in sight. A
// run that goes on brings what is new of the columns that are shown.
func TestListAsksForWhatIsWanted(t *testing.T) {
	root := t.TempDir()
	listedRuns(t, root)
	d := serving(t, root)
	b := open(t, d, "/runs?c=name&c=status")
	b.lists(allRuns)
	// asked are the columns that were asked for since the last time.
	asked := func() string {
		return b.value(`(() => { const list = performance.getEntriesByType("resource").filter((one) => one.name.includes("/api/v1/table")).flatMap((one) => new URL(one.name).searchParams.getAll("c")); performance.clearResourceTimings(); return [...new Set(list)].sort().join(" "); })()`)
	}
	if got, want := asked(), "archived damaged findings note progress started status tags title verdict"; got != want {
		t.Errorf("at first it asks for %s, want %s", got, want)
	}
	b.click("Columns")
	b.wait(`document.querySelector(".chooser input[type=search]")`)
	b.keys("lr")
	b.value(`[...document.querySelectorAll(".chooser label")].find(e => e.innerText.trim() === "lr").querySelector("input").click()`)
	b.wait(`[...document.querySelectorAll("tbody tr")].map(tr => tr.children[2].innerText).join(" ") === "0.08 0.07 0.06 0.05 0.04 0.03 0.02 0.01"`)
	b.keys(kb.Escape)
	if got := asked(); got != "param.lr" {
		t.Errorf("a column more asks for %s", got)
	}
	b.click("lr")
	b.wait(`location.search.includes("sort=param.lr")`)
	b.lists("resnet-0 vit-1 resnet-2 vit-3 resnet-4 vit-5 resnet-6 vit-7")
	if got := asked(); got != "" {
		t.Errorf("order by what is there asks for %s", got)
	}
	b.value(`(() => { const group = document.querySelector("[aria-label='Group by']"); group.value = "param.model"; group.dispatchEvent(new Event("change", {bubbles: true})); return 1; })()`)
	b.wait(`[...document.querySelectorAll("tr.group .said")].map(e => e.textContent).join(" ") === "resnet vit"`)
	b.lists("resnet-0 resnet-2 resnet-4 resnet-6 vit-1 vit-3 vit-5 vit-7")
	if got := asked(); got != "loss param.model" {
		t.Errorf("groups ask for %s", got)
	}
	b.search("loss.max>=7 or gpus>3")
	b.lists("resnet-6 vit-7")
	b.search("framework:none or finding:dead_relu")
	b.lists("resnet-0 vit-1")
	if got := asked(); got != "found framework machine max.loss" {
		t.Errorf("the search asks for %s", got)
	}

	// Only the newest rows bring their lines along.
	b.visit("/runs")
	b.lists(allRuns)
	b.wait(`document.querySelectorAll(".runs-losses svg path").length === 8`)
	b.visit("/runs?c=name&c=last.loss&c=losses")
	b.wait(`document.querySelectorAll(".runs-losses svg path").length === 8`)
	w, err := store.Resume(vfs.OS, filepath.Join(root, "vit-7"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Append("worker_0", "session", 31, &record.Step{Worker: "worker_0", Step: 30, Mode: record.Train, ModeStep: 30, Time: time.Now(), Scalars: []record.Scalar{{Name: "loss", Value: 41.5}, {Name: "new", Value: 1}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.UpdateRun(func(r *record.Run) { r.Steps["TRAIN"] = 31 }); err != nil {
		t.Fatal(err)
	}
	b.wait(`document.querySelector("tbody tr td.n").innerText === "41.5"`)
	b.wait(`document.querySelector("tbody tr .runs-last").innerText === "41.5" && document.querySelector("tbody tr .runs-losses svg").ariaLabel.includes("to 41.5")`)
	b.search("new<2") // also a name that came meanwhile
	b.lists("vit-7")
}

// Of many columns those out of sight have no cells; a row says which columns its cells
// are of, and the page holds nothing against readers that go by that.
func TestListOfManyColumns(t *testing.T) {
	root := t.TempDir()
	listedRuns(t, root)
	address := "/runs?c=name"
	for i := range 50 {
		address += fmt.Sprintf("&c=param.none%d", i)
	}
	b := open(t, serving(t, root), address+"&c=param.lr")
	b.lists(allRuns)
	b.wait(`document.querySelector("[role=grid]").ariaColCount === "53" && document.querySelectorAll("thead th").length === 53`)
	b.wait(`document.querySelectorAll("tbody tr:first-child td:not(.gap)").length < 25`)
	b.accessible(axe(t))
	b.value(`document.querySelector(".table").scrollLeft = 1e6`)
	last := `document.querySelector("tbody tr:first-child").lastElementChild`
	b.wait(last + `.ariaColIndex === "53" && ` + last + `.innerText === "0.08"`)
	b.wait(`document.querySelector("tbody tr:first-child td.stays").innerText.trim() === "vit-7" && document.querySelector("tbody tr:first-child td.stays").ariaColIndex === "2"`)
	b.accessible(axe(t))
	// Keys in the head come to every column; those of the rows go on.
	b.value(`document.querySelector("[aria-colindex='3'] button.head").focus()`)
	b.wait(`document.querySelector("tbody tr:first-child td[aria-colindex='3']")`)
	b.table()
	b.keys(kb.ArrowDown + kb.ArrowDown)
	b.wait(`document.getElementById(document.querySelector(".table").getAttribute("aria-activedescendant")).querySelector(".runs-name a").textContent === "resnet-6"`)
}
