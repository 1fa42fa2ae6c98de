package server

import (
	"sync"
	"time"
)

// attempts counts wrong tokens. The right one is let in however many wrong ones
// came: 32 random bytes are not guessed, and nobody is to be locked out.
type attempts struct {
	mu    sync.Mutex
	since time.Time
	count map[string]int
}

// How many wrong tokens an address may send in a minute. A page that was open while
// the server was started again goes on to ask with its old cookie.
const (
	mostWrong  = 20
	mostStale  = 600
	mostPeople = 10_000
)

// wrong notes a wrong token; false when there were too many.
func (a *attempts) wrong(how, from string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); a.count == nil || now.Sub(a.since) > time.Minute || len(a.count) > mostPeople {
		a.since, a.count = now, map[string]int{}
	}
	limit := mostWrong
	if how == byCookie {
		limit, from = mostStale, how+" "+from
	}
	a.count[from]++
	return a.count[from] <= limit
}
