// Package server is the dashboard's HTTP side: the API below /api/v1 and the page.
//
// It reads runs through package source and shows what package view makes of them;
// it knows nothing about a run itself. One file per resource, api_NAME.go.
package server

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Options are what a server is started with.
type Options struct {
	// Root is the directory that the runs lie in. It need not exist yet.
	Root string
	// Version is Vigil's, for the page and the OpenAPI document.
	Version string
	// App are the files of the page, index.html among them; nil: there is none.
	App fs.FS
	// Token is the secret that every request needs; "": none does, for tests.
	Token string
	// Hosts are names that the server answers to besides the address that it
	// listens on: those of a reverse proxy.
	Hosts []string
	// FramedBy are the origins of pages that may show the dashboard in a frame, as
	// Framer takes them; none: no page may.
	FramedBy []string
	// Certificates make it TLS.
	Certificates []tls.Certificate
	// ReadOnly refuses every change.
	ReadOnly bool
	// BasePath is the path below which a reverse proxy hands requests on, such as
	// "/vigil"; "" for none.
	BasePath string
	// Log gets what goes wrong; nil: nowhere.
	Log *slog.Logger
	// Now is the clock by which runs that go on have lasted; nil: time.Now.
	Now func() time.Time
}

// Server answers the dashboard's requests. Its methods may be called from several
// goroutines.
type Server struct {
	options Options
	runs    *openRuns
	index   *runs.Index
	ui      *runs.UI
	page    *page
	started time.Time
	mux     *http.ServeMux
	watched watched
	tickets tickets
	api     huma.API
}

// New makes a server over a root. It starts nothing and opens no run.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.BasePath = strings.TrimSuffix(o.BasePath, "/")
	p, err := newPage(o.App, o.BasePath)
	if err != nil { // the API works without
		o.Log.Error("there is no page", "error", err)
		p = &page{}
	}
	s := &Server{options: o, runs: newOpenRuns(o.Root), index: runs.Open(vfs.OS, o.Root, runs.Options{Now: o.Now}), ui: runs.OpenUI(vfs.OS, o.Root), page: p, started: time.Now().UTC(), mux: http.NewServeMux()}
	s.watched.run, s.watched.log = s.watch, o.Log.Error
	s.tickets.until, s.tickets.now = map[[sha256.Size]byte]ticket{}, time.Now
	s.api = humago.NewWithPrefix(s.mux, apiPath, apiConfig(o.Version))
	s.register()
	sayAsNetHTTP(s.api.OpenAPI())
	s.mux.HandleFunc("/", s.nothing)
	return s
}

// Handler answers requests that mean localhost, for tests.
func (s *Server) Handler() http.Handler {
	return s.HandlerAt(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
}

// HandlerAt answers requests of those who know the token and mean a listening
// address: the API and the page.
func (s *Server) HandlerAt(listening ...net.Addr) http.Handler {
	cookie := "vigil"
	for _, a := range listening {
		if t, ok := a.(*net.TCPAddr); ok {
			cookie = fmt.Sprintf("vigil-%d", t.Port) // a browser's cookies do not know ports
		}
	}
	return &guard{next: s.mux, page: s.page, options: &s.options, cookie: cookie, value: cookieValue(s.options.Token), policy: s.options.policy(), tickets: &s.tickets,
		busy: make(chan struct{}, atOnce()), mine: newHosts(listening, s.options.Hosts).mine}
}

// nothing answers requests that no resource takes.
func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := *r
		other.Method = m
		if _, pattern := s.mux.Handler(&other); pattern != "/" {
			allowed = append(allowed, m)
		}
	}
	if len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, http.StatusMethodNotAllowed, fmt.Sprintf("%.200q takes %s only", r.URL.Path, strings.Join(allowed, " and ")))
		return
	}
	writeProblem(w, http.StatusNotFound, fmt.Sprintf("the API has no %.200q; %s/openapi.json lists what it has", r.URL.Path, apiPath))
}

// atOnce is how many requests are answered at a time; the others wait. It bounds the
// memory that answers take.
func atOnce() int { return max(8, 2*runtime.GOMAXPROCS(0)) }

// Close ends what the server does next to requests.
func (s *Server) Close() {
	s.watched.close()
	if err := s.index.Close(); err != nil {
		s.options.Log.Warn("the index of the runs was not kept", "error", err)
	}
}

// watch looks for news of a run, or of the list of runs.
func (s *Server) watch(ctx context.Context, t *topic) {
	if t.name == "" {
		s.watchList(ctx, t)
		return
	}
	s.watchRun(ctx, t)
}

// OpenAPI is the description of the API.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }
