package server

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// TimeSpent is where the time of a run went.
type TimeSpent struct {
	Format
	Known            bool           `json:"known" doc:"Anything is known of it."`
	Worker           string         `json:"worker" doc:"Whose steps the shares are of."`
	Total            string         `json:"total" doc:"Time of all its steps, as text."`
	Shares           []TimeShare    `json:"shares" doc:"Whole percents that add up to 100."`
	Heads            []string       `json:"heads" doc:"Parts of the rows."`
	Rows             []TimeRow      `json:"rows"`
	MoreWorkers      int            `json:"more_workers" doc:"Workers that have no rows here."`
	Note             string         `json:"note" doc:"One sentence on the length of steps."`
	Phases           []TimePhase    `json:"phases"`
	SamplesPerSecond string         `json:"samples_per_second" doc:"Of one worker; empty where the size of a batch is not known."`
	Modes            []PartsOfMode  `json:"modes" doc:"The chief's steps by mode."`
	Parts            []StepPartName `json:"parts" doc:"All parts that a step may have."`
	Workers          []string       `json:"workers"`
	Loaders          []TimeLoader   `json:"loaders"`
}

// TimeShare is one part of the time.
type TimeShare struct {
	Name    string `json:"name"`
	Part    string `json:"part" doc:"For its colour."`
	Percent int    `json:"percent"`
	Took    string `json:"took"`
	Seconds number `json:"seconds"`
}

// TimeRow is the time of one worker's steps of a mode, as text.
type TimeRow struct {
	Worker string   `json:"worker"`
	Mode   string   `json:"mode"`
	Steps  string   `json:"steps"`
	Took   string   `json:"took"`
	Each   string   `json:"each"`
	Parts  []string `json:"parts"`
}

// TimePhase is a phase of the job; left and width are percent of the whole.
type TimePhase struct {
	Name  string `json:"name"`
	From  string `json:"from"`
	Took  string `json:"took"`
	Left  number `json:"left"`
	Width number `json:"width"`
}

// TimeLoader is a loader of data, by its settings.
type TimeLoader struct {
	Worker   string `json:"worker"`
	Settings any    `json:"settings"`
	Passes   int    `json:"passes"`
	First    number `json:"first_batch_seconds" doc:"How long the first batch of a pass took, the mean."`
	Longest  number `json:"longest_first_batch_seconds"`
}

// TimeSteps is how long steps took.
type TimeSteps struct {
	Format
	Worker    string        `json:"worker"`
	Mode      string        `json:"mode"`
	Raw       bool          `json:"raw" doc:"Every column is one step."`
	Steps     int64         `json:"steps"`
	X         integers      `json:"x" doc:"First step of each column."`
	XLast     integers      `json:"x_last" doc:"Last step of each column."`
	Time      floats        `json:"time" doc:"When it began, in seconds since 1970."`
	Min       floats        `json:"min" doc:"Seconds of the shortest step."`
	Max       floats        `json:"max" doc:"Seconds of the longest step."`
	Mean      floats        `json:"mean"`
	Parts     []TimePart    `json:"parts" doc:"Mean seconds of each part; they add up to the mean."`
	Outliers  []TimeOutlier `json:"outliers" doc:"Steps that took 3 times the median or longer, the longest first."`
	More      int64         `json:"more_outliers"`
	Typical   number        `json:"typical" doc:"The median."`
	P99       number        `json:"p99"`
	Shortest  number        `json:"shortest"`
	Longest   number        `json:"longest"`
	Histogram StepHistogram `json:"histogram"`
}

// TimePart is the time of one part in each column.
type TimePart struct {
	StepPartName
	Values floats `json:"values"`
}

// TimeOutlier is a step that took long.
type TimeOutlier struct {
	Step    int64     `json:"step"`
	Time    time.Time `json:"time" doc:"When it closed."`
	Seconds number    `json:"seconds"`
	Times   number    `json:"times" doc:"The typical time."`
}

// StepHistogram is how many steps took how long.
type StepHistogram struct {
	Edges  floats   `json:"edges" doc:"Seconds; one more than there are counts."`
	Counts integers `json:"counts"`
	Log    bool     `json:"log" doc:"The bins widen by a factor."`
}

// TimeRanks are the workers next to each other.
type TimeRanks struct {
	Format
	Mode    string         `json:"mode"`
	Workers []TimeRank     `json:"workers"`
	Parts   []StepPartName `json:"parts"`
	Text    string         `json:"text" doc:"One sentence on how they differ."`
}

// TimeRank is the time of one worker's steps.
type TimeRank struct {
	Name    string            `json:"name"`
	Rank    int               `json:"rank"`
	Host    string            `json:"host"`
	Steps   int64             `json:"steps"`
	Seconds number            `json:"seconds"`
	Own     number            `json:"own_seconds" doc:"Without waiting for other ranks."`
	Parts   map[string]number `json:"parts" doc:"Seconds by part."`
}

func registerTime(api huma.API, s *Server) {
	get(api, "/runs/{run}/time", "get-time", "Where the time of a run went", s.timeSpent)
	get(api, "/runs/{run}/time/steps", "get-time-steps", "How long steps took, and their parts", s.timeSteps)
	get(api, "/runs/{run}/time/ranks", "get-time-ranks", "The time of all workers' steps", s.timeRanks)
}

func (s *Server) timeSpent(_ context.Context, in *RunPath) (TimeSpent, error) {
	out := TimeSpent{Format: format1, Shares: []TimeShare{}, Heads: []string{}, Rows: []TimeRow{}, Phases: []TimePhase{}, Loaders: []TimeLoader{}}
	t, err := s.run(in.Run)
	if err != nil {
		return out, err
	}
	for p := range record.StepParts {
		out.Parts = append(out.Parts, StepPartName{p.String(), p.Word()})
	}
	out.Workers = append([]string{}, t.Workers()...)
	times, err := view.StepTimes(t)
	if err != nil {
		return out, err
	}
	out.Modes = partsOfModes(times)
	loaders, err := view.LoadersOf(t)
	if err != nil {
		return out, err
	}
	for _, l := range loaders {
		out.Loaders = append(out.Loaders, TimeLoader{l.Worker, l.Settings, l.Passes, number(l.First), number(l.Longest)})
	}
	spent, err := view.SpentOf(t)
	if err != nil || spent == nil {
		return out, err
	}
	out.Known, out.Worker, out.Total, out.MoreWorkers, out.SamplesPerSecond = true, spent.Worker, spent.Total, spent.More, spent.Samples
	for _, share := range spent.Shares {
		out.Shares = append(out.Shares, TimeShare{share.Name, share.Part, share.Percent, share.Took, number(share.Seconds)})
	}
	out.Heads = append(out.Heads, spent.Heads...)
	for _, row := range spent.Rows {
		out.Rows = append(out.Rows, TimeRow{row.Worker, row.Mode, row.Steps, row.Took, row.Each, append([]string{}, row.Parts...)})
	}
	for _, p := range spent.Phases {
		out.Phases = append(out.Phases, TimePhase{p.Name, p.From, p.Took, number(p.Left), number(p.Width)})
	}
	if spent.Lengths != nil {
		out.Note = spent.Lengths.Note
	}
	return out, nil
}

type stepsOfRun struct {
	RunPath
	Worker  string `query:"worker" maxLength:"255" doc:"Empty: the chief."`
	Mode    string `query:"mode" enum:"TRAIN,EVAL,PREDICT,GLOBAL" default:"TRAIN"`
	From    int64  `query:"from" minimum:"0" doc:"First step of the mode."`
	To      int64  `query:"to" minimum:"0" doc:"The step after the last one; 0: no end."`
	Columns int    `query:"columns" minimum:"2" maximum:"4000" default:"800"`
}

func (s *Server) timeSteps(_ context.Context, in *stepsOfRun) (TimeSteps, error) {
	t, err := s.run(in.Run)
	if err != nil {
		return TimeSteps{}, err
	}
	if in.To != 0 && in.To <= in.From {
		return TimeSteps{}, &wrong{"`to` has to be later than `from`"}
	}
	mode, err := record.ParseMode(in.Mode)
	if err != nil {
		return TimeSteps{}, &wrong{err.Error()}
	}
	l, err := view.StepSeriesOf(t, in.Worker, mode, in.From, in.To, in.Columns)
	if err != nil {
		return TimeSteps{}, err
	}
	out := TimeSteps{Format: format1, Worker: l.Worker, Mode: l.Mode.String(), Raw: l.Raw, Steps: l.Steps, X: l.X, XLast: l.XLast, Time: l.Times, Min: l.Min, Max: l.Max, Mean: l.Mean,
		Parts: []TimePart{}, Outliers: []TimeOutlier{}, More: l.MoreOutliers, Typical: number(l.Typical), P99: number(l.P99), Shortest: number(l.Shortest), Longest: number(l.Longest),
		Histogram: StepHistogram{l.Edges, l.Counts, l.Logarithmic}}
	for _, p := range l.Parts {
		out.Parts = append(out.Parts, TimePart{StepPartName{p.Part.String(), p.Part.Word()}, p.Values})
	}
	for _, o := range l.Outliers {
		out.Outliers = append(out.Outliers, TimeOutlier{o.Step, o.Time, number(o.Seconds), number(o.Times)})
	}
	return out, nil
}

type ranksOfRun struct {
	RunPath
	Mode string `query:"mode" enum:"TRAIN,EVAL,PREDICT,GLOBAL" default:"TRAIN"`
}

func (s *Server) timeRanks(_ context.Context, in *ranksOfRun) (TimeRanks, error) {
	t, err := s.run(in.Run)
	if err != nil {
		return TimeRanks{}, err
	}
	mode, err := record.ParseMode(in.Mode)
	if err != nil {
		return TimeRanks{}, &wrong{err.Error()}
	}
	list, text, err := view.RankTimes(t, mode)
	if err != nil {
		return TimeRanks{}, err
	}
	out := TimeRanks{Format: format1, Mode: mode.String(), Workers: []TimeRank{}, Parts: []StepPartName{}, Text: text}
	var there [record.StepParts]bool
	for _, r := range list {
		rank := TimeRank{r.Worker, r.Rank, r.Host, r.Steps, number(r.Seconds), number(r.Own), map[string]number{}}
		for p := range record.StepParts {
			if took, ok := r.Parts[p.String()]; ok {
				rank.Parts[p.String()], there[p] = number(took), true
			}
		}
		out.Workers = append(out.Workers, rank)
	}
	for p, is := range there {
		if is {
			out.Parts = append(out.Parts, StepPartName{record.StepPart(p).String(), record.StepPart(p).Word()})
		}
	}
	return out, nil
}
