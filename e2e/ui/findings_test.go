package ui

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv/timed"
	"github.com/vigil-ml/vigil/internal/testenv/written"
)

// found is a dashboard over a run in which one thing was found, and one in which
// nothing was.
func found(t *testing.T) *dashboard {
	t.Helper()
	root := t.TempDir()
	written.Write(t, root, "found")
	timed.Write(t, root, "quiet", timed.Options{Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Seconds: 20})
	return serving(t, root)
}

// has reports whether the page shows a text now.
func (b *tab) has(text string) bool {
	b.Helper()
	return b.value(`document.body.innerText.includes(`+quote(text)+`)`) == "true"
}

// The overview says first how the run stands and what to do; a run in which nothing
// was found says so.
func TestOverview(t *testing.T) {
	b := open(t, found(t), "/runs/found/overview")
	if h := b.text("h1"); h != "Found 1 error." {
		t.Errorf("the heading is %q", h)
	}
	for _, text := range []string{"The gradient of fc.weight exploded.", "the learning rate is too high", "lower it", "Gradient of fc.weight: 5,000 is above 1,000", "120 steps", "python train.py --lr 0.1", "training", "evaluation", "accuracy"} {
		b.shows(text)
	}
	b.wait(`document.querySelector(".finding canvas")`) // on its curve
	if order := b.value(`[...document.querySelectorAll("h1, h2:not(.sr)")].map(e => e.innerText).join(", ")`); order != "Found 1 error., Losses and metrics, Time and machine, The run, Last output" {
		t.Errorf("in the order %s", order)
	}
	for _, command := range []string{"vigil run --monitor 500ms -- python train.py", "vigil run --keep-output -- python train.py"} {
		b.shows(command)
	}

	b.click("Write a note")
	b.wait(`document.activeElement.tagName === "TEXTAREA"`)
	b.do(chromedp.SendKeys("textarea", "<b>keep</b> this"))
	b.click("Save")
	b.shows("<b>keep</b> this")
	if b.value(`document.querySelector(".run-note b")`) != "null" {
		t.Error("a note became markup")
	}

	b.visit("/runs/quiet/overview")
	if h := b.text("h1"); h != "Nothing was judged: no rule ran." {
		t.Errorf("the heading is %q", h)
	}
	for _, text := range []string{"start-up", "finishing", "waiting for I/O", "memory of the job", "data"} {
		b.shows(text)
	}
}

// The page of findings shows each on its curve, can be searched, and mutes with a
// reason; what is muted counts nowhere until it is taken back.
func TestFindings(t *testing.T) {
	b := open(t, found(t), "/runs/found/findings")
	const message = "The gradient of fc.weight exploded."
	b.shows(message)
	b.wait(`document.querySelector(".finding canvas")`)
	if s := b.value(`document.querySelector(".finding .chart-title").innerText`); s != "Minimum: gradient of fc.weight and fc.weight" {
		t.Errorf("the chart is of %s", s)
	}
	b.click("gradient of fc.weight:")
	b.wait(`location.pathname.endsWith("/tensors")`)
	if tensor := b.value(`new URLSearchParams(location.search).get("tensor")`); tensor != "gradient/fc.weight" {
		t.Errorf("the link leads to %s", tensor)
	}
	b.visit("/runs/found/findings?q=nothing+like+it")
	b.shows("No finding fits.")
	b.click("Show all")
	b.shows(message)

	b.click("Mute")
	b.wait(`document.querySelector("dialog[open] input")`)
	b.do(chromedp.SendKeys("dialog input[type=text]", "the head is new"))
	b.value(`document.querySelector("dialog button[type=submit]").click()`)
	b.wait(`!document.querySelector("dialog[open]")`)
	b.wait(`!document.body.innerText.includes(` + quote(message) + `)`)
	b.visit("/runs/found/overview")
	if h := b.text("h1"); h != "Nothing that counts: 1 finding is muted." {
		t.Errorf("the heading is %q", h)
	}
	b.shows("1 finding of 1 rule is muted and does not count.")
	b.click("Show")
	b.shows("the head is new")
	b.click("Let it count again")
	b.visit("/runs/found/findings")
	b.shows(message)
}

// Each rule of the catalogue says how it stands to the run, and those that do not
// judge it how they are added. A deep link holds what is shown; back leads back.
func TestRules(t *testing.T) {
	b := open(t, found(t), "/runs/found/findings?view=rules")
	for _, text := range []string{"exploding_tensor", "1 finding, 60 values judged", "step 90 (epoch 3)", "overfit", "3 values judged"} {
		b.shows(text)
	}
	if b.has("hardware_utilization") {
		t.Error("rules that are not active are shown at once")
	}
	b.click("Not active")
	b.wait(`location.search.includes("stand=inactive")`)
	b.do(chromedp.SendKeys("[role=tabpanel] input[type=text]", "hardware"))
	b.shows("hardware_utilization")
	b.wait(`location.search.includes("stand=inactive") && location.search.includes("q=hardware")`)
	b.click("hardware_utilization")
	b.shows("This rule does not judge the run")
	b.shows("/found --rule hardware_utilization:threshold=30")
	b.shows("percentile of the last window samples")
	b.value(`history.back()`)
	b.wait(`location.search.includes("stand=inactive")`)
	b.visit("/runs/found/findings/rule/exploding_tensor")
	for _, text := range []string{"In this run", "Values judged", "The gradient of fc.weight exploded.", "About the rule", "Parameters"} {
		b.shows(text)
	}
	b.visit("/rules")
	b.shows("vanishing_gradient")
	b.visit("/rules/vanishing_gradient/threshold")
	b.wait(`document.querySelector("#check-threshold").open`)
	b.shows("The mean magnitude of a gradient is below threshold.")
	b.visit("/rules/no_such_rule")
	b.shows("The catalogue has no rule no_such_rule.")
}
