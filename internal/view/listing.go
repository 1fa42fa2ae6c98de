package view

import (
	"cmp"
	"slices"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Listed is a name of a run, and what there is of it.
type Listed struct {
	record.TensorInfo
	source.Content
	ByTime bool // its steps are instants, not steps of a mode
	Unit   string
}

// List is everything that has a name in a run, in the network's order.
func List(t source.Run) []Listed {
	infos := inCallOrder(t, t.Tensors())
	has := contentsOf(t, infos)
	out := make([]Listed, len(infos))
	for i, info := range infos {
		l := Listed{TensorInfo: info, Content: has[info.Name]}
		switch info.Kind {
		case record.PartTime:
			l.ByTime, l.Unit = true, "s"
		case record.MachineMetric:
			l.ByTime, l.Unit = true, MetricUnit(info.Name)
		}
		if l.ByTime && len(l.Stats) == 0 {
			l.Stats = []string{"value"}
		}
		if info.Kind == record.MachineMetric {
			l.Modes = []record.Mode{record.Global}
		}
		if l.Modes == nil && info.Kind == record.PartTime {
			l.Modes = t.Modes()
		}
		out[i] = l
	}
	return out
}

// Meant is the tensor or series of a run that a name means: the one that is called
// so, else the one of every training.
func Meant(t source.Run, name string) (record.TensorInfo, bool) {
	infos := t.Tensors()
	for _, called := range []string{name, record.TrainingSeries(name)} {
		if i := slices.IndexFunc(infos, func(info record.TensorInfo) bool { return info.Name == called }); i >= 0 {
			return infos[i], true
		}
	}
	return record.TensorInfo{}, false
}

func contentsOf(t source.Run, infos []record.TensorInfo) map[string]source.Content {
	if c, ok := t.(source.Contents); ok {
		return c.Contents()
	}
	has := make(map[string]source.Content, len(infos))
	for _, info := range infos {
		has[info.Name] = source.Content{Stats: t.StatNames(info.Name), Modes: t.Modes()}
	}
	return has
}

// Group is a heading of the curves: losses, metrics, then the collections.
type Group string

// The groups that are no collections.
const (
	Losses  Group = "losses"
	Metrics Group = "metrics"
	// Training has learning rates, the norm of the gradients, the size of updates.
	Training Group = "training"
)

// Chart is a curve that a run has.
type Chart struct {
	Name   string
	Ask    Ask
	Group  Group
	Points int64
}

// Charts are the curves of a run: each loss and logged number by mode, then what is
// known of every training, then the tensors that statistics are stored of, under their first collection. What
// machines and parts of steps did is on pages of its own.
func Charts(list []Listed) []Chart {
	var out []Chart
	for _, l := range list {
		if l.ByTime || l.AliasOf != "" || l.Strings || l.Kind == record.Samples {
			continue
		}
		stat, group := statOf(&l), groupOf(&l)
		switch stat {
		case "":
			continue
		case "value":
			stat = ""
		}
		for _, mode := range l.Modes {
			out = append(out, Chart{l.Name, Ask{Tensor: l.Name, Stat: stat, Mode: mode.String()}, group, l.Points[mode]})
		}
	}
	rank := func(c Chart) int {
		switch {
		case c.Name == "loss":
			return 0
		case c.Group == Losses:
			return 1
		case c.Group == Metrics:
			return 2
		case c.Group == Training:
			return 3
		}
		return 4
	}
	slices.SortStableFunc(out, func(a, b Chart) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// statOf is the statistic that stands for a tensor; "" where there is none. Of
// weights and gradients it is their size: positive and negative elements mostly
// cancel each other in the mean.
func statOf(l *Listed) string {
	wanted := []string{"value", "mean"}
	switch l.Kind {
	case record.Weight, record.Bias, record.Gradient:
		wanted = []string{"value", "l2", "std", "abs_mean", "mean"}
	}
	for _, stat := range wanted {
		if slices.Contains(l.Stats, stat) {
			return stat
		}
	}
	return ""
}

func groupOf(l *Listed) Group {
	switch {
	case l.Kind == record.Loss:
		return Losses
	case l.Kind == record.Metric && !ofBoosting(l.TensorInfo):
		return Metrics
	case l.Kind == record.Training:
		return Training
	}
	for _, c := range l.Collections {
		if c != plan.All {
			return Group("collection " + c)
		}
	}
	return Group("collection " + string(l.Kind))
}

// CollectionCount is how many names belong to a collection.
type CollectionCount struct {
	Name  string
	Count int
}

// CollectionCounts counts the members of collections, in the order of the first
// member.
func CollectionCounts(list []Listed) []CollectionCount {
	out := []CollectionCount{}
	place := map[string]int{}
	for _, l := range list {
		for _, c := range l.Collections {
			i, known := place[c]
			if !known {
				i = len(out)
				place[c] = i
				out = append(out, CollectionCount{Name: c})
			}
			out[i].Count++
		}
	}
	return out
}
