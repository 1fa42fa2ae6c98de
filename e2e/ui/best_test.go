package ui

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

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
	// The word that has no name, the option, and the seed; what diverged has a sign.
	for _, head := range []string{"argument 1", "lr", "seed"} {
		b.wait(`[...document.querySelectorAll(".best-page .table thead th")].some(th => th.innerText.trim() === ` + quote(head) + `)`)
	}
	b.wait(`document.querySelectorAll(".best-point.doubtful, .best-line.doubtful").length > 0`)
	b.wait(`document.querySelectorAll(".best-point.best").length === 1 && document.querySelectorAll(".best-line.best").length === 1`)

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
}
