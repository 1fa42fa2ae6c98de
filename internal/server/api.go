package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// apiPath is what all paths of the API begin with.
const apiPath = "/api/v1"

// streamPath is where news come from, for as long as a page is open.
const streamPath = apiPath + "/stream"

// register declares every resource.
func (s *Server) register() {
	registerServer(s.api, s)
	registerRuns(s.api, s)
	registerBest(s.api, s)
	registerStream(s.api, s)
	registerDescribe(s.api, s)
	registerSeries(s.api, s)
	registerContents(s.api, s)
	registerFindings(s.api, s)
	registerRules(s.api, s)
	registerFiles(s.api, s)
	registerMachine(s.api, s)
	registerTime(s.api, s)
	registerWindows(s.api, s)
	registerTensors(s.api, s)
	registerCapture(s.api, s)
	registerControls(s.api, s)
	registerLabels(s.api, s)
	registerReport(s.api, s)
	registerUI(s.api, s)
	registerValues(s.api, s)
}

func apiConfig(version string) huma.Config {
	c := huma.DefaultConfig("Vigil", version)
	c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", nil
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[record.Number](), reflect.TypeFor[number]())
	c.Info.Description = "Runs of machine-learning training below one root: what was captured, what the rules found, where the time went; and control of those that run."
	for _, name := range []string{"application/json", "json"} {
		c.Formats[name] = huma.Format{Marshal: writeJSON, Unmarshal: huma.DefaultJSONFormat.Unmarshal}
	}
	c.Formats[columnsType] = huma.Format{Marshal: writeColumns, Unmarshal: func([]byte, any) error {
		return errors.New("columns are written, not read")
	}}
	return c
}

// writeJSON writes an answer as JSON; a large one may know how to do so itself.
func writeJSON(w io.Writer, v any) error {
	if own, ok := v.(interface{ writeJSON(w io.Writer) error }); ok {
		return own.writeJSON(w)
	}
	return huma.DefaultJSONFormat.Marshal(w, v)
}

// Format is at the top of every answer.
type Format struct {
	Format int `json:"format" doc:"Version of the answer's shape." example:"1"`
}

var format1 = Format{Format: 1}

// answer is what a handler of huma returns.
type answer[T any] struct{ Body T }

// RunPath is the part of a path that names a run. (It is exported because what is
// embedded has to be, to be read from a request.)
type RunPath struct {
	Run string `path:"run" maxLength:"255" doc:"Name of a run below the root."`
}

// get declares a resource that is read. The handler's error becomes a problem; further
// are statuses that it may have besides the usual ones.
func get[I, O any](api huma.API, path, id, summary string, fn func(context.Context, *I) (O, error), further ...int) {
	huma.Register(api, huma.Operation{Method: http.MethodGet, Path: path, OperationID: id, Summary: summary,
		Errors: append([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge}, further...)},
		func(ctx context.Context, in *I) (*answer[O], error) {
			out, err := fn(ctx, in)
			if err != nil {
				return nil, problem(err)
			}
			return &answer[O]{out}, nil
		})
}

// change declares a resource that is changed. With read-only the security layer
// refuses it before it comes here.
func change[I, O any](api huma.API, method, path, id, summary string, fn func(context.Context, *I) (O, error)) {
	huma.Register(api, huma.Operation{Method: method, Path: path, OperationID: id, Summary: summary, MaxBodyBytes: 1 << 20,
		Errors: []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge}},
		func(ctx context.Context, in *I) (*answer[O], error) {
			out, err := fn(ctx, in)
			if err != nil {
				return nil, problem(err)
			}
			return &answer[O]{out}, nil
		})
}

// conflict is the error of a change that the run's state does not allow.
type conflict struct{ message string }

func (c *conflict) Error() string { return c.message }

// wrong is the error of a request that makes no sense for the run.
type wrong struct{ message string }

func (w *wrong) Error() string { return w.message }

// missing is the error of a request for what is not there.
type missing struct{ message string }

func (m *missing) Error() string { return m.message }

// problem turns an error into an answer. A detail is a sentence for a person.
func problem(err error) error {
	var status huma.StatusError
	var c *conflict
	var refused *control.Conflict
	var usage *config.UsageError
	var w *wrong
	var m *missing
	switch {
	case errors.As(err, &status):
		return err
	case errors.As(err, &c):
		return huma.Error409Conflict(c.message)
	case errors.As(err, &refused):
		return huma.Error409Conflict(inWords(refused.UsageError))
	case errors.As(err, &usage):
		return huma.Error422UnprocessableEntity(inWords(usage))
	case errors.As(err, &w):
		return huma.Error422UnprocessableEntity(w.message)
	case errors.As(err, &m):
		return huma.Error404NotFound(m.message)
	case errors.Is(err, fs.ErrNotExist):
		return huma.Error404NotFound(err.Error())
	case errors.Is(err, fs.ErrPermission):
		return huma.Error403Forbidden(err.Error())
	case errors.Is(err, context.Canceled):
		return huma.NewError(499, "the request was given up")
	}
	return huma.Error500InternalServerError(err.Error())
}

// inWords is an error of the command line as a sentence, with what to do.
func inWords(u *config.UsageError) string {
	text := u.Message
	if u.Hint != "" {
		text += "; " + u.Hint
	}
	return text
}

// run opens the run that a path names.
func (s *Server) run(name string) (source.Run, error) {
	t, err := s.runs.get(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &missing{fmt.Sprintf("There is no run %.200q here; it may have been removed or renamed.", name)}
	}
	if err != nil {
		return nil, fmt.Errorf("read run %.200q: %w", name, err)
	}
	return t, nil
}

// schemaName is huma's name of a type's schema, in the letters that OpenAPI allows.
func schemaName(t reflect.Type, hint string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' && r > 'Z' || r > 'z' || r < '0' || r > '9' && r < 'A' {
			return -1
		}
		return r
	}, huma.DefaultSchemaNamer(t, hint))
}

// sayAsNetHTTP makes the document say what net/http does: it answers headers that are
// too long by itself, in plain text. And OpenAPI does not know its mark of the parts of
// paths that may have slashes.
func sayAsNetHTTP(doc *huma.OpenAPI) {
	for _, item := range doc.Paths {
		for _, o := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if o != nil && o.Responses["431"] != nil {
				o.Responses["431"] = &huma.Response{Description: "Request Header Fields Too Large", Content: map[string]*huma.MediaType{"text/plain": {}}}
			}
		}
	}
	for path, item := range doc.Paths {
		if plain := strings.ReplaceAll(path, "...}", "}"); plain != path {
			delete(doc.Paths, path)
			doc.Paths[plain] = item
		}
	}
}
