package server

import (
	"context"
	"os"
	"os/user"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// About is what a page has to know of the server.
type About struct {
	Format
	Version  string    `json:"version" doc:"Version of Vigil."`
	App      string    `json:"app" doc:"Hash of the page that the server has. A page with another one is old."`
	Root     string    `json:"root" doc:"The directory that the runs lie in."`
	ReadOnly bool      `json:"read_only" doc:"Every change is refused."`
	Started  time.Time `json:"started"`
	User     string    `json:"user"`
	Host     string    `json:"host"`
	BasePath string    `json:"base_path"`
}

func registerServer(api huma.API, s *Server) {
	get(api, "/server", "get-server", "The server and what it may do", func(context.Context, *struct{}) (About, error) {
		a := About{Format: format1, Version: s.options.Version, App: s.page.hash, Root: s.options.Root, ReadOnly: s.options.ReadOnly, Started: s.started, BasePath: s.options.BasePath}
		a.Host, _ = os.Hostname()
		if u, err := user.Current(); err == nil {
			a.User = u.Username
		}
		return a, nil
	})
}
