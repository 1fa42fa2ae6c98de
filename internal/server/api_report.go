package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/report"
)

// Report is a report that was written.
type Report struct {
	Format
	Report string `json:"report" doc:"The file."`
	Bytes  int64  `json:"bytes"`
}

func registerReport(api huma.API, s *Server) {
	change(api, http.MethodPost, "/runs/{run}/report", "write-report", "Write the HTML report into the run, as `vigil report`", func(_ context.Context, in *struct{ RunPath }) (Report, error) {
		r, err := s.control(in.Run)
		if err != nil {
			return Report{}, err
		}
		path, err := r.Report("")
		if err != nil {
			return Report{}, &conflict{fmt.Sprintf("The report was not written: %v.", err)}
		}
		info, err := os.Stat(path)
		if err != nil {
			return Report{}, err
		}
		return Report{format1, path, info.Size()}, nil
	})
	huma.Register(api, huma.Operation{Method: http.MethodGet, Path: "/runs/{run}/report", OperationID: "get-report", Summary: "The HTML report as it is now, to be kept",
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity},
		Responses: map[string]*huma.Response{"200": {Description: "One file that needs no network.", Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}}},
		func(_ context.Context, in *struct{ RunPath }) (*huma.StreamResponse, error) {
			t, err := s.run(in.Run)
			if err != nil {
				return nil, problem(err)
			}
			// Nothing is left of it on the disk, also when the run cannot be written.
			dir, err := os.MkdirTemp("", "vigil-report-")
			if err != nil {
				return nil, problem(err)
			}
			defer os.RemoveAll(dir)
			file := dir + "/report.html"
			if err := report.WriteFile(file, t, time.Now()); err != nil {
				return nil, problem(err)
			}
			f, err := os.Open(file)
			if err != nil {
				return nil, problem(err)
			}
			info, err := f.Stat()
			if err != nil {
				f.Close()
				return nil, problem(err)
			}
			return &huma.StreamResponse{Body: func(ctx huma.Context) {
				defer f.Close()
				ctx.SetHeader("Content-Type", "application/octet-stream")
				ctx.SetHeader("Content-Disposition", attachment(strings.TrimLeft(in.Run, ".")+".html"))
				ctx.SetHeader("Content-Length", strconv.FormatInt(info.Size(), 10))
				_, _ = io.Copy(ctx.BodyWriter(), f) // who asked may be gone
			}}, nil
		})
}
