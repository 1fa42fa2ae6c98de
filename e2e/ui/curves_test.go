package ui

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// chartOf is the card of a chart.
func chartOf(title string) string {
	return `[...document.querySelectorAll(".cv-card")].find(c => c.querySelector(".chart-title")?.innerText === ` + quote(title) + `)`
}

// number reads a value as the page writes it.
func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.NewReplacer("\u2212", "-", ",", "").Replace(text), 64)
	if err != nil {
		t.Fatalf("%q is no number", text)
	}
	return v
}

// seriesOf is what the API says of a series.
type seriesOf struct {
	Name   string
	Points int
	X      []float64
	Mean   []float64
	Raw    bool
}

func (d *dashboard) series(t *testing.T, run, s, query string) seriesOf {
	t.Helper()
	var answer struct{ Series []seriesOf }
	d.get(t, "/runs/"+run+"/series?axis=update&s="+url.QueryEscape(s)+query, &answer)
	if len(answer.Series) != 1 || len(answer.Series[0].Mean) == 0 {
		t.Fatalf("series %s of %s: %+v", s, run, answer)
	}
	return answer.Series[0]
}

// A chart shows the values that the API gives, and says how many points it draws;
// zoomed, those of the part that is seen.
func TestCurvesShowWhatIsStored(t *testing.T) {
	b := open(t, shared, "/runs/"+healthy+"/curves")
	all := shared.series(t, healthy, "loss||TRAIN|", "")
	card := chartOf("loss")
	b.wait(card + `?.querySelector(".chart-drawn")`)
	if got, want := number(t, b.value(card+`.querySelector(".chart-now, .legend-entry output").innerText`)), all.Mean[len(all.Mean)-1]; math.Abs(got-want) > math.Abs(want)*1e-3 {
		t.Errorf("the last loss is %v on the page and %v in the API", got, want)
	}
	b.wait(card + fmt.Sprintf(`.querySelector(".chart-drawn").innerText.startsWith("%d points")`, all.Points))

	from, to := all.X[len(all.X)/4], all.X[len(all.X)/2]
	b.visit(fmt.Sprintf("/runs/%s/curves?from=%v&to=%v", healthy, from, to))
	b.wait(card + `?.querySelector(".chart-drawn")`)
	shown := number(t, strings.Fields(b.value(card + `.querySelector(".chart-drawn").innerText`))[0])
	if inside := float64(len(all.X)/2 - len(all.X)/4 + 1); shown < inside || shown > inside+6 {
		t.Errorf("zoomed to %v points the chart draws %v", inside, shown)
	}
	b.click("Show all")
	b.wait(card + fmt.Sprintf(`.querySelector(".chart-drawn").innerText.startsWith("%d points")`, all.Points))
	b.wait(`!location.search.includes("from")`)
}

// Charts are searched, and made of expressions and patterns; what is wrong with one
// is said in its place. All of it is in the address.
func TestCurvesOfOnesOwn(t *testing.T) {
	b := open(t, shared, "/runs/"+healthy+"/curves")
	loss := shared.series(t, healthy, "loss||TRAIN|", "")
	b.wait(chartOf("loss"))
	count := b.value(`document.querySelectorAll(".cv-card").length`)
	b.write(".cv-search input", "loss")
	b.wait(`document.querySelectorAll(".cv-card").length < ` + count)
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	for _, own := range []string{"2 * loss", "loss / nothing"} {
		b.keys("e")
		b.wait(`document.querySelector("dialog[open] input.mono")`)
		b.write("dialog[open] input.mono", own)
		if own == "loss / nothing" {
			b.shows("There is no series \u201cnothing\u201d.")
			b.wait(`document.querySelector("dialog[open] mark").innerText === "nothing"`)
			b.wait(`document.querySelector("dialog[open] button[type=submit]").disabled`)
			b.keys("\x1b")
			break
		}
		b.click("Add")
	}
	card := chartOf("2 * loss")
	b.wait(card + `?.querySelector(".chart-now")`)
	if got, want := number(t, b.value(card+`.querySelector(".chart-now").innerText`)), 2*loss.Mean[len(loss.Mean)-1]; math.Abs(got-want) > math.Abs(want)*1e-3 {
		t.Errorf("2 * loss ends at %v, want %v", got, want)
	}
	b.wait(`location.search.includes("own=") && location.search.includes("q=loss")`)
	b.do(chromedp.Reload())
	b.settled()
	b.wait(card)
	b.visit("/runs/" + healthy + "/curves?own=" + url.QueryEscape("m:*weight*") + "&own=" + url.QueryEscape("e:loss +"))
	b.wait(chartOf("*weight*") + `?.querySelector(".legend-entry")`)
	b.wait(chartOf("loss +") + `.querySelector("[role=alert]").innerText.includes("missing at the end")`)
}

// What is marked on the charts of a page is explained once, at its top.
func TestKeyOfTheCurves(t *testing.T) {
	b := open(t, shared, "/runs/"+faulty+"/curves")
	b.wait(`document.querySelectorAll(".chart-key").length === 1 && document.querySelector(".chart-key").innerText.includes("finding")`)
}

// A chart that is pinned is at the top, also for the next who opens the page.
func TestCurvesArePinned(t *testing.T) {
	b := open(t, shared, "/runs/"+slow+"/curves")
	pinned := func() []string {
		var answer struct{ Pinned map[string][]string }
		shared.get(t, "/ui", &answer)
		return answer.Pinned[slow]
	}
	b.wait(chartOf("loss") + `?.querySelector(".chart-now")`)
	b.click("Chart loss")
	b.click("Pinned")
	b.wait(`document.querySelector(".cv-group h2").innerText.startsWith("Pinned")`)
	b.visit("/runs/" + slow + "/curves")
	b.wait(`document.querySelector(".cv-group h2")?.innerText.startsWith("Pinned")`)
	if n := b.value(`String([...document.querySelectorAll(".cv-card .chart-title")].filter(t => t.innerText === "loss").length)`); n != "1" {
		t.Errorf("the pinned chart is there %s times", n)
	}
	if got := pinned(); len(got) != 1 || got[0] != "s:loss|" {
		t.Errorf("pinned are %q", got)
	}
	b.wait(chartOf("loss") + `?.querySelector(".chart-now")`)
	b.click("Chart loss")
	b.wait(`document.querySelector(".menu-item[aria-checked=true]")`)
	b.value(`document.querySelector(".menu-item[aria-checked=true]").click()`)
	b.wait(`!document.querySelector(".cv-group h2").innerText.startsWith("Pinned")`)
}

// Several runs lie over each other: one is picked by its key, hidden and grouped.
func TestCurvesOfSeveralRuns(t *testing.T) {
	b := open(t, shared, "/curves?runs="+healthy+","+slow)
	card := chartOf("loss")
	b.wait(card + `?.querySelector(".chart-drawn")`)
	points := shared.series(t, healthy, "loss||TRAIN|", "").Points + shared.series(t, slow, "loss||TRAIN|", "").Points
	b.wait(card + fmt.Sprintf(`.querySelector(".chart-drawn").innerText.replace(",", "").startsWith("%d points")`, points))
	b.keys("n")
	b.wait(`document.querySelector(".cv-runs .picked .cv-run").innerText.includes(` + quote(healthy) + `)`)
	b.keys("n")
	b.wait(`document.querySelector(".cv-runs .picked .cv-run").innerText.includes(` + quote(slow) + `)`)
	b.wait(`location.search.includes("pick=` + slow + `")`)
	b.value(`document.querySelector('.cv-runs input[aria-label="Show ` + slow + `"]').click()`)
	b.wait(`document.querySelector(".cv-runs .off")`)
	b.visit("/curves?group=all&runs=" + healthy + "," + slow + "&hidden=" + slow + "&chart=" + url.QueryEscape("loss|"))
	b.wait(`[...document.querySelectorAll(".legend-entry")].some(e => e.innerText.includes("mean of 2"))`)
	b.accessible(axe(t))
}
