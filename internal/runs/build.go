package runs

import (
	"runtime"
	"time"
)

// leave has runs read meanwhile.
func (x *Index) leave(stale []found) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.waiting) == 0 {
		x.of = 0
	}
	for i := len(stale) - 1; i >= 0; i-- { // the newest are read first
		name := stale[i].name
		x.waiting[name] = true
		x.pending = append(x.pending, name)
		x.of++
	}
	if x.builder || len(x.waiting) == 0 || x.stop.Err() != nil {
		return
	}
	x.builder = true
	x.work.Go(x.build)
}

// build reads what waits, and writes the index now and then.
func (x *Index) build() {
	workers := max(runtime.GOMAXPROCS(0)/2, 1)
	done := make(chan struct{})
	for range workers {
		go func() {
			for {
				name, ok := x.next()
				if !ok {
					break
				}
				e, err := x.read(name)
				x.put(name, e, err)
			}
			done <- struct{}{}
		}()
	}
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for workers > 0 {
		select {
		case <-done:
			workers--
		case <-tick.C:
			x.scanning.Lock()
			x.save()
			x.scanning.Unlock()
		}
	}
	x.mu.Lock()
	x.builder = len(x.pending) > 0 && x.stop.Err() == nil // more came meanwhile
	again := x.builder
	x.mu.Unlock()
	if again {
		x.build()
		return
	}
	x.scanning.Lock()
	x.save()
	x.scanning.Unlock()
}

// next takes a run that waits.
func (x *Index) next() (string, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := len(x.pending); n > 0 && x.stop.Err() == nil {
		name := x.pending[n-1]
		x.pending = x.pending[:n-1]
		return name, true
	}
	return "", false
}
