//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const readers = 20

func makeMemory(b *bench) error {
	for _, s := range []shown{many, machine, points, table} {
		if err := s.make(b); err != nil {
			return err
		}
	}
	return nil
}

// measureMemory measures what the server holds when nobody asks it for anything, and
// the most it held while many read: each of them goes through what the pages ask for
// and holds a stream of a run that is going on.
func measureMemory(ctx context.Context, b *bench, say func(*figure)) error {
	root := filepath.Join(b.dir, "memory")
	for name, from := range map[string]string{"series": many.root(), "machine": machine.root(), "points": points.root()} {
		if err := link(filepath.Join(from, "run"), filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for i := range 100 {
		if err := link(filepath.Join(table.root(), fmt.Sprintf("run-%04d", i)), filepath.Join(root, fmt.Sprintf("run-%04d", i))); err != nil {
			return err
		}
	}
	e, err := playEight(root, "live", time.Now().Add(-time.Hour))
	if err != nil {
		return err
	}
	defer e.w.Close()
	playing, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- e.play(playing, func(since time.Duration) time.Duration { return 10 * since }) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			progress("the run that went on: %v", err)
		}
	}()

	d, err := b.serve(ctx, root)
	if err != nil {
		return err
	}
	defer d.end()
	if err := d.listed(ctx); err != nil {
		return err
	}
	if err := pause(ctx, 10*time.Second); err != nil {
		return err
	}
	idle := &figure{Name: "memory of the server, idle", Unit: "MB", Values: []float64{memory("VmRSS", d.pid())}, Goal: 100, Note: "The most it held until then: " + written(memory("VmHWM", d.pid()), "MB") + "; 104 runs."}
	busy := &figure{Name: fmt.Sprintf("memory of the server with %d readers, the most", readers), Unit: "MB", Goal: 300}
	asked, err := read(ctx, d)
	if err != nil {
		busy.Failed = err.Error()
	} else {
		busy.Values = []float64{memory("VmHWM", d.pid())}
		busy.Note = fmt.Sprintf("%d requests.", asked)
	}
	if b.peers {
		idle.Peer = theirMemory(ctx)
	}
	say(idle)
	say(busy)
	return nil
}

// theirMemory is what TensorBoard's processes hold after they have read the same runs.
func theirMemory(ctx context.Context) *figure {
	f := &figure{Unit: "MB", Note: "server and data server, after they have read the 2,000 series alone."}
	t, err := serveBoard(ctx, boardOf(many.root()), true)
	if err != nil {
		f.Failed = err.Error()
		return f
	}
	defer t.end()
	f.Values = []float64{t.memory("VmRSS")}
	return f
}

// read has all readers read, and gives the number of requests.
func read(ctx context.Context, d *dashboard) (asked int, err error) {
	var mu sync.Mutex
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			n, failed := one(ctx, d, i)
			mu.Lock()
			defer mu.Unlock()
			asked += n
			if err == nil {
				err = failed
			}
		})
	}
	group.Wait()
	return asked, err
}

// one is one reader: it opens the list, then the pages of the runs, all from different
// places on.
func one(ctx context.Context, d *dashboard, i int) (asked int, err error) {
	streams, leave := context.WithCancel(ctx)
	defer leave()
	for _, path := range []string{"/api/v1/stream", "/api/v1/stream?run=live&metrics=1&" + wantedSeries(10)} {
		answer, err := d.ask(streams, path)
		if err != nil {
			return asked, err
		}
		defer answer.Body.Close()
		go func() { _, _ = io.Copy(io.Discard, answer.Body) }()
	}
	paths := []string{"/api/v1/server", "/api/v1/table?names=true&c=status&c=started&c=duration&c=progress&c=findings&c=found&c=loss&c=losses&c=machine&c=tags", "/api/v1/ui", "/api/v1/views", "/api/v1/rules"}
	for _, run := range []string{"series", "machine", "points", "live", fmt.Sprintf("run-%04d", i)} {
		at := "/api/v1/runs/" + run
		for _, path := range []string{"", "/curves", "/tensors", "/findings", "/rules", "/controls", "/time", "/metrics", "/metrics/table", "/timeline", "/windows", "/files"} {
			paths = append(paths, at+path)
		}
		if n := series(run); n > 0 {
			paths = append(paths, at+"/series?columns=1600&"+wantedSeries(n))
		}
		if run == "machine" || run == "live" {
			paths = append(paths, at+"/metrics/series?columns=800&name=cpu/total&name="+url.QueryEscape("gpu/*/utilization"), at+"/metrics/heat?columns=600")
		}
		if run == "points" {
			for n := range 5 {
				paths = append(paths, fmt.Sprintf("%s/series?columns=1600&from=%d&to=%d&%s", at, 400_000*i+n*1000, 400_000*i+3_000_000, wantedSeries(1)))
			}
		}
	}
	for n := range paths {
		path := paths[(n+7*i)%len(paths)]
		accept := "application/json"
		if n%2 == 1 {
			accept = "application/vnd.vigil.columns, application/json"
		}
		body, err := d.read(ctx, path, "Accept", accept, "Accept-Encoding", "gzip")
		if err != nil {
			return asked, err
		}
		asked++
		if len(body) == 0 {
			return asked, fmt.Errorf("%s: the answer is empty", path)
		}
	}
	return asked, nil
}

// series is how many series a page would ask for at a time.
func series(run string) int {
	switch run {
	case "points":
		return 1
	case "machine":
		return 0
	case "live":
		return 10
	}
	return 24
}

func wantedSeries(n int) string {
	query := url.Values{}
	for i := range n {
		query.Add("s", seriesName(i)+"||TRAIN|")
	}
	return query.Encode()
}

// link makes a tree of the same files at another place.
func link(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(at, 0o755)
		}
		return os.Link(path, at)
	})
}
