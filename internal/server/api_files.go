package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// FileList are the files that are kept with a run, besides its values.
type FileList struct {
	Format
	Files []KeptFile `json:"files"`
}

// KeptFile is a file that is stored with a run.
type KeptFile struct {
	Path string `json:"path" doc:"In the run, with slashes."`
	Size int64  `json:"size"`
	Kind string `json:"kind" enum:"log,file" doc:"A log, or a file that a rule wrote."`
}

// mostKept bounds how many are listed.
const mostKept = 1000

// keptFiles are the logs of a run and what its rules wrote.
func keptFiles(t source.Run) []KeptFile {
	list := []KeptFile{}
	root, err := os.OpenRoot(t.Path())
	if err != nil {
		return list
	}
	defer root.Close()
	for _, dir := range []string{layout.LogsDir, layout.FilesDir} {
		_ = fs.WalkDir(root.FS(), dir, func(p string, e fs.DirEntry, err error) error {
			if err != nil || len(list) >= mostKept {
				return fs.SkipAll
			}
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
				return nil
			}
			kind := "log"
			if dir == layout.FilesDir {
				kind = "file"
			}
			list = append(list, KeptFile{p, info.Size(), kind})
			return nil
		})
	}
	return list
}

// keptBy are those of one configuration of a rule: what it wrote, and whether it
// has a log.
func keptBy(list []KeptFile, configuration string) (files []KeptFile, log bool) {
	files = []KeptFile{}
	for _, k := range list {
		switch {
		case k.Path == layout.RuleLog(configuration):
			log = true
		case strings.HasPrefix(k.Path, layout.RuleFiles(configuration)+"/"):
			files = append(files, k)
		}
	}
	return files, log
}

// open opens a log or a file of a rule. What leads out of the run, and what is not a
// regular file, is not there.
func openKept(t source.Run, rel string) (*os.File, int64, error) {
	none := &missing{fmt.Sprintf("The run has no file %.200q.", rel)}
	clean := path.Clean(rel)
	if top, _, _ := strings.Cut(clean, "/"); !filepath.IsLocal(filepath.FromSlash(clean)) || top != layout.LogsDir && top != layout.FilesDir {
		return nil, 0, none
	}
	root, err := os.OpenRoot(t.Path())
	if err != nil {
		return nil, 0, none
	}
	defer root.Close()
	info, err := root.Lstat(filepath.FromSlash(clean))
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, none
	}
	f, err := root.Open(filepath.FromSlash(clean))
	if err != nil {
		return nil, 0, none
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, 0, none
	}
	return f, info.Size(), nil
}

// LogText is a piece of a log.
type LogText struct {
	Format
	Text string `json:"text"`
	From int64  `json:"from" doc:"The byte of the log that the text begins at."`
	To   int64  `json:"to" doc:"The byte behind it; ask from there for what comes next."`
	Size int64  `json:"size"`
}

// mostLog bounds the text of one answer.
const mostLog = 1 << 20

// logFile is the file of a log by the name that the API has for it.
func logFile(which string) (string, error) {
	switch name, isRule := strings.CutPrefix(which, "rule:"); {
	case which == "output":
		return layout.OutputLog, nil
	case which == "agent":
		return layout.AgentLog, nil
	case which == "traceback":
		return layout.TracebackLog, nil
	case isRule && name != "":
		return layout.RuleLog(name), nil
	}
	return "", &wrong{fmt.Sprintf("There is no log %.60q; there are output, agent, traceback and rule:NAME.", which)}
}

// readLog reads bytes of a log; tail is how many of its end where from is negative.
func readLog(t source.Run, rel string, from, tail int64) (LogText, error) {
	f, size, err := openKept(t, rel)
	if err != nil {
		return LogText{}, err
	}
	defer f.Close()
	if from < 0 {
		from = max(0, size-min(tail, mostLog))
	}
	from = min(from, size)
	b := make([]byte, min(size-from, mostLog))
	n, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return LogText{}, fmt.Errorf("read the log: %w", err)
	}
	return LogText{format1, validText(b[:n]), from, from + int64(n), size}, nil
}

func registerFiles(api huma.API, s *Server) {
	get(api, "/runs/{run}/logs", "get-log", "A piece of a log: the end, or from a byte on", func(_ context.Context, in *struct {
		RunPath
		Which string `query:"which" default:"output" maxLength:"400" doc:"output, agent, traceback or rule:NAME."`
		Tail  int64  `query:"tail" default:"65536" minimum:"1" maximum:"1048576" doc:"Bytes of the end."`
		From  int64  `query:"from" default:"-1" minimum:"-1" doc:"The first byte; -1: as many of the end as tail says."`
	},
	) (LogText, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return LogText{}, err
		}
		rel, err := logFile(in.Which)
		if err != nil {
			return LogText{}, err
		}
		return readLog(t, rel, in.From, in.Tail)
	})
	get(api, "/runs/{run}/files", "list-files", "The logs of a run and what its rules wrote", func(_ context.Context, in *struct{ RunPath }) (FileList, error) {
		t, err := s.run(in.Run)
		if err != nil {
			return FileList{}, err
		}
		return FileList{format1, keptFiles(t)}, nil
	})
	huma.Register(api, huma.Operation{Method: http.MethodGet, Path: "/runs/{run}/files/{path...}", OperationID: "get-file", Summary: "One of them, to be kept: never shown as a page",
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity},
		Responses: map[string]*huma.Response{"200": {Description: "The bytes of the file.", Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}}},
		func(_ context.Context, in *struct {
			RunPath
			Path string `path:"path" maxLength:"2000" doc:"As the list of files has it."`
		},
		) (*huma.StreamResponse, error) {
			t, err := s.run(in.Run)
			if err != nil {
				return nil, problem(err)
			}
			f, size, err := openKept(t, in.Path)
			if err != nil {
				return nil, problem(err)
			}
			return &huma.StreamResponse{Body: func(ctx huma.Context) {
				defer f.Close()
				ctx.SetHeader("Content-Type", "application/octet-stream")
				ctx.SetHeader("Content-Disposition", attachment(path.Base(path.Clean(in.Path))))
				ctx.SetHeader("Content-Length", strconv.FormatInt(size, 10))
				ctx.SetHeader("X-Content-Type-Options", "nosniff")
				_, _ = io.CopyN(ctx.BodyWriter(), f, size) // who asked may be gone
			}}, nil
		})
}

// attachment is the header that makes a browser keep a file.
func attachment(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + plain + `"`
}

// validText is bytes as text.
func validText(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }
