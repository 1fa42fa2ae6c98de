package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// heartbeat is how often a stream says that it is there.
const heartbeat = 15 * time.Second

// streamInput is what a page wants to be told.
type streamInput struct {
	Run     string   `query:"run" maxLength:"255" doc:"A run; none: the list of runs."`
	Series  []string `query:"s,explode" maxItems:"1000" doc:"Series of which each event of steps says whether they have grown: TENSOR|STAT|MODE|WORKER, as for series."`
	Metrics bool     `query:"metrics" doc:"Samples of the machine's metrics come, too."`
	Last    string   `header:"Last-Event-ID" maxLength:"100" doc:"The id of the last event that came: what was missed comes, or reset."`
	From    string   `query:"last" maxLength:"100" doc:"The same, for a client that cannot send the header."`
}

func registerStream(api huma.API, s *Server) {
	huma.Register(api, huma.Operation{Method: http.MethodGet, Path: "/stream", OperationID: "stream", Summary: "What is new, as server-sent events",
		Description: "Events: runs, status, steps, metrics, findings, rules, plan, reset. Each has an id. After a reset, and at the beginning, read everything anew: what comes then is what was stored after. Rows of runs are basic ones.",
		Errors:      []int{http.StatusUnauthorized, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusServiceUnavailable},
		Responses:   map[string]*huma.Response{"200": {Description: "Server-sent events", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}}}}},
		func(_ context.Context, in *streamInput) (*huma.StreamResponse, error) {
			if in.Run != "" {
				if _, err := s.runs.path(in.Run); err != nil {
					return nil, problem(err)
				}
			}
			var series []wanted
			for _, text := range in.Series[:min(len(in.Series), mostWanted)] {
				w, err := parseWanted(text)
				if err != nil {
					return nil, problem(err)
				}
				series = append(series, w)
			}
			t, leave := s.watched.enter(in.Run, series, in.Metrics)
			if t == nil {
				return nil, huma.Error503ServiceUnavailable("too many pages are open; close some")
			}
			last := in.Last
			if last == "" {
				last = in.From
			}
			return &huma.StreamResponse{Body: func(ctx huma.Context) {
				defer leave()
				r, w := humago.Unwrap(ctx)
				serveStream(w, r, &reader{t: t, metrics: in.Metrics, series: series}, last)
			}}, nil
		})
}

// reader is one open stream.
type reader struct {
	t       *topic
	series  []wanted
	metrics bool
	next    int64 // event
}

// serveStream sends what is new until the client goes.
func serveStream(w http.ResponseWriter, r *http.Request, in *reader, last string) {
	to := http.NewResponseController(w)
	_ = to.SetReadDeadline(time.Time{})
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy that collects answers would hold it back
	send := func(b []byte) bool {
		_, err := w.Write(b)
		return err == nil && to.Flush() == nil
	}
	if !send([]byte("retry: 1000\n\n")) {
		return
	}
	in.begin(last)
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		b, news, over := in.take()
		if len(b) > 0 && !send(b) || over {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-news:
		case <-tick.C:
			if !send([]byte(": \n\n")) {
				return
			}
		}
	}
}

// begin finds the place to go on from, after the event that the client had last.
func (in *reader) begin(last string) {
	t := in.t
	t.mu.Lock()
	defer t.mu.Unlock()
	in.next = -1 // the state of now first
	if last == "" {
		return
	}
	if n, ok := t.place(last); ok {
		in.next = n
		return
	}
	in.next = -2 // reset, then the state
}

// take is what the client has not had yet, a channel that closes when there is more,
// and whether that was all.
func (in *reader) take() (b []byte, news <-chan struct{}, over bool) {
	t := in.t
	t.mu.Lock()
	defer t.mu.Unlock()
	var out bytes.Buffer
	end := t.first + int64(len(t.events))
	if in.next < 0 && t.state == nil && !t.over {
		return nil, t.news, false // not looked at yet
	}
	if in.next == -2 || in.next >= 0 && in.next < t.first { // too slow
		writeEvent(&out, t.id(end), "reset", []byte(`{}`))
		in.next = -1
	}
	if in.next == -1 {
		for _, e := range t.state {
			writeEvent(&out, t.id(end), e.name, e.data)
		}
		in.next = end
	}
	for ; in.next < end; in.next++ {
		e := &t.events[in.next-t.first]
		if e.metric && !in.metrics {
			continue
		}
		data := e.data
		if e.name == "steps" {
			data = in.withGrown(e)
		}
		writeEvent(&out, t.id(in.next+1), e.name, data)
	}
	return out.Bytes(), t.news, t.over
}

// withGrown is an event of steps with the series that this client asked for and that have grown.
func (in *reader) withGrown(e *event) []byte {
	b := append(bytes.TrimSuffix(bytes.Clone(e.data), []byte("}")), `,"grown":[`...)
	first := true
	for _, s := range in.series {
		text, err := json.Marshal(s.text)
		if err != nil || !e.grown[s.text] {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		b, first = append(b, text...), false
	}
	return append(b, "]}"...)
}

// writeEvent writes one event. JSON has no line breaks.
func writeEvent(w io.Writer, id, name string, data []byte) {
	fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", id, name, data)
}
