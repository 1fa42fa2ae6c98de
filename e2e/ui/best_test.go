package ui

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// sweep records twelve runs of one script with different options; what each printed is its own
// least validation loss.
func sweep(t *testing.T, root string) map[string]float64 {
	t.Helper()
	printed := map[string]float64{}
	dir := t.TempDir()
	for i, lr := range []string{"0.0003", "0.001", "0.003", "0.01", "0.1", "3"} {
		for _, way := range []string{"plain", "momentum"} {
			name := fmt.Sprintf("%s-%s", way, lr)
			command := []string{testenv.Python(t), filepath.Join(testenv.Root(), "e2e", "ui", "testdata", "sweep.py"), way, "--lr", lr, "--seed", strconv.Itoa(i % 3)}
			if way == "momentum" {
				command = append(command, "--speed", "0.9")
			}
			if err := recordRun(dir, root, name, command); err != nil {
				t.Fatal(err)
			}
			out, err := os.ReadFile(filepath.Join(root, name, "logs", "output.log"))
			if err != nil {
				t.Fatal(err)
			}
			if printed[name], err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return printed
}

// spearman is the rank correlation from its definition: a rank counts what is less, and half of what is equal.
func spearman(x, y []float64) float64 {
	rank := func(of []float64, v float64) (r float64) {
		for _, other := range of {
			if other < v {
				r++
			} else if other == v {
				r += 0.5
			}
		}
		return r
	}
	n, sx, sy, sxy, sxx, syy := float64(len(x)), 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range x {
		p, q := rank(x, x[i]), rank(y, y[i])
		sx, sy, sxy, sxx, syy = sx+p, sy+q, sxy+p*q, sxx+p*p, syy+q*q
	}
	return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

// brush moves the mouse along an axis of the parallel coordinates, from one share of its height to another.
func (b *tab) brush(axis string, from, to float64) {
	b.Helper()
	element := `document.querySelector('.best-reach[data-axis="` + axis + `"]')`
	b.wait(element)
	b.value(element + `.scrollIntoView({block: "center"})`)
	var x, top, height float64
	if _, err := fmt.Sscan(b.value(`(r => [r.left + r.width / 2, r.top + 4, r.height - 8].join(" "))(`+element+`.getBoundingClientRect())`), &x, &top, &height); err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.DragAndDropXY(x, top+(1-from)*height, x, top+(1-to)*height))
}

// The best of twelve runs is the one whose script printed the least validation loss and in which
// nothing is wrong; the table, the chart and the axes show the script's own values.
func TestBestRun(t *testing.T) {
	root := t.TempDir()
	printed := sweep(t, root)
	var finite []string
	for name, loss := range printed {
		if !math.IsInf(loss, 0) && !strings.HasSuffix(name, "-3") {
			finite = append(finite, name)
		}
	}
	slices.SortFunc(finite, func(a, b string) int { return map[bool]int{true: -1, false: 1}[printed[a] < printed[b]] })
	best := finite[0]

	b := open(t, serving(t, root), "/runs")
	b.click("Which is best?")
	b.shows(best + " is best: its least val_loss is ")
	b.shows("What goes with val_loss")
	rows := func(want []string) {
		t.Helper()
		b.wait(`[...document.querySelectorAll("tbody tr")].map(tr => tr.querySelector("a.said")?.textContent).filter(Boolean).slice(0, ` + strconv.Itoa(len(want)) + `).join(" ") === ` + quote(strings.Join(want, " ")))
	}
	b.wait(`document.querySelectorAll(".best-page .table tbody tr a.said").length === 12`)
	rows(finite[:4])
	for _, name := range finite {
		shown := b.value(`[...document.querySelectorAll(".best-page .table tbody tr")].find(tr => tr.querySelector("a.said")?.textContent === ` + quote(name) + `).innerText`)
		if want := strconv.FormatFloat(printed[name], 'g', 4, 64); !strings.Contains(shown, want) {
			t.Errorf("%s printed %s, and the table has %q", name, want, shown)
		}
	}
	// The rank correlation is that of what the scripts printed with the rates that they were given.
	var rates, losses []float64
	for _, name := range finite {
		rate, err := strconv.ParseFloat(name[strings.Index(name, "-")+1:], 64)
		if err != nil {
			t.Fatal(err)
		}
		rates, losses = append(rates, rate), append(losses, printed[name])
	}
	rho, err := strconv.ParseFloat(strings.ReplaceAll(b.value(`[...document.querySelectorAll(".best-correlations tbody tr")].find(tr => tr.querySelector("th").innerText.trim() === "lr").querySelector("td").innerText.trim()`), "\u2212", "-"), 64)
	if want := spearman(rates, losses); err != nil || math.Abs(rho-want) > 0.0051+0.005*math.Abs(want) {
		t.Errorf("the correlation of lr is shown as %v, %v, and is %v", rho, err, want)
	}
	// By value of the word: the least and the middle of what the scripts printed.
	b.value(`(() => { const s = document.querySelectorAll(".best-tools select")[1]; s.value = "argument 1"; s.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	b.wait(`document.querySelector(".best-values caption").innerText === "val_loss by value of argument 1"`)
	var want []string
	for _, way := range []string{"momentum", "plain"} {
		var losses []float64
		for _, name := range finite {
			if strings.HasPrefix(name, way) {
				losses = append(losses, printed[name])
			}
		}
		want = append(want, fmt.Sprintf("%s %d %s %s", way, len(losses), strconv.FormatFloat(losses[0], 'g', 4, 64), strconv.FormatFloat(losses[len(losses)/2], 'g', 4, 64)))
		if len(losses)%2 == 0 {
			t.Fatalf("%d runs of %s: the test reads the middle one", len(losses), way)
		}
	}
	if got := b.value(`[...document.querySelectorAll(".best-values tbody tr")].map(tr => [...tr.children].map(x => x.innerText.trim()).join(" ")).join(", ")`); got != strings.Join(want, ", ") {
		t.Errorf("by value: %q, want %q", got, strings.Join(want, ", "))
	}
	// The word that has no name, the option, and the seed; what diverged has a sign.
	for _, head := range []string{"argument 1", "lr", "seed"} {
		b.wait(`[...document.querySelectorAll(".best-page .table thead th")].some(th => th.innerText.trim() === ` + quote(head) + `)`)
	}
	b.wait(`document.querySelectorAll(".best-point.doubtful, .best-line.doubtful").length > 0`)
	b.wait(`document.querySelectorAll(".best-point.best").length === 1 && document.querySelectorAll(".best-line.best").length === 1`)

	// A run that was not given an option has a place on its axis, so that its line is whole.
	b.wait(`[...document.querySelectorAll(".best-parallel .best-tick")].some(text => text.textContent === "not given")`)
	if got := b.value(`[...document.querySelectorAll(".best-line:not(.doubtful)")].map(path => path.getAttribute("d").split("M").length - 1).join("")`); strings.Trim(got, "1") != "" || got == "" {
		t.Errorf("the lines have %q parts", got)
	}
	b.value(`(() => { const s = document.querySelectorAll(".best-tools select")[1]; s.value = "speed"; s.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	b.wait(`document.querySelectorAll(".best-point").length === 12 && document.querySelector(".best-scatter").textContent.includes("not given")`)
	// The best run lies over the others.
	if got := b.value(`[...document.querySelectorAll(".best-point")].at(-1).classList.contains("best") + ""`); got != "true" {
		t.Error("another run is drawn over the best one")
	}
	// Where the table is whole, the wheel over it scrolls the page.
	b.value(`document.querySelector(".best-page .table").scrollIntoView({block: "center"})`)
	var x, y, from float64
	if _, err := fmt.Sscan(b.value(`(r => [r.left + 60, r.top + 60, scrollY].join(" "))(document.querySelector(".best-page .table").getBoundingClientRect())`), &x, &y, &from); err != nil || from == 0 {
		t.Fatalf("the page is scrolled by %v: %v", from, err)
	}
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.SynthesizeScrollGesture, input.SynthesizeScrollGestureParams{X: x, Y: y, YDistance: 200, GestureSourceType: input.GestureSourceTypeMouse})
		return err
	}))
	b.wait(fmt.Sprintf(`scrollY < %v`, from))

	// A drag along the axis of words keeps half of the runs; a second one on another axis some of these; a click brings all back.
	b.brush("argument 1", 0.6, 1)
	b.shows("6 of 12 runs")
	b.wait(`[...document.querySelectorAll(".best-page .table tbody tr a.said")].every(a => a.textContent.startsWith("plain-"))`)
	b.brush("lr", 0, 0.3)
	b.wait(`[...document.querySelectorAll(".best-page .table tbody tr a.said")].map(a => a.textContent).sort().join(" ") === "plain-0.0003 plain-0.001 plain-0.003"`)
	b.click("Show all runs")
	b.wait(`document.querySelectorAll(".best-page .table tbody tr a.said").length === 12 && !location.search.includes("b=")`)

	// By another number, and turned round.
	b.value(`(() => { const s = document.querySelector(".best-tools select"); s.value = "loss"; s.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	b.shows("its last loss is")
	b.visit("/best?run=plain-0.01&run=plain-0.1&better=more")
	b.shows("plain-0.01 is best: its greatest val_loss is")

	// On a phone nothing but a table or a chart is wider than the screen.
	b.size(390, 844)
	b.visit("/best")
	b.shows(best + " is best: ")
	b.narrow("/best")
	b.size(1280, 900)

	// In the list the best value is marked in the column that it is sorted by, and no run that diverged has it.
	b.visit("/runs?c=best.val_loss&c=last.val_loss&sort=best.val_loss")
	b.wait(`[...document.querySelectorAll(".runs-best")].length >= 1`)
	if got := b.value(`[...document.querySelectorAll("tbody tr")].find(tr => tr.querySelector(".runs-best")).querySelector(".runs-name a").textContent`); got != best {
		t.Errorf("%s is marked in the list, and %s is best", got, best)
	}
}
