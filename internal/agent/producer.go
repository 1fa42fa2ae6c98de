package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/vigil-ml/vigil/internal/capture"
)

// producer brings series into the run while its job goes on.
type producer interface {
	// Serve works until ctx is done, and returns when all that it has taken by then
	// is stored and handed to the rules. It returns before only when the run cannot
	// go on without it.
	Serve(ctx context.Context) error
}

// The hooks of the training come through the listener.
var _ producer = (*capture.Listener)(nil)

// serve lets producers work until ctx is done. When one of them ends before, so do
// the others.
func serve(ctx context.Context, list ...producer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(list))
	var work sync.WaitGroup
	for i, p := range list {
		work.Go(func() {
			defer cancel()
			errs[i] = p.Serve(ctx)
		})
	}
	work.Wait()
	return errors.Join(errs...)
}
