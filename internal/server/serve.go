package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// patience is how long requests may go on after the end was asked for.
const patience = 2 * time.Second

// Serve answers requests on a listener until ctx ends, then ends those that are
// under way. It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &http.Server{
		Handler:           s.HandlerAt(l.Addr()),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second, // of a request; a stream reads nothing more
		WriteTimeout:      5 * time.Minute,  // streams and downloads say more
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    mostHeader,
		ErrorLog:          log.New(errorLog{s.options.Log}, "", 0),
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, Certificates: s.options.Certificates},
	}
	ended := make(chan error, 1)
	go func() {
		if len(s.options.Certificates) > 0 {
			ended <- h.ServeTLS(l, "", "")
			return
		}
		ended <- h.Serve(l)
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve the dashboard: %w", err)
	case <-ctx.Done():
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	err := h.Shutdown(end)
	if err != nil {
		err = h.Close()
	}
	if gone := <-ended; !errors.Is(gone, http.ErrServerClosed) {
		err = errors.Join(err, gone)
	}
	s.Close()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("end the dashboard: %w", err)
	}
	return nil
}

// errorLog hands what net/http says on to the server's log.
type errorLog struct{ log *slog.Logger }

func (e errorLog) Write(b []byte) (int, error) {
	e.log.Debug(string(b))
	return len(b), nil
}
