package server

import (
	"crypto/sha256"
	"sync"
	"time"
)

// Tickets let in as the token does, one browser each. An address that is kept
// somewhere, such as in the output of a notebook's cell, has one in place of the token.
const (
	ticketWaits = time.Hour        // for its first use
	ticketStays = 10 * time.Second // after it: a browser may ask twice for what is in a frame
	mostTickets = 1000
)

type tickets struct {
	mu    sync.Mutex
	until map[[sha256.Size]byte]ticket
	now   func() time.Time
}

type ticket struct {
	end  time.Time
	used bool
}

// add makes a secret a ticket.
func (t *tickets) add(secret string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for k, one := range t.until {
		if now.After(one.end) || len(t.until) >= mostTickets {
			delete(t.until, k)
		}
	}
	t.until[sha256.Sum256([]byte(secret))] = ticket{end: now.Add(ticketWaits)}
}

// take uses a ticket; false where it is none, or none any more. Looking up the
// hash tells nothing about a secret.
func (t *tickets) take(secret string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := sha256.Sum256([]byte(secret))
	one, ok := t.until[k]
	now := t.now()
	if !ok || now.After(one.end) {
		return false
	}
	if !one.used {
		t.until[k] = ticket{end: now.Add(ticketStays), used: true}
	}
	return true
}

// Ticket lets a secret in that the caller made, for one browser and within an hour.
func (s *Server) Ticket(secret string) { s.tickets.add(secret) }
