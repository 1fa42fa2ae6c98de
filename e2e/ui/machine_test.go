package ui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/testenv/timed"
)

// made is a dashboard over made runs: ten minutes of a machine with 16 cores and 8
// GPUs, and of two ranks; the metrics of the GPUs are made, no GPU was there. "going"
// claims to run on another machine, and has two windows of detail.
func made(t *testing.T) *dashboard {
	t.Helper()
	return over(t, "made", makeMachines)
}

func makeMachines(t *testing.T, root string) {
	t.Helper()
	o := timed.Options{Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Seconds: 600, Ranks: 2, Cores: 16, GPUs: 8}
	timed.Write(t, root, "machine", o)
	timed.Write(t, root, "nothing", timed.Options{Started: o.Started, Empty: true, Ended: true})
	o.Seconds, o.Running = 60, true
	w := timed.Write(t, root, "going", o)
	for n, load := range []int64{1e9, 5e9} {
		seen, _, err := stacks.Sent(fmt.Appendf(nil, `{"number":%d,"session":"s","pid":41,"began_ns":%d,"seconds":4.5,"first_step":120,"end_step":141,
"processes":[{"pid":41,"kind":"rank","samples":300,"ns":4500000000,"interval_ns":10000000,"frames":[["/home/u/train.py",31,"main"],["/home/u/fit.py",7,"fit"],["/home/u/<b>data.py",9,"load"]],
"stacks":[["MainThread",[1,0],3000000000,150,0],["MainThread",[2,0],%d,150,0]]}]}`, n+1, o.Started.Add(10*time.Second).UnixNano(), load))
		if err != nil {
			t.Fatal(err)
		}
		seen.Worker, seen.Why = "worker_0", "vigil profile"
		b, err := seen.Encode()
		if err == nil {
			err = w.Profile("worker_0", n+1, b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// number is a number of the address's query; 0 where there is none.
func (b *tab) number(key string) float64 {
	b.Helper()
	v, _ := strconv.ParseFloat(b.value(`new URLSearchParams(location.search).get(`+quote(key)+`) ?? 0`), 64)
	return v
}

// drag drags over an element, between two parts of its width.
func (b *tab) drag(element string, from, to float64) {
	b.Helper()
	b.value(element + `.scrollIntoView({block: "center"})`)
	var left, top, width, height float64
	text := b.value(`(r => [r.left, r.top, r.width, r.height].join(" "))(` + element + `.getBoundingClientRect())`)
	if _, err := fmt.Sscan(text, &left, &top, &width, &height); err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.DragAndDropXY(left+from*width, top+height/3, left+to*width, top+height/3))
}

// All charts of the machine share one time frame, which the address holds: buttons,
// keys, and dragging in a chart or on the axis change it.
func TestMachineFrame(t *testing.T) {
	b := open(t, made(t), "/runs/machine/machine")
	b.shows("3 kB/s") // of the table: received and sent
	b.wait(`document.querySelectorAll(".machine-charts .u-over").length >= 2`)
	const began, lasts = 1795255200.0, 659.0
	b.drag(`document.querySelector(".machine-charts .u-over")`, 0.25, 0.75)
	b.wait(`location.search.includes("from=")`)
	near := func(key string, want float64) {
		t.Helper()
		if got := b.number(key); got < want-20 || got > want+20 {
			t.Errorf("%s is %f, want about %f", key, got, want)
		}
	}
	near("from", began+lasts/4)
	near("to", began+lasts*3/4)
	b.shows("Phase: training")
	b.click("Zoom in")
	b.wait(`+new URLSearchParams(location.search).get("from") > ` + fmt.Sprint(began+lasts/4+40))
	near("from", began+lasts*3/8)
	b.click("Pan right")
	b.wait(`+new URLSearchParams(location.search).get("from") > ` + fmt.Sprint(began+lasts*3/8+21))
	b.keys("-")
	b.wait(`(q => q.get("to") - q.get("from") > 300)(new URLSearchParams(location.search))`)
	b.drag(`document.querySelector(".strip canvas")`, 0.4, 0.6)
	b.wait(`(q => q.get("to") - q.get("from") < 100)(new URLSearchParams(location.search))`)
	there := b.value(`location.href`)
	b.do(chromedp.Reload())
	b.settled()
	if now := b.value(`location.href`); now != there {
		t.Errorf("after a reload the address is %s, not %s", now, there)
	}
	b.value(`document.querySelector(".machine-bar input[type=checkbox]").click()`)
	b.wait(`!location.search.includes("from=")`)
}

// Cores are chosen in the menu of their chart, other metrics get a chart of their own.
func TestMachineLabels(t *testing.T) {
	b := open(t, made(t), "/runs/machine/machine")
	b.click("Cores: mean")
	b.click("core 3")
	b.click("core 11")
	b.wait(`[...document.querySelectorAll(".machine-charts .legend")].some(e => e.innerText.includes("core 11"))`)
	b.wait(`new URLSearchParams(location.search).get("cpu") === "mean,wait,3,11"`)
	b.visit("/runs/machine/machine?more=gpu/0/power_w")
	b.shows("gpu/0/power_w")
}

// In the heat map little is bright and much is dark.
func TestMachineHeat(t *testing.T) {
	b := open(t, made(t), "/runs/machine/machine")
	b.forgive("willReadFrequently") // of what is read below
	b.value(`document.querySelector(".heat canvas, .heat-cells, figure.heat").scrollIntoView({block: "center"})`)
	b.wait(`document.querySelector(".heat-cells canvas")?.width > 300`)
	b.still(".heat-cells canvas")
	// All cores are busy in the first ten seconds, and again from five minutes on.
	light := `(seconds => {
		const canvas = document.querySelector(".heat-cells canvas"), ratio = devicePixelRatio;
		const x = (64 + (canvas.width / ratio - 64 - 17) * seconds / 659) * ratio, y = (2 + 14 * 5.5) * ratio;
		const [r, g, b] = canvas.getContext("2d").getImageData(Math.round(x), Math.round(y), 1, 1).data;
		return 0.3 * r + 0.6 * g + 0.1 * b;
	})`
	busy, again, idle := b.value(light+`(5)`), b.value(light+`(305)`), b.value(light+`(200)`)
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if number(busy) > 60 || number(again) > 60 || number(idle) < number(busy)+40 {
		t.Errorf("lightness %s and %s where all cores are busy, %s where they are not", busy, again, idle)
	}
	for _, words := range []string{"0 %", "100 %"} { // of the colour bar
		if !strings.Contains(b.text("figure.heat"), words) {
			t.Errorf("no %q at the colour bar", words)
		}
	}
}

// Of a run of which nothing was sampled each panel names what brings it.
func TestNothingOfMachineAndTime(t *testing.T) {
	b := open(t, made(t), "/runs/nothing/machine")
	b.shows("vigil run --monitor 500 -- python train.py")
	b.visit("/runs/nothing/time")
	b.shows("vigil run -- python train.py")
	b.shows("vigil run --profile stacks:steps=50-80 -- python train.py")
	b.shows("vigil profile nothing --seconds 5")
}

// The lengths of steps, the ranks and the windows of detail; what the address holds is
// what is shown.
func TestTime(t *testing.T) {
	b := open(t, made(t), "/runs/going/time")
	for _, text := range []string{"data 6", "Both ranks take the same time for their own work", "6 steps took 3 times the median or longer", "batch 64"} {
		b.shows(text)
	}
	b.click("by line")
	b.wait(`location.search.includes("by=line")`)
	b.visit("/runs/going/time?window=2&minus=1&q=load")
	b.shows("found: 63 %")
	b.shows("Lines whose share changed most")
	b.shows("u/<b>data.py:9") // as text
	b.wait(`[...document.querySelectorAll(".code-lines tr")].some(e => e.innerText.includes("+38 %"))`)
	// It runs elsewhere: what asks its agent says so.
	b.wait(`[...document.querySelectorAll("button")].find(e => e.innerText.includes("Sample the next 5 seconds"))?.ariaDisabled === "true"`)
}
