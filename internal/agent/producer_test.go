package agent

import (
	"context"
	"errors"
	"testing"
)

// ended is a producer that ends by itself, or else with its context.
type ended struct {
	by   chan error // how it ends by itself
	last error      // what it says when its context has ended
}

func (e ended) Serve(ctx context.Context) error {
	select {
	case err := <-e.by:
		return err
	case <-ctx.Done():
		return e.last
	}
}

// Producers end with the job; one that cannot go on ends the others.
func TestServe(t *testing.T) {
	broken, late := errors.New("broken"), errors.New("not all was stored")
	for _, c := range []struct {
		name   string
		fails  bool // the first ends by itself
		second error
		want   []error
	}{
		{"the job ends", false, nil, nil},
		{"one could not store its last", false, late, []error{late}},
		{"one ends before", true, nil, []error{broken}},
		{"one ends before and takes the other with it", true, late, []error{broken, late}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		first := ended{by: make(chan error, 1)}
		if c.fails {
			first.by <- broken
		} else {
			cancel()
		}
		err := serve(ctx, first, ended{last: c.second})
		cancel()
		if (err == nil) != (len(c.want) == 0) {
			t.Errorf("%s: the error is %v", c.name, err)
		}
		for _, want := range c.want {
			if !errors.Is(err, want) {
				t.Errorf("%s: the error is %v, want %v in it", c.name, err, want)
			}
		}
	}
}
