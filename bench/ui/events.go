//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
)

// The job has gone on for a tenth of the eight hours when the pages are opened. For
// calm they see it at its own rate: long enough for the browser to have compiled most
// of what it runs again and again. The other nine tenths are played meanwhile.
const (
	whole  = 8 * time.Hour
	calm   = time.Minute
	played = 108 * time.Second
)

// passed is how far the job is after so much of the playing. Afterwards it goes on at
// its own rate.
func passed(since time.Duration) time.Duration {
	quick := min(max(0, since-calm), played)
	return whole/10 + since - quick + quick*(whole*9/10/played)
}

// eight is what a job leaves in eight hours: a step a second, a sample of the machine
// each half second, a change of a rule's status each minute, a finding each five
// minutes, a checkpoint each half hour.
type eight struct {
	w       *store.Writer
	r       *rand.Rand
	began   time.Time
	step    int64
	samples int64
	rules   int64
	found   int64
	saved   int64
}

func playEight(root, name string, began time.Time) (*eight, error) {
	e := &eight{r: rand.New(rand.NewPCG(3, 3)), began: began.UTC()}
	w, err := begin(root, name, e.began)
	if err != nil {
		return nil, err
	}
	e.w = w
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	infos := make([]record.TensorInfo, 10)
	for i := range infos {
		infos[i] = record.TensorInfo{Name: seriesName(i), Kind: record.Metric}
	}
	infos[0].Kind = record.Loss
	return e, errors.Join(w.Announce(worker, infos), w.UpdateRun(func(r *record.Run) {
		r.Host, r.Control = host, filepath.Join(root, "no-agent") // a run with an agent is one that pages follow
	}))
}

// play writes for a while what there would be, as passed says how far the job is.
func (e *eight) play(ctx context.Context, passed func(since time.Duration) time.Duration) error {
	for start := time.Now(); ctx.Err() == nil; {
		if err := e.reach(passed(time.Since(start)).Seconds()); err != nil {
			return err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			break
		}
	}
	return nil
}

// reach writes what there is until so many seconds after the beginning.
func (e *eight) reach(passed float64) error {
	at := func(seconds float64) time.Time {
		return e.began.Add(time.Duration(seconds * float64(time.Second)))
	}
	now := at(passed)
	for ; float64(e.step) < passed; e.step++ {
		now := at(float64(e.step))
		s := &record.Step{Worker: worker, Step: e.step, Mode: record.Train, ModeStep: e.step, Time: now, Seconds: 1}
		for i := range 10 {
			s.Scalars = append(s.Scalars, record.Scalar{Name: seriesName(i), Value: course(e.r, int(e.step), 28_800)})
		}
		if err := errors.Join(e.w.Append(worker, "s", uint64(e.step+1), s), e.w.Complete(&record.Complete{Step: e.step, Mode: record.Train, ModeStep: e.step, Time: now, Parts: []*record.Step{s}})); err != nil {
			return err
		}
	}
	for ; float64(e.samples) < 2*passed; e.samples++ {
		if err := e.w.Samples(machineSample(e.r, int(e.samples), at(float64(e.samples)/2))); err != nil {
			return err
		}
	}
	for ; float64(e.rules) < passed/60; e.rules++ {
		err := errors.Join(e.w.Statuses([]record.RuleStatus{{Rule: "loss_not_decreasing", Configuration: "loss_not_decreasing", Status: "InProgress", Details: fmt.Sprintf("step %d", e.step), Datapoints: e.step, Findings: e.found}}),
			e.w.UpdateRun(func(r *record.Run) { r.Steps[record.Train.String()] = e.step }))
		if err != nil {
			return err
		}
	}
	for ; float64(e.found) < passed/300; e.found++ {
		err := e.w.Finding(record.Finding{Rule: "loss_not_decreasing", RuleClass: "LossNotDecreasing", Configuration: "loss_not_decreasing", Severity: record.Warning, Step: e.step, ModeStep: e.step, Mode: record.Train, Worker: worker, Time: now,
			Check: "plateau", Subject: fmt.Sprintf("loss, for the %d. time", e.found), Message: "the loss has not fallen", Cause: "made", Remedy: "none"})
		if err != nil {
			return err
		}
	}
	for ; float64(e.saved) < passed/1800; e.saved++ {
		if err := e.w.HostEvents("bench", record.Event{Worker: worker, Kind: record.CheckpointEvent, Name: fmt.Sprintf("checkpoint-%d", e.saved), Start: now, End: now, Step: e.step}); err != nil {
			return err
		}
	}
	return nil
}

// heap is what the scripts of a page hold after everything was given back that can be:
// the least of some looks, since the page reads and draws on while one looks.
func (t *tab) heap(ctx context.Context) (least float64, err error) {
	for look := range 7 {
		for range 3 {
			if _, err := chromedp.Call(t.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
				return 0, err
			}
		}
		used, err := chromedp.Call(t.ctx, runtime.GetHeapUsage, cdp.Empty{})
		if err != nil {
			return 0, err
		}
		if bytes := used.UsedSize + used.BackingStorageSize; look == 0 || bytes < least {
			least = bytes
		}
		if err := pause(ctx, 300*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return least, nil
}

// measureEvents plays eight hours of events while pages are open, each in a browser of
// its own, and compares what their scripts hold at the end with a tenth of the time.
func measureEvents(ctx context.Context, b *bench, say func(*figure)) error {
	root := filepath.Join(b.dir, "events")
	e, err := playEight(root, "run", time.Now().Add(-whole))
	if err != nil {
		return err
	}
	defer e.w.Close()
	if err := e.reach(passed(0).Seconds()); err != nil {
		return err
	}
	d, err := b.serve(ctx, root)
	if err != nil {
		return err
	}
	defer d.end()
	playing, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)

	pages := []string{"overview", "curves", "machine"}
	figures := make([]*figure, len(pages))
	var group sync.WaitGroup
	ready := make(chan struct{}, len(pages))
	start := make(chan struct{})
	for i, page := range pages {
		figures[i] = &figure{Name: "8 hours of events, played: heap of " + page + " at the end, after a tenth", Unit: "x", Goal: 1.2}
		group.Go(func() {
			if err := growth(ctx, d, "/runs/run/"+page, ready, start, figures[i]); err != nil {
				figures[i].Failed = err.Error()
			}
		})
	}
	for range pages {
		select {
		case <-ready:
		case <-ctx.Done():
		}
	}
	close(start)
	go func() { done <- e.play(playing, passed) }()
	group.Wait()
	stop()
	err = <-done
	for _, f := range figures {
		say(f)
	}
	say(&figure{Name: "the same: memory of the server, the most", Unit: "MB", Values: []float64{memory("VmHWM", d.pid())}, Note: fmt.Sprintf("%d steps, %d samples of the machine, %d findings were written", e.step, e.samples, e.found)})
	return err
}

// growth opens a page when a tenth of the time is over and waits; then it measures the
// heap after each tenth.
func growth(ctx context.Context, d *dashboard, path string, ready chan<- struct{}, start <-chan struct{}, f *figure) error {
	here := sync.OnceFunc(func() { ready <- struct{}{} })
	defer here()
	browser, err := openBrowser(ctx)
	if err != nil {
		return err
	}
	defer browser.close()
	_, err = openOnce(browser, d.page(path), `document.querySelector("h1") && document.querySelector("canvas") && !document.querySelector("[aria-busy=true]")`, func(t *tab) error {
		here()
		select {
		case <-start:
		case <-ctx.Done():
			return ctx.Err()
		}
		if hidden, err := t.number(`Number(document.hidden)`); err != nil || hidden != 0 {
			return errors.Join(errors.New("the page is hidden"), err)
		}
		var list []float64
		var words []string
		for tenth, opened := 0, time.Now(); tenth < 10; tenth++ {
			if err := pause(ctx, time.Until(opened.Add(calm+time.Duration(tenth)*played/9))); err != nil {
				return err
			}
			bytes, err := t.heap(ctx)
			if err != nil {
				return err
			}
			list, words = append(list, bytes), append(words, fmt.Sprintf("%.1f", bytes/1e6))
		}
		f.Values = []float64{list[9] / list[0]}
		f.Note = "After each tenth: " + strings.Join(words, ", ") + " MB."
		return nil
	})
	return err
}
