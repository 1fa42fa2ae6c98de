package ui

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

// write fills a field as a person does.
func (b *tab) write(selector, text string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)), chromedp.SendKeys(chromedp.CSS(selector), text))
}

// A folder without runs, or none at all, says what brings the first; a run that
// comes is shown without a word.
func TestNoRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	d := serving(t, dir)
	b := open(t, d, "/runs")
	b.shows("vigil run")
	b.picture("no-runs")
	if err := os.CopyFS(filepath.Join(dir, healthy), os.DirFS(filepath.Join(root, healthy))); err != nil {
		t.Fatal(err)
	}
	b.shows(healthy)
}

// The pages of a run are reached by their keys, back goes back, and a reload shows
// the same.
func TestByKeyboard(t *testing.T) {
	b := open(t, shared, "/runs/"+faulty+"/overview")
	for _, p := range []struct{ key, page string }{{"c", "curves"}, {"t", "tensors"}, {"f", "findings"}, {"m", "machine"}, {"l", "controls"}} {
		b.keys("g")
		b.keys(p.key)
		b.wait(`location.pathname.endsWith("/` + p.page + `")`)
		b.settled()
	}
	b.do(chromedp.NavigateBack())
	b.wait(`location.pathname.endsWith("/machine")`)
	b.settled()
	b.keys("?")
	b.wait(`document.querySelector("dialog[open]")`)
	b.shows("Keys")
}

// A page that has been loaded says so when the server is gone, and goes on when it
// is back.
func TestNetworkOff(t *testing.T) {
	b := open(t, shared, "/runs/"+healthy+"/overview")
	b.forgive("Failed to load resource")
	b.forgive("net::ERR")
	conditions := func(offline bool) {
		t.Helper()
		rule := &network.Conditions{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}
		if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{rule}}); err != nil {
			t.Fatal(err)
		}
	}
	conditions(true)
	b.keys("g")
	b.keys("f")
	b.shows("does not answer")
	conditions(false)
	b.click("Try again")
	b.settled()
}

// What the API says of a series is what `vigil values` prints, and the last loss of
// the list is the API's.
func TestValuesAreTheSameEverywhere(t *testing.T) {
	for _, tt := range []struct{ run, series string }{{healthy, "loss"}, {faulty, "loss"}, {ranks, "loss"}, {healthy, "learning_rate"}, {healthy, "gradient_norm"}, {healthy, "update_size"}} {
		run := tt.run
		cmd := exec.Command(binary, "values", filepath.Join(root, run), tt.series, "--format", "json")
		cmd.Env = environment()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("values of %s: %v", run, err)
		}
		var printed struct {
			Steps  []int64
			Values []any
		}
		if err := json.Unmarshal(out, &printed); err != nil {
			t.Fatal(err)
		}
		var told struct {
			Series []struct {
				Raw  bool
				X    []float64
				Mean []any
			}
		}
		shared.get(t, "/runs/"+run+"/series?columns=4096&s="+tt.series+"%7C%7CTRAIN%7C", &told)
		if len(told.Series) != 1 || !told.Series[0].Raw || len(told.Series[0].X) != len(printed.Steps) {
			t.Fatalf("%s: the API has %d series of %+v, values prints %d points", run, len(told.Series), told, len(printed.Steps))
		}
		for i, step := range printed.Steps {
			if told.Series[0].X[i] != float64(step) || fmt.Sprint(told.Series[0].Mean[i]) != fmt.Sprint(printed.Values[i]) {
				t.Fatalf("%s: point %d is %v %v by the API, %v %v by values", run, i, told.Series[0].X[i], told.Series[0].Mean[i], step, printed.Values[i])
			}
		}
		if tt.series != "loss" {
			continue
		}
		var list struct {
			Runs []struct {
				Name   string
				Losses []struct {
					Mode string
					Last float64
				}
			}
		}
		shared.get(t, "/runs", &list)
		last, _ := printed.Values[len(printed.Values)-1].(float64)
		compared := 0
		for _, r := range list.Runs {
			for _, l := range r.Losses {
				if r.Name != run || l.Mode != "TRAIN" {
					continue
				}
				if compared++; math.Abs(l.Last-last) > 1e-12*math.Abs(last) {
					t.Errorf("%s: the list's last loss is %v, values prints %v", run, l.Last, last)
				}
			}
		}
		if compared != 1 {
			t.Errorf("%s: the list has %d last losses of its training", run, compared)
		}
	}
}

// Without the token nothing is shown, and the page says what to do.
func TestWithoutTheToken(t *testing.T) {
	r, err := http.Get(shared.base + "/api/v1/runs")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %s", r.Status)
	}
}
