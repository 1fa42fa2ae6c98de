// Package server is the dashboard's HTTP side: the API below /api/v1 and the page.
//
// It reads runs through package source and shows what package view makes of them;
// it knows nothing about a run itself. One file per resource, api_NAME.go.
package server

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Options are what a server is started with.
type Options struct {
	// Root is the directory that the runs lie in. It need not exist yet.
	Root string
	// Version is Vigil's, for the page and the OpenAPI document.
	Version string
	// ReadOnly refuses every change.
	ReadOnly bool
	// BasePath is the path below which a reverse proxy hands requests on, such as
	// "/vigil"; "" for none.
	BasePath string
	// Log gets what goes wrong; nil: nowhere.
	Log *slog.Logger
}

// Server answers the dashboard's requests. Its methods may be called from several
// goroutines.
type Server struct {
	options Options
	runs    *openRuns
	started time.Time
	handler http.Handler
	api     huma.API
}

// New makes a server over a root. It starts nothing and opens no run.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.BasePath = strings.TrimSuffix(o.BasePath, "/")
	s := &Server{options: o, runs: newOpenRuns(o.Root), started: time.Now().UTC()}
	mux := http.NewServeMux()
	s.api = humago.NewWithPrefix(mux, apiPath, apiConfig(o.Version))
	s.register()
	s.handler = mux
	return s
}

// Handler answers requests below the base path.
func (s *Server) Handler() http.Handler {
	if s.options.BasePath == "" {
		return s.handler
	}
	return http.StripPrefix(s.options.BasePath, s.handler)
}

// OpenAPI is the description of the API.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }
