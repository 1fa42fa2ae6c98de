package server

import (
	"context"
	"time"
)

// lookList is how often the list of runs is looked at.
const lookList = time.Second

// ListNews are rows of the list that changed, without losses, values and parameters
// (a page asks for those that it shows), and runs that are gone.
type ListNews struct {
	Rows     []listedRun `json:"rows"`
	Gone     []string    `json:"gone"`
	Building *Building   `json:"building"`
}

// watchList says what is new in the list of runs.
func (s *Server) watchList(ctx context.Context, t *topic) {
	version := uint64(0)
	list, err := s.index.List()
	if err == nil {
		version = list.Version
	}
	building := list.Building != nil
	t.standList()
	for !t.idle() {
		began := time.Now()
		c, err := s.index.Changes(version)
		switch {
		case err != nil: // the root cannot be read; it may come back
		case c.All && version > 0:
			version = c.Version
			t.say("reset", struct{}{})
		case len(c.Rows)+len(c.Gone) > 0 || building:
			version = c.Version
			building = c.Building != nil
			news := ListNews{Rows: s.rows(c.Rows, false), Gone: nonNil(c.Gone)}
			if building {
				news.Building = &Building{Done: c.Building.Done, Of: c.Building.Of}
			}
			t.say("runs", news)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(lookList, min(lookShare*time.Since(began), lookRest))):
		}
	}
}
