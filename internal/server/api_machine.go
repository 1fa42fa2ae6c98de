package server

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// Span is the part of a query that bounds a time.
type Span struct {
	From time.Time `query:"from" doc:"Only what lies at or after this time."`
	To   time.Time `query:"to" doc:"Only what lies before this time."`
}

// check refuses a span that holds nothing.
func (s *Span) check() error {
	if !s.From.IsZero() && !s.To.IsZero() && !s.To.After(s.From) {
		return &wrong{"`to` has to be later than `from`"}
	}
	return nil
}

// Hosts are the machines of a run and what was sampled of them.
type Hosts struct {
	Format
	Hosts      []MachineHost `json:"hosts" doc:"The run's own host comes first."`
	From       *time.Time    `json:"from" doc:"First sample of any host."`
	To         *time.Time    `json:"to" doc:"Last sample of any host."`
	IntervalMS int64         `json:"interval_ms" doc:"The usual time between two samples of the first host."`
	Pauses     []HostPause   `json:"pauses" doc:"Times in which nothing was sampled."`
}

// MachineHost is a machine and its metrics.
type MachineHost struct {
	Name       string            `json:"name"`
	Names      []string          `json:"names" doc:"Its metrics, numbers in their order."`
	Units      map[string]string `json:"units" doc:"Unit by metric; a metric that is a number has none."`
	From       time.Time         `json:"from"`
	To         time.Time         `json:"to"`
	IntervalMS int64             `json:"interval_ms"`
}

// HostPause is a time in which a host was not sampled.
type HostPause struct {
	Host string    `json:"host"`
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// UseTable is how the machines were used over the whole job.
type UseTable struct {
	Format
	Rows []UseRow `json:"rows"`
}

// UseRow is one metric of one machine.
type UseRow struct {
	Host   string `json:"host"`
	Metric string `json:"metric" example:"total CPU"`
	Unit   string `json:"unit" example:"%"`
	Min    number `json:"min"`
	Max    number `json:"max"`
	P99    number `json:"p99" doc:"Percentiles are those of the whole machine's value at each sample (the mean over cores or GPUs), interpolated linearly."`
	P95    number `json:"p95"`
	P90    number `json:"p90"`
	P50    number `json:"p50"`
	Count  int    `json:"count" doc:"Samples."`
}

// MetricSeries are machine metrics over time.
type MetricSeries struct {
	Format
	Host   string      `json:"host"`
	Series []TimeCurve `json:"series"`
}

// TimeCurve is one machine metric: its samples, or columns with what they were.
type TimeCurve struct {
	Name      string `json:"name"`
	Unit      string `json:"unit"`
	Raw       bool   `json:"raw" doc:"x and mean are the samples themselves; the other lists are empty."`
	Points    int64  `json:"points" doc:"Samples in the span."`
	X         floats `json:"x" doc:"First sample of each column, in seconds since 1970."`
	XLast     floats `json:"x_last" doc:"Last sample of each column."`
	Min       floats `json:"min"`
	Max       floats `json:"max"`
	Mean      floats `json:"mean"`
	LastValue floats `json:"last_value"`
	Error     string `json:"error" doc:"Why there is nothing."`
}

// MachineHeat is how much of a machine was used over time.
type MachineHeat struct {
	Format
	Times   floats           `json:"times" doc:"Where the columns begin, in seconds since 1970."`
	Seconds float64          `json:"seconds" doc:"How wide a column is."`
	Rows    []MachineHeatRow `json:"rows" doc:"Totals, then cores, then GPUs."`
}

// MachineHeatRow is one core, GPU or total.
type MachineHeatRow struct {
	Name    string `json:"name"`
	Kind    string `json:"kind" enum:"total,cpu,gpu"`
	Values  floats `json:"values" doc:"Mean of each column, 0 to 100; NaN where nothing was sampled."`
	Highest floats `json:"highest" doc:"Highest sample of each column."`
}

func registerMachine(api huma.API, s *Server) {
	get(api, "/runs/{run}/metrics", "list-metrics", "The machines of a run and what was sampled of them", s.metrics)
	get(api, "/runs/{run}/metrics/table", "get-metrics-table", "How the machines were used over the whole job", s.metricsTable)
	get(api, "/runs/{run}/metrics/series", "get-metrics-series", "Machine metrics over time", s.metricsSeries)
	get(api, "/runs/{run}/metrics/heat", "get-metrics-heat", "How much of each core and GPU was used over time", s.metricsHeat)
	get(api, "/runs/{run}/metrics/phases", "get-metrics-phases", "The parts of the last training steps, and what the machine did meanwhile", s.lastSteps)
	get(api, "/runs/{run}/timeline", "get-timeline", "What happened in a span of a run's time", s.timeline)
}

func (s *Server) metrics(_ context.Context, in *RunPath) (Hosts, error) {
	out := Hosts{Format: format1, Hosts: []MachineHost{}, Pauses: []HostPause{}}
	t, err := s.run(in.Run)
	if err != nil {
		return out, err
	}
	m, _ := t.(source.Metrics) // view.Hosts has none without
	for i, h := range view.Hosts(t) {
		host := MachineHost{Name: h.Name, Names: view.MetricNames(m, h.Name), Units: map[string]string{}, From: h.From, To: h.To, IntervalMS: h.Interval.Milliseconds()}
		for _, name := range host.Names {
			if unit := view.MetricUnit(name); unit != "" {
				host.Units[name] = unit
			}
		}
		out.Hosts = append(out.Hosts, host)
		if i == 0 {
			out.IntervalMS = host.IntervalMS
		}
		if out.From == nil || h.From.Before(*out.From) {
			out.From = &host.From
		}
		if out.To == nil || h.To.After(*out.To) {
			out.To = &host.To
		}
		for _, p := range h.Gaps {
			out.Pauses = append(out.Pauses, HostPause{h.Name, p.From, p.To})
		}
	}
	return out, nil
}

func (s *Server) metricsTable(_ context.Context, in *RunPath) (UseTable, error) {
	out := UseTable{format1, []UseRow{}}
	t, err := s.run(in.Run)
	if err != nil {
		return out, err
	}
	rows, err := view.MachineTable(t)
	for _, r := range rows {
		out.Rows = append(out.Rows, UseRow{r.Host, r.Metric, r.Unit, number(r.Min), number(r.Max), number(r.P99), number(r.P95), number(r.P90), number(r.P50), r.Samples})
	}
	return out, err
}

type seriesOfMachine struct {
	RunPath
	Span
	Host    string   `query:"host" maxLength:"255" doc:"Empty: the run's own."`
	Name    []string `query:"name,explode" maxItems:"64" doc:"Metrics. One with \"*\" in place of a part, such as gpu/*/utilization, is the mean of all that there are, of rates and amounts the sum."`
	Columns int      `query:"columns" minimum:"2" maximum:"4000" default:"800"`
}

func (s *Server) metricsSeries(_ context.Context, in *seriesOfMachine) (MetricSeries, error) {
	out := MetricSeries{Format: format1, Host: in.Host, Series: []TimeCurve{}}
	t, err := s.run(in.Run)
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return out, err
	}
	of, list, err := view.MachineSeriesOf(t, in.Host, in.Name, in.From, in.To, in.Columns)
	out.Host = of
	for _, c := range list {
		curve := TimeCurve{Name: c.Name, Unit: c.Unit, Raw: c.Raw, Points: int64(c.Points), X: c.X, XLast: c.XLast, Min: c.Min, Max: c.Max, Mean: c.Mean, LastValue: c.Last}
		if !c.Known {
			curve.Error = "the machine has no such metric"
		}
		out.Series = append(out.Series, curve)
	}
	return out, err
}

type heatOfMachine struct {
	RunPath
	Span
	Host    string `query:"host" maxLength:"255" doc:"Empty: the run's own."`
	Columns int    `query:"columns" minimum:"1" maximum:"4000" default:"600"`
}

func (s *Server) metricsHeat(_ context.Context, in *heatOfMachine) (MachineHeat, error) {
	out := MachineHeat{Format: format1, Times: floats{}, Rows: []MachineHeatRow{}}
	t, err := s.run(in.Run)
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return out, err
	}
	h, err := view.MachineHeatOf(t, in.Host, in.From, in.To, in.Columns)
	if err != nil {
		return out, err
	}
	out.Times, out.Seconds = h.Times, h.Seconds
	for _, r := range h.Rows {
		out.Rows = append(out.Rows, MachineHeatRow{r.Name, r.Kind, r.Values, r.Highest})
	}
	return out, nil
}
