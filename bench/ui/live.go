//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/chromedp/chromedp"
)

// watchValue notes each value that an element shows, and when it was painted.
const watchValue = `(() => {
	bench.seen = [];
	let last = "";
	const look = () => {
		const text = document.querySelector(%q)?.innerText.replace(/\D/g, "") ?? "";
		if (text === last || text === "") return;
		last = text;
		bench.afterPaint((at) => bench.seen.push({ step: Number(text), at: at / 1000 }));
	};
	new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
	return true;
})()`

// follow notes for a while which steps a tab shows.
func follow(ctx context.Context, t *tab, selector string, length time.Duration) ([]sighting, error) {
	if _, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](fmt.Sprintf(watchValue, selector))); err != nil {
		return nil, err
	}
	if err := pause(ctx, length); err != nil {
		return nil, err
	}
	return sightings(t)
}

func sightings(t *tab) (seen []sighting, err error) {
	text, err := chromedp.Run(t.ctx, chromedp.Evaluate[string](`JSON.stringify(bench.seen)`))
	if err == nil {
		err = json.Unmarshal([]byte(text), &seen)
	}
	return seen, err
}

// nowShown is the element of the first chart that has its last value.
const nowShown = ".chart-now"

// measureStep measures how long a step takes from the hook to the screen: on Curves and
// on the overview, which are open at the same time.
func measureStep(ctx context.Context, b *bench, say func(*figure)) error {
	const length = 30 * time.Second
	root := filepath.Join(b.dir, "step")
	j, err := b.train(ctx, root, 10, 2*time.Minute)
	if err != nil {
		return err
	}
	defer j.end()
	d, err := b.serve(ctx, root)
	if err != nil {
		return err
	}
	defer d.end()
	pages := []*figure{{Name: "a new step of a live run (10 series, 10 steps/s) on Curves", Unit: "s", Goal: 1, Of: "p95"}, {Name: "the same on Overview", Unit: "s", Goal: 1, Of: "p95"}}
	for i, path := range []string{"/runs/run/curves", "/runs/run/overview"} {
		seen, err := onePage(ctx, d, path, length)
		if err != nil {
			pages[i].Failed = err.Error()
		}
		times, err := j.written()
		if err != nil {
			return err
		}
		if pages[i].Values = delays(times, seen); len(pages[i].Values) == 0 && pages[i].Failed == "" {
			pages[i].Failed = "no step was seen"
		}
	}
	if b.peers {
		pages[0].Peer = theirStep(ctx, b)
	}
	for _, f := range pages {
		say(f)
	}
	return nil
}

func onePage(ctx context.Context, d *dashboard, path string, length time.Duration) (seen []sighting, err error) {
	browser, err := openBrowser(ctx)
	if err != nil {
		return nil, err
	}
	defer browser.close()
	_, err = openOnce(browser, d.page(path), `bench.drawn(".chart")`, func(t *tab) error {
		seen, err = follow(ctx, t, nowShown, length)
		return err
	})
	return seen, err
}

// theirAnswers notes what TensorBoard's page was told: it draws that in the next frame.
// Its page asks again by itself every 30 seconds where that is switched on.
const theirAnswers = `(() => {
	bench.seen = [];
	bench.onAnswer = (request) => {
		const steps = [...String(request.responseText ?? "").matchAll(/"step":\s*(\d+)/g)].map((m) => Number(m[1]));
		if (steps.length) bench.seen.push({ step: Math.max(...steps), at: bench.now() / 1000 });
	};
	return true;
})()`

// theirStep is the same for TensorBoard, as it comes, with its page reading by itself.
func theirStep(ctx context.Context, b *bench) *figure {
	f := &figure{Unit: "s", Note: "its page reads again every 30 s at most often as it comes, if that is switched on, as here; its writer flushes after each step."}
	if err := theirSteps(ctx, b, f); err != nil {
		f.Failed = err.Error()
	}
	return f
}

func theirSteps(ctx context.Context, b *bench, f *figure) error {
	logs := filepath.Join(b.dir, "step-tensorboard")
	said, err := os.Create(logs + ".said")
	if err != nil {
		return err
	}
	defer said.Close()
	cmd := exec.CommandContext(ctx, theirPython, filepath.Join("bench", "ui", "theirs.py"), "live", logs, "10", strconv.Itoa(150))
	cmd.Stdout, cmd.Stderr = said, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if err := pause(ctx, 2*time.Second); err != nil {
		return err
	}
	t, err := serveBoard(ctx, logs, false)
	if err != nil {
		return err
	}
	defer t.end()
	browser, err := openBrowser(ctx)
	if err != nil {
		return err
	}
	defer browser.close()
	ready := `(() => { try { localStorage.setItem("_tb_global_settings.timeseries", localStorage.getItem("_tb_global_settings.timeseries") ?? ""); localStorage.setItem("_tb_global_settings", JSON.stringify({ autoReload: true, autoReloadPeriodInMs: 30000 })); } catch {} return ` + theirCards + `; })()`
	_, err = openOnce(browser, t.url+"#timeseries", ready, func(tab *tab) error {
		if _, err := tab.visit(t.url + "?again#timeseries"); err != nil { // the setting holds from the second time on
			return err
		}
		if _, err := chromedp.Run(tab.ctx, chromedp.Evaluate[bool](theirAnswers)); err != nil {
			return err
		}
		if err := pause(ctx, 75*time.Second); err != nil {
			return err
		}
		seen, err := sightings(tab)
		if err != nil {
			return err
		}
		text, err := os.Open(said.Name())
		if err != nil {
			return err
		}
		defer text.Close()
		times, err := stepTimes(text)
		if err != nil {
			return err
		}
		if f.Values = delays(times, seen); len(f.Values) == 0 {
			return fmt.Errorf("its page asked %d times and no step was seen twice", len(seen))
		}
		return nil
	})
	return err
}

// measureLive measures what the browser and the server take while one looks at the
// curves of a job of 500 series that takes ten steps a second.
func measureLive(ctx context.Context, b *bench, say func(*figure)) error {
	const length = 30 * time.Second
	root := filepath.Join(b.dir, "live")
	j, err := b.train(ctx, root, 500, 100*time.Second)
	if err != nil {
		return err
	}
	defer j.end()
	d, err := b.serve(ctx, root)
	if err != nil {
		return err
	}
	defer d.end()
	browser, err := openBrowser(ctx)
	if err != nil {
		return err
	}
	defer browser.close()
	drawing := &figure{Name: "500 live series at 10 steps/s: the page's process", Unit: "% of a core", Goal: 25}
	serving := &figure{Name: "500 live series at 10 steps/s: the server", Unit: "% of a core", Goal: 5}
	whole := &figure{Name: "the same: all processes of the browser", Unit: "% of a core"}
	delayed := &figure{Name: "the same: a new step on Curves", Unit: "s", Goal: 1, Of: "p95"}
	_, err = openOnce(browser, d.page("/runs/run/curves"), cards, func(t *tab) error {
		if err := pause(ctx, 8*time.Second); err != nil { // the page has been made
			return err
		}
		if _, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](fmt.Sprintf(watchValue, nowShown))); err != nil {
			return err
		}
		shown, err := t.number(`[...document.querySelectorAll(".cv-card")].filter((one) => one.querySelector("canvas")).length`)
		if err != nil {
			return err
		}
		drawing.Note = fmt.Sprintf("%.0f of the 500 charts are in sight or near it and drawn.", shown)
		pages, all := renderers(browser.pid()), tree(browser.pid())
		for began := time.Now(); time.Since(began) < length; {
			at, cpu := time.Now(), [3]time.Duration{spent(pages...), spent(d.pid()), spent(all...)}
			if err := pause(ctx, 5*time.Second); err != nil {
				return err
			}
			share := func(now, before time.Duration) float64 {
				return 100 * (now - before).Seconds() / time.Since(at).Seconds()
			}
			drawing.Values = append(drawing.Values, share(spent(pages...), cpu[0]))
			serving.Values = append(serving.Values, share(spent(d.pid()), cpu[1]))
			whole.Values = append(whole.Values, share(spent(all...), cpu[2]))
		}
		seen, err := sightings(t)
		if err != nil {
			return err
		}
		times, err := j.written()
		delayed.Values = delays(times, seen)
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range []*figure{drawing, serving, whole, delayed} {
		say(f)
	}
	return nil
}
