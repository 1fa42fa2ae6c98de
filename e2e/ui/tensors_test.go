package ui

import (
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/testenv/tensors"
)

// tensorsRun is a dashboard over the run of package tensors.
func tensorsRun(t *testing.T) *dashboard {
	t.Helper()
	root := t.TempDir()
	tensors.Write(t, root, "run")
	return serving(t, root)
}

// tokens are colours of the light theme, by their names.
func tokens(t *testing.T) func(name string) [3]float64 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testenv.Root(), "web", "app", "style", "tokens.css"))
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) (c [3]float64) {
		m := regexp.MustCompile(regexp.QuoteMeta(name) + `:\s*(?:light-dark\()?#([0-9a-f]{6})`).FindSubmatch(b)
		if m == nil {
			t.Fatalf("there is no colour %s", name)
		}
		n, _ := strconv.ParseUint(string(m[1]), 16, 32)
		return [3]float64{float64(n >> 16), float64(n >> 8 & 255), float64(n & 255)}
	}
}

// Each cell of the heat map has the colour of its value, as the API has it.
func TestHeatMapByPixel(t *testing.T) {
	d := tensorsRun(t)
	token := tokens(t)
	var heat struct {
		Log  bool
		Rows []struct {
			Values []any
			Odd    []int
		}
	}
	d.get(t, "/runs/run/heat?stat=abs_max&collection=gradients&columns=600", &heat)
	if len(heat.Rows) != 1 || len(heat.Rows[0].Values) != tensors.Steps || !heat.Log || len(heat.Rows[0].Odd) == 0 {
		t.Fatalf("%+v", heat)
	}
	values, odd := heat.Rows[0].Values, map[int]bool{}
	for _, c := range heat.Rows[0].Odd {
		odd[c] = true
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if x, ok := v.(float64); ok && x > 0 {
			low, high = min(low, x), max(high, x)
		}
	}
	colour := func(c int) [3]float64 {
		x, finite := values[c].(float64)
		if odd[c] || !finite {
			return token("--odd")
		}
		at := math.Round(255*(math.Log10(x)-math.Log10(low))/(math.Log10(high)-math.Log10(low))) / 255 * 7
		k := min(6, int(at))
		a, b := token(fmt.Sprintf("--ramp-%d", k)), token(fmt.Sprintf("--ramp-%d", k+1))
		for i := range a {
			a[i] += (b[i] - a[i]) * (at - float64(k))
		}
		return a
	}
	b := open(t, d, "/runs/run/tensors?collection=gradients&stat=abs_max")
	b.wait(`document.querySelector(".heat-cells canvas")?.width > 100`)
	// The names of the rows take a third, at most 220 pixels; the cells begin 2 pixels below the top.
	pixels := strings.Split(b.value(fmt.Sprintf(`(() => { const c = document.querySelector(".heat-cells canvas"), r = c.width / c.clientWidth, left = Math.round(Math.min(c.clientWidth * 0.32, 220));
		const line = c.getContext("2d").getImageData(0, Math.round(10 * r), c.width, 1).data, at = (i) => 4 * Math.floor((left + (i + 0.5) / %[1]d * (c.clientWidth - left - 8)) * r);
		return Array.from({length: %[1]d}, (_, i) => [...line.slice(at(i), at(i) + 3)].join(" ")).join("|") })()`, tensors.Steps)), "|")
	for c, got := range pixels {
		var r, g, bl float64
		if _, err := fmt.Sscan(got, &r, &g, &bl); err != nil {
			t.Fatalf("column %d: %q", c, got)
		}
		want := colour(c)
		if math.Abs(r-want[0]) > 2 || math.Abs(g-want[1]) > 2 || math.Abs(bl-want[2]) > 2 {
			t.Errorf("column %d, value %v: colour %s, want %.0f", c, values[c], got, want)
		}
	}
}

// From a cell of the heat map to the tensor at its step, and what stands there is
// what the API says; by the keyboard alone.
func TestTensorAtAStep(t *testing.T) {
	d := tensorsRun(t)
	b := open(t, d, "/runs/run/tensors?collection=gradients&stat=abs_max")
	b.wait(`document.querySelector(".heat-cells canvas")?.width > 100`)
	b.value(`document.querySelector(".heat .chart-body").focus()`)
	for _, key := range []string{kb.Home, kb.Home, kb.ArrowRight, kb.ArrowRight} { // the first one brings the cursor
		b.keys(key)
	}
	b.shows("step 2")
	b.keys(kb.Enter)
	b.wait(`location.search.includes("tensor=gradient") && location.search.includes("step=2")`)
	b.wait(`document.querySelector("#tensor-title")?.innerText === "gradient/conv1.weight"`)
	for _, step := range []int{2, 12, 50} {
		b.visit(fmt.Sprintf("/runs/run/tensors?tensor=gradient%%2Fconv1.weight&step=%d", step))
		b.shows(fmt.Sprintf("At step %d", step))
		var api struct{ Stats map[string]any }
		d.get(t, fmt.Sprintf("/runs/run/stats?tensor=gradient%%2Fconv1.weight&step=%d", step), &api)
		for shown, key := range map[string]string{"mean": "mean", "standard deviation": "std", "minimum": "min", "largest magnitude": "abs_max", "L2 norm": "l2", "elements": "count", "NaN": "nan", "infinite": "inf"} {
			text := strings.TrimSpace(b.value(`[...document.querySelectorAll(".tensors-numbers > div")].find(e => e.querySelector("dt").innerText === ` + quote(shown) + `).querySelector("dd").innerText`))
			number, err := strconv.ParseFloat(strings.NewReplacer("\u2212", "-", ",", "").Replace(text), 64)
			want, finite := api.Stats[key].(float64)
			if !finite && text != api.Stats[key] || finite && (err != nil || math.Abs(number-want) > 1e-5*math.Abs(want)) {
				t.Errorf("step %d: %s is %q on the page, %v by the API", step, shown, text, api.Stats[key])
			}
		}
	}
	b.shows("not finite")
	b.keys("u")
	b.wait(`!location.search.includes("tensor=")`)
	b.value(`history.back()`)
	b.wait(`location.search.includes("tensor=")`)
}

// The values of a matrix: the cursor reads them, nearer ones are read when they are
// looked at, and the address holds what is seen.
func TestValuesOfAMatrix(t *testing.T) {
	d := tensorsRun(t)
	b := open(t, d, "/runs/run/tensors?tensor=fc.weight&step=20&rows=100:140&columns=600:680")
	b.wait(`document.querySelector(".matrix-canvas")?.width > 100`)
	b.value(`document.querySelector(".matrix-body").focus()`)
	b.keys(kb.ArrowRight)
	b.shows("[120, 640]")
	var raw struct{ Values []float64 }
	d.get(t, "/runs/run/raw?tensor=fc.weight&step=20&rows=120:121&columns=640:641", &raw)
	b.wait(`document.querySelector(".matrix-now strong")`)
	text := strings.ReplaceAll(b.text(".matrix-now strong"), "\u2212", "-")
	if number, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(number-raw.Values[0]) > 1e-5*math.Abs(raw.Values[0]) {
		t.Errorf("the cell reads %q, the API %v", text, raw.Values[0])
	}
	b.keys("+")
	b.wait(`location.search.includes("rows=1") && !location.search.includes("rows=100")`)
	b.keys("t")
	b.wait(`document.querySelector(".matrix [role=grid], .matrix table, .matrix [role=table]")`)
	b.keys("t")
	b.keys("0")
	b.wait(`!location.search.includes("rows=")`)
	b.shows("every 2. row and every 2. column is read")
}

// Strings are text, whatever is in them, and so is a name.
func TestStringsOfATensor(t *testing.T) {
	d := tensorsRun(t)
	b := open(t, d, "/runs/run/tensors?tensor=words")
	b.shows("<script>")
	b.shows("quick\u21b5")
	b.shows(`\u202efox`)
	b.visit("/runs/run/tensors?tensor=" + url.QueryEscape(tensors.Odd))
	b.wait(`document.querySelector("#tensor-title")?.textContent === ` + quote(tensors.Odd))
	b.visit("/runs/run/tensors?tensor=nosuch")
	b.shows("This run has no tensor nosuch.")
	b.visit("/runs/run/tensors?tensor=fc.bias&mode=EVAL&worker=worker_1")
	b.shows("worker_1")
}

// Whatever the page shows, axe-core finds nothing serious in it.
func TestTensorsAreAccessible(t *testing.T) {
	source := axe(t)
	d := tensorsRun(t)
	for i, path := range []string{"?collection=gradients", "?tree=collections&q=fc", "?tensor=fc.weight&step=20", "?tensor=gradient%2Fconv1.weight&spread=film&step=50", "?tensor=fc.bias&step=20", "?tensor=words", "?tensor=conv1.weight&step=20&matrix=last&at=1,2"} {
		b := open(t, d, "/runs/run/tensors"+path)
		b.picture(fmt.Sprintf("tensors-%d", i+1))
		b.accessible(source)
		b.theme("dark") // colours change in a moment, so the page is drawn anew
		b.size(390, 844)
		b.visit("/runs/run/tensors" + path)
		b.picture(fmt.Sprintf("tensors-%d-narrow", i+1))
		b.accessible(source)
		if wide := b.value(`document.documentElement.scrollWidth`); wide != "390" {
			t.Errorf("%s: the page is %s pixels wide on a screen of 390", path, wide)
		}
	}
}
