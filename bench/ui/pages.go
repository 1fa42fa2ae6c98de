//go:build linux

package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// shown is a page that is opened again and again.
type shown struct {
	name   string
	folder string // of its runs, below made
	write  func(root string) error
	path   string
	ready  string
	cold   bool   // its files are not in the kernel's cache
	zoom   bool   // zoom and pan are measured, too
	theirs string // what TensorBoard has on the screen then; "": it cannot do this
	note   string // on TensorBoard
}

// cards is true when all charts of Curves that are in sight are drawn.
const cards = `bench.drawn(".cv-card")`

var many = shown{name: "first paint, finished run with 2,000 series", folder: "series-2000", path: "/runs/run/curves", ready: cards, theirs: theirCards,
	write: func(root string) error { return scalarRun(root, "run", 2000, 1000) }}

var machine = shown{name: "first paint of Machine, an hour at 500 ms, 16 cores, 8 GPUs", folder: "machine", path: "/runs/run/machine", ready: `document.querySelector("h1") && bench.drawn("main .chart, main .heat, main figure")`,
	write: func(root string) error { return machineRun(root, "run") }}

var points = shown{name: "10 million points in one chart, file cache dropped", folder: "points-10m", path: "/runs/run/curves", ready: cards + ` && document.querySelector(".chart-drawn").innerText.startsWith("10 M")`, cold: true, zoom: true, theirs: theirCards,
	note:  "it keeps a sample of 1,000 of the points, and has read the file before",
	write: func(root string) error { return scalarRun(root, "run", 1, 10_000_000) }}

var compared = shown{name: "100 runs x 10 curves over each other", folder: "runs-100", path: "/curves?runs=" + url.QueryEscape(hundred()), ready: cards, theirs: theirAll,
	note:  "of more than 40 runs it shows none until all are chosen, which is done at once here",
	write: func(root string) error { return listed(root, 100, 10) }}

var table = shown{name: "table of 2,000 runs x 50 columns", folder: "runs-2000", path: "/runs?" + fiftyColumns(), ready: `document.querySelectorAll("[role=grid] tbody td").length > 100 && document.querySelector("[role=search]").innerText.includes("2,000 runs")`,
	write: func(root string) error { return listed(root, 2000, 50) }}

func hundred() string {
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("run-%04d", i)
	}
	return strings.Join(names, ",")
}

// fiftyColumns asks for the last value of each of fifty series next to the usual columns.
func fiftyColumns() string {
	columns := []string{"c=name", "c=status"}
	for i := range 48 {
		columns = append(columns, "c="+url.QueryEscape("last."+seriesName(i)))
	}
	return strings.Join(columns, "&")
}

func (s *shown) root() string { return filepath.Join(made, s.folder) }

func (s *shown) make(b *bench) error {
	if err := once(s.root(), s.write); err != nil {
		return err
	}
	if err := s.list(b); err != nil {
		return err
	}
	if !b.peers || s.theirs == "" {
		return nil
	}
	return copyRuns(s.root())
}

// run opens the page in turns with TensorBoard. Vigil has a server of its own each
// time, which has read nothing; TensorBoard's one has read everything before.
func (s *shown) run(ctx context.Context, b *bench, say func(*figure)) error {
	browser, err := openBrowser(ctx)
	if err != nil {
		return err
	}
	defer browser.close()
	opened := &figure{Name: s.name, Unit: "s", Goal: 1}
	zoomed := &figure{Name: "zoom and pan in it", Unit: "ms", Goal: 100, Of: "p95"}
	dropped := ""
	var theirs *board
	if b.peers && s.theirs != "" {
		opened.Peer = &figure{Name: s.name, Unit: "s", Note: s.note}
		if theirs, err = serveBoard(ctx, boardOf(s.root()), true); err != nil {
			opened.Peer.Failed = err.Error()
		} else {
			defer theirs.end()
		}
	}
	for i := range b.turns {
		progress("turn %d of %d", i+1, b.turns)
		if s.cold {
			if dropped, err = forget(s.root()); err != nil {
				return err
			}
			opened.Note = dropped
		}
		if err := s.turn(ctx, b, browser, opened, zoomed); err != nil {
			opened.Failed = err.Error()
			break
		}
		if theirs == nil || opened.Peer.Failed != "" {
			continue
		}
		took, err := openOnce(browser, theirs.url+"#timeseries", s.theirs, nil)
		if err != nil {
			opened.Peer.Failed = err.Error()
			continue
		}
		opened.Peer.Values = append(opened.Peer.Values, took)
	}
	say(opened)
	if s.zoom {
		say(zoomed)
	}
	return nil
}

// list has the list of runs made, which is kept next to them.
func (s *shown) list(b *bench) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	d, err := b.serve(ctx, s.root())
	if err != nil {
		return err
	}
	defer d.end()
	return d.listed(ctx)
}

func (s *shown) turn(ctx context.Context, b *bench, browser *browser, opened, zoomed *figure) error {
	d, err := b.serve(ctx, s.root())
	if err != nil {
		return err
	}
	defer d.end()
	took, err := openOnce(browser, d.page(s.path), s.ready, func(t *tab) error {
		if !s.zoom {
			return nil
		}
		list, err := zoomAndPan(t)
		zoomed.Values = append(zoomed.Values, list...)
		return err
	})
	if err == nil {
		opened.Values = append(opened.Values, took)
	}
	return err
}

// openOnce opens an address in a new tab and gives the seconds until it was seen.
func openOnce(b *browser, url, ready string, then func(t *tab) error) (float64, error) {
	t, err := b.open(ready)
	if err != nil {
		return 0, err
	}
	defer t.close()
	took, err := t.visit(url)
	if err == nil && then != nil {
		err = then(t)
	}
	if err == nil {
		err = t.sound()
	}
	return took, err
}

// zoomAndPan narrows the range of a page and moves it, each time from the change of
// the address, as the page itself makes it, until the answer of the server is painted.
func zoomAndPan(t *tab) (list []float64, err error) {
	width, from := 5_000_000, 100_000
	for i := range 20 {
		ms, err := t.number(fmt.Sprintf(`(async () => {
			await new Promise((done) => setTimeout(done, 300)); // what came before has ended
			const began = bench.now(), before = bench.answered, url = new URL(location.href);
			url.searchParams.set("from", %d);
			url.searchParams.set("to", %d);
			history.pushState(null, "", url);
			dispatchEvent(new PopStateEvent("popstate"));
			return await bench.when(() => bench.answered > before && bench.pending === 0 && bench.painted > bench.paintedThen, 20000) - began;
		})()`, from, from+width))
		if err != nil {
			return list, fmt.Errorf("zoom: %w", err)
		}
		list = append(list, ms)
		if i%2 == 0 {
			width /= 2
		} else {
			from += width / 3
		}
	}
	return list, nil
}
