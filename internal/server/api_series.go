package server

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/view"
)

// Line is a series as a chart draws it.
type Line struct {
	Name   string `json:"name"`
	Stat   string `json:"stat" doc:"\"value\" of a scalar."`
	Mode   string `json:"mode"`
	Worker string `json:"worker"`
	Unit   string `json:"unit"`
	Raw    bool   `json:"raw" doc:"x and mean are the points themselves; x_last, min, max, last_value and odd are empty."`
	Points int64  `json:"points" doc:"How many points are drawn, or stood for."`
	First  number `json:"first" doc:"x of the whole series' first point; NaN of none."`
	Last   number `json:"last" doc:"x of its last point."`
	X      floats `json:"x" doc:"Of the first point of each column."`
	XLast  floats `json:"x_last"`
	Min    floats `json:"min" doc:"Of the finite values; NaN where there is none."`
	Max    floats `json:"max"`
	Mean   floats `json:"mean"`
	Latest floats `json:"last_value" doc:"The value of the last point of each column."`
	Odd    odds   `json:"odd" doc:"1 where a value is NaN or infinite."`
	Error  string `json:"error" doc:"Why there is nothing; \"\" otherwise."`
}

type odds = integers

func toLine(l *view.Line) Line {
	out := Line{Name: l.Tensor, Stat: l.Stat, Mode: l.Mode, Worker: l.Worker, Unit: l.Unit, Raw: l.Raw, Points: l.Points, First: number(l.First), Last: number(l.Last),
		X: l.X, XLast: l.XLast, Min: l.Min, Max: l.Max, Mean: l.Mean, Latest: l.LastValue, Odd: l.Odd}
	if l.Err != nil {
		out.Error = l.Err.Error()
	}
	return out
}

// Lines are series along one axis.
type Lines struct {
	Format
	Axis   string `json:"axis"`
	From   number `json:"from" doc:"The least x that is asked for, or that there is; NaN of none."`
	To     number `json:"to"`
	Series []Line `json:"series"`
}

// mostSeries bounds the series of one request.
const mostSeries = 64

// SeriesQuery is what all resources that give series are asked.
type SeriesQuery struct {
	Series  []string `query:"s,explode" maxItems:"64" doc:"TENSOR|STAT|MODE|WORKER, each part URL-escaped before they are joined; what is empty is the value or the mean, the first mode that has values, the chief."`
	From    string   `query:"from" maxLength:"40" doc:"The least x; a number in the axis' unit."`
	To      string   `query:"to" maxLength:"40" doc:"Beyond the greatest x."`
	Columns int      `query:"columns" minimum:"16" maximum:"4096" default:"1600" doc:"How many columns a chart has. A series of up to twice as many points comes whole."`
	Axis    string   `query:"axis" enum:"step,update,time,relative,epoch" default:"step" doc:"What x counts: steps of the series' mode, updates of the weights, seconds since 1970, seconds since the run began, epochs."`
}

func (q *SeriesQuery) frame() (view.Frame, error) {
	from, err := bound("from", q.From)
	if err != nil {
		return view.Frame{}, err
	}
	to, err := bound("to", q.To)
	return view.Frame{Axis: view.Axis(q.Axis), From: from, To: to, Columns: q.Columns}, err
}

// bound reads the end of a range; NaN is none.
func bound(name, text string) (float64, error) {
	if text == "" {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, &wrong{fmt.Sprintf("%s is %.40q; it has to be a number", name, text)}
	}
	return v, nil
}

func (q *SeriesQuery) asks() ([]view.Ask, error) {
	if len(q.Series) == 0 {
		return nil, &wrong{"no series is named; name them with s=TENSOR|STAT|MODE|WORKER"}
	}
	if len(q.Series) > mostSeries {
		return nil, &wrong{fmt.Sprintf("%d series are asked for; one request gives at most %d", len(q.Series), mostSeries)}
	}
	out := make([]view.Ask, len(q.Series))
	for i, s := range q.Series {
		ask, err := parseAsk(s)
		if err != nil {
			return nil, err
		}
		out[i] = ask
	}
	return out, nil
}

// parseAsk reads TENSOR|STAT|MODE|WORKER.
func parseAsk(s string) (view.Ask, error) {
	parts := strings.Split(s, "|")
	if len(parts) > 4 {
		return view.Ask{}, &wrong{fmt.Sprintf("series %.200q has %d parts; it is TENSOR|STAT|MODE|WORKER, each part URL-escaped", s, len(parts))}
	}
	var a view.Ask
	for i, to := range []*string{&a.Tensor, &a.Stat, &a.Mode, &a.Worker}[:len(parts)] {
		text, err := url.PathUnescape(parts[i])
		if err != nil {
			return a, &wrong{fmt.Sprintf("series %.200q: %v", s, err)}
		}
		*to = text
	}
	return a, nil
}

// spellAsk is the inverse of parseAsk.
func spellAsk(a view.Ask) string {
	return strings.Join([]string{url.PathEscape(a.Tensor), url.PathEscape(a.Stat), a.Mode, url.PathEscape(a.Worker)}, "|")
}

func toLines(lines []view.Line, e view.Frame) Lines {
	out := Lines{Format: format1, Axis: string(e.Axis), From: number(e.From), To: number(e.To), Series: make([]Line, len(lines))}
	for i := range lines {
		l := &lines[i]
		out.Series[i] = toLine(l)
		if n := len(l.X); n > 0 {
			last := l.X[n-1]
			if len(l.XLast) > 0 {
				last = l.XLast[n-1]
			}
			if math.IsNaN(e.From) && !(float64(out.From) <= l.X[0]) {
				out.From = number(l.X[0])
			}
			if math.IsNaN(e.To) && !(float64(out.To) >= last) {
				out.To = number(last)
			}
		}
	}
	return out
}

// Compared are the same series of several runs.
type Compared struct {
	Format
	Runs []ComparedRun `json:"runs"`
}

// ComparedRun are the series of one run.
type ComparedRun struct {
	Run    string `json:"run"`
	Axis   string `json:"axis"`
	From   number `json:"from"`
	To     number `json:"to"`
	Series []Line `json:"series"`
	Error  string `json:"error" doc:"Why the run cannot be read; \"\" otherwise."`
}

func registerSeries(api huma.API, s *Server) {
	get(api, "/runs/{run}/series", "get-series", "Series as a chart draws them: points, or the minimum, maximum and mean of columns",
		func(_ context.Context, in *struct {
			RunPath
			SeriesQuery
		}) (Lines, error) {
			t, err := s.run(in.Run)
			if err != nil {
				return Lines{}, err
			}
			asks, err := in.asks()
			if err != nil {
				return Lines{}, err
			}
			e, err := in.frame()
			if err != nil {
				return Lines{}, err
			}
			return toLines(view.Lines(t, asks, e), e), nil
		})
	get(api, "/series/compare", "compare-series", "The same series of several runs; series and runs together are bounded",
		func(_ context.Context, in *struct {
			Runs []string `query:"run,explode" minItems:"1" maxItems:"200" doc:"Names of runs."`
			SeriesQuery
		}) (Compared, error) {
			asks, err := in.asks()
			if err != nil {
				return Compared{}, err
			}
			e, err := in.frame()
			if err != nil {
				return Compared{}, err
			}
			if n := len(in.Runs) * len(asks); n > mostCompared {
				return Compared{}, &wrong{fmt.Sprintf("%d curves are asked for; one request compares at most %d", n, mostCompared)}
			}
			out := Compared{format1, make([]ComparedRun, len(in.Runs))}
			for i, name := range in.Runs {
				out.Runs[i] = ComparedRun{Run: name, Axis: in.Axis, From: number(math.NaN()), To: number(math.NaN()), Series: []Line{}}
				t, err := s.run(name)
				if err != nil {
					out.Runs[i].Error = err.Error()
					continue
				}
				l := toLines(view.Lines(t, asks, e), e)
				out.Runs[i].From, out.Runs[i].To, out.Runs[i].Series = l.From, l.To, l.Series
			}
			return out, nil
		})
}

// mostCompared bounds the curves of one comparison.
const mostCompared = 1024
