package server

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/view"
)

// Windows are the windows of detail of a run.
type Windows struct {
	Format
	Windows []Window `json:"windows"`
}

// Window is one window of one worker.
type Window struct {
	Number    int       `json:"number"`
	Worker    string    `json:"worker"`
	Kind      string    `json:"kind" enum:"stacks"`
	Why       string    `json:"why" doc:"What asked for it."`
	Automatic bool      `json:"automatic"`
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	FirstStep int64     `json:"first_step" doc:"TRAIN step under way when it began."`
	EndStep   int64     `json:"end_step" doc:"The first TRAIN step that had not been closed when it ended."`
	Steps     int64     `json:"steps" doc:"That closed in it."`
	Samples   int64     `json:"samples" doc:"Of the process that trains."`
	Loaders   int       `json:"loader_workers" doc:"That were sampled."`
	Cut       string    `json:"cut" doc:"Why it ended early."`
	Damaged   string    `json:"damaged" doc:"Why it cannot be read."`
}

// Flame is where the time of a window went, by call. The lists have a place for each
// call within those that led to it; a caller comes before what it calls.
type Flame struct {
	Format
	Window       int         `json:"window"`
	Worker       string      `json:"worker"`
	Of           string      `json:"of" enum:"rank,loaders"`
	By           string      `json:"by" enum:"function,line"`
	About        string      `json:"about" doc:"How long it was and how many samples it has."`
	Few          string      `json:"few" doc:"Says that there are too few samples to believe in."`
	Seconds      number      `json:"seconds" doc:"Of the whole."`
	Samples      int64       `json:"samples"`
	Minus        int         `json:"minus" doc:"The window it is compared with; 0: none."`
	MinusSeconds number      `json:"minus_seconds" doc:"The whole of that."`
	Function     []string    `json:"function"`
	File         []string    `json:"file"`
	Line         integers    `json:"line" doc:"0 where a place is a function."`
	Parent       integers    `json:"parent" doc:"Place of the caller in the lists; -1: it is an outermost call."`
	Self         floats      `json:"self" doc:"Seconds without what it called."`
	Total        floats      `json:"total" doc:"Seconds with what it called."`
	Before       floats      `json:"before" doc:"Total in the window it is compared with."`
	Change       floats      `json:"change" doc:"Of the share of the whole, in percent points."`
	Own          []bool      `json:"own" doc:"Code of the user's, not of a library."`
	More         int         `json:"more" doc:"Short calls that are not listed."`
	Lines        []FlameLine `json:"lines" doc:"Lines of the user's code in which the time went, the longest first; compared with another window, those whose share changed most."`
}

// FlameLine is a line of code and its share of the time.
type FlameLine struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Share    number `json:"share" doc:"0 to 1."`
	Seconds  number `json:"seconds"`
	Before   number `json:"before" doc:"Its share in the window it is compared with."`
}

func registerWindows(api huma.API, s *Server) {
	get(api, "/runs/{run}/windows", "list-windows", "Windows in which it was noted where the training stood", s.windows)
	get(api, "/runs/{run}/windows/{window}/flame", "get-flame", "Where the time of a window went, by call", s.flame)
}

func (s *Server) windows(_ context.Context, in *RunPath) (Windows, error) {
	out := Windows{format1, []Window{}}
	t, err := s.run(in.Run)
	if err != nil {
		return out, err
	}
	for _, w := range view.WindowInfos(t) {
		out.Windows = append(out.Windows, Window{w.Number, w.Worker, "stacks", w.Why, w.Automatic, w.From, w.To, w.FirstStep, w.EndStep, max(w.EndStep-w.FirstStep, 0), w.Samples, w.Loaders, w.Cut, w.Damaged})
	}
	return out, nil
}

type flameOfRun struct {
	RunPath
	Window int    `path:"window" minimum:"1" maximum:"1000000000"`
	Worker string `query:"worker" maxLength:"255" doc:"Empty: the chief, or the first that has the window."`
	Of     string `query:"of" enum:"rank,loaders" default:"rank" doc:"The process that trains, or its loader workers together."`
	By     string `query:"by" enum:"function,line" default:"function"`
	Minus  int    `query:"minus" minimum:"0" maximum:"1000000000" doc:"A window to compare with; 0: none."`
}

func (s *Server) flame(_ context.Context, in *flameOfRun) (Flame, error) {
	t, err := s.run(in.Run)
	if err != nil {
		return Flame{}, err
	}
	f, err := view.FlameTreeOf(t, view.FlameQuery{Window: in.Window, Worker: in.Worker, Loaders: in.Of == "loaders", ByLine: in.By == "line", Minus: in.Minus})
	if err != nil {
		return Flame{}, err
	}
	n := len(f.Rows)
	out := Flame{Format: format1, Window: f.Window, Worker: f.Worker, Of: in.Of, By: in.By, About: f.About, Few: f.Few, Seconds: number(f.Seconds), Samples: f.Samples, Minus: f.Earlier,
		MinusSeconds: number(f.EarlierS), Function: make([]string, n), File: make([]string, n), Line: make(integers, n), Parent: make(integers, n), Self: make(floats, n), Total: make(floats, n),
		Own: make([]bool, n), More: f.Left, Lines: []FlameLine{}}
	if f.Earlier != 0 {
		out.Before, out.Change = make(floats, n), make(floats, n)
	}
	for i := range f.Rows {
		r := &f.Rows[i]
		out.Function[i], out.File[i], out.Line[i], out.Parent[i] = r.Function, r.File, int64(r.Line), int64(r.Parent)
		out.Self[i], out.Total[i], out.Own[i] = r.Self, r.Total, r.Own
		if f.Earlier != 0 {
			out.Before[i], out.Change[i] = r.Before, r.Change
		}
	}
	for _, l := range f.Lines {
		out.Lines = append(out.Lines, FlameLine{l.File, l.Frame.Line, l.Function, number(l.Share), number(l.Time.Seconds()), number(l.Before)})
	}
	return out, nil
}
