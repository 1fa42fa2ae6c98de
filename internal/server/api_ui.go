package server

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/runs"
)

var rowType = reflect.TypeFor[RunRow]()

// anyJSON is a document of the page, which the server only keeps.
type anyJSON json.RawMessage

// MarshalJSON passes it on as it is.
func (a anyJSON) MarshalJSON() ([]byte, error) {
	if len(a) == 0 {
		return []byte("null"), nil
	}
	return a, nil
}

// UnmarshalJSON keeps it as it is.
func (a *anyJSON) UnmarshalJSON(b []byte) error {
	*a = append((*a)[:0], b...)
	return nil
}

// Schema says that it may be anything.
func (anyJSON) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// Settings are what people set of the page.
type Settings struct {
	Format
	Archived  []string             `json:"archived" doc:"Names of runs that are not shown in the list."`
	Pinned    map[string][]anyJSON `json:"pinned" doc:"By run: the charts at the top of its curves."`
	Colours   map[string]string    `json:"colours" doc:"By run."`
	Styles    anyJSON              `json:"styles" doc:"By which field, or which expressions, runs have colours and line styles."`
	Persisted bool                 `json:"persisted" doc:"It stays when the server ends."`
	WhyNot    string               `json:"why_not"`
}

// Views are named views of the list of runs.
type Views struct {
	Format
	Views []NamedView `json:"views"`
}

// NamedView is one of them.
type NamedView struct {
	Name string  `json:"name"`
	View anyJSON `json:"view" doc:"An object of the page's."`
}

func (s *Server) settings(set runs.Settings) Settings {
	out := Settings{Format: format1, Archived: nonNil(set.Archived), Pinned: map[string][]anyJSON{}, Colours: set.Colours, Styles: anyJSON(set.Styles)}
	for run, list := range set.Pinned {
		out.Pinned[run] = []anyJSON{}
		for _, c := range list {
			out.Pinned[run] = append(out.Pinned[run], anyJSON(c))
		}
	}
	if out.Colours == nil {
		out.Colours = map[string]string{}
	}
	out.Persisted, out.WhyNot = s.ui.Persisted()
	return out
}

func (s *Server) views() Views {
	out := Views{format1, []NamedView{}}
	for _, v := range s.ui.Views() {
		out.Views = append(out.Views, NamedView{v.Name, anyJSON(v.View)})
	}
	return out
}

// refused turns a change that the store of settings does not make into an answer.
func refused(err error) error {
	var r *runs.Refused
	if errors.As(err, &r) {
		return &wrong{r.Why}
	}
	return err
}

func registerUI(api huma.API, s *Server) {
	get(api, "/ui", "get-ui", "What people set of the page", func(context.Context, *struct{}) (Settings, error) {
		return s.settings(s.ui.Settings()), nil
	})
	change(api, http.MethodPatch, "/ui", "change-ui", "Change what is set of the page: a merge patch (RFC 7396)", func(_ context.Context, in *struct {
		Body map[string]anyJSON
	},
	) (Settings, error) {
		patch, err := json.Marshal(in.Body)
		if err != nil {
			return Settings{}, &wrong{"The patch is no JSON object."}
		}
		set, err := s.ui.Change(patch)
		return s.settings(set), refused(err)
	})
	get(api, "/views", "list-views", "Named views of the list of runs", func(context.Context, *struct{}) (Views, error) { return s.views(), nil })
	change(api, http.MethodPut, "/views/{view}", "put-view", "Keep a view under a name", func(_ context.Context, in *struct {
		View string `path:"view" maxLength:"400"`
		Body map[string]anyJSON
	},
	) (Views, error) {
		b, err := json.Marshal(in.Body)
		if err == nil {
			err = s.ui.PutView(in.View, b)
		}
		return s.views(), refused(err)
	})
	change(api, http.MethodDelete, "/views/{view}", "delete-view", "Remove a view", func(_ context.Context, in *struct {
		View string `path:"view" maxLength:"400"`
	},
	) (Views, error) {
		err := s.ui.RemoveView(in.View)
		if errors.Is(err, fs.ErrNotExist) {
			return Views{}, &missing{"There is no view of this name."}
		}
		return s.views(), refused(err)
	})
}
