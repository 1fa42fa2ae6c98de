package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// valuesCmd prints one series, or raw values.
type valuesCmd struct {
	runArg
	Tensor string `arg:"" optional:"" name:"tensor" placeholder:"TENSOR" help:"Name of the tensor or series, as vigil show lists it."`
	Mode   string `name:"mode" placeholder:"MODE" help:"TRAIN, EVAL, PREDICT or GLOBAL (default: the first that has values)."`
	Steps  string `name:"steps" placeholder:"A:B" help:"Mode steps A to B, B not included; either may be left out; a single number is that step."`
	Stat   string `name:"stat" placeholder:"STAT" help:"min, max, mean, std, variance, l1, l2, sum, abs_mean, abs_max, zeros, nan, inf, count; median and prod where they were asked for; hist for the histograms over steps; shape for the shapes; raw for the stored values."`
	Worker string `name:"worker" placeholder:"WORKER" help:"Whose values (default: the chief's; of a machine's metric the host's)."`
	Table  bool   `name:"table" help:"A table, also on a terminal."`
	Format string `name:"format" default:"table" placeholder:"FORMAT" help:"table, csv, json or npy (default: a curve on a terminal, else table)."`
	JSON   bool   `name:"json" help:"The same as --format json."`
}

// formats of --format.
var formats = []string{"table", "csv", "json", "npy"}

// Help teaches the command.
func (valuesCmd) Help() string {
	return "Examples:\n\n    vigil values loss\n    vigil values latest~1 loss --table\n    vigil values latest gradient_norm\n    vigil values loss --mode TRAIN --format csv\n    vigil values latest fc1.weight --stat std --steps 0:50\n    vigil values latest fc1.weight --stat hist\n" +
		"    vigil values loss --format npy > loss.npy\n\nOn a terminal a curve is drawn; elsewhere, and with --table, each value has a line.\nWhere raw values are stored, --stat raw --steps N prints those of step N.\nOne word is the name of a tensor in the newest run, unless it names a run exactly.\nExit codes: 0, or 1 when there are no such values."
}

// Run prints the values.
func (c valuesCmd) Run(a *app) error {
	if c.JSON || c.Format == "json" {
		c.Format, a.json = "json", true
	}
	if !contains(formats, c.Format) {
		return &usage{Message: fmt.Sprintf("unknown format %q", c.Format), What: "--format", Hint: nearest(c.Format, formats, "known: "+strings.Join(formats, ", "))}
	}
	word := c.Name
	guessed := c.Tensor == "" && c.second(&c.Tensor)
	path, err := c.path()
	if err != nil {
		return err
	}
	from, to, err := parseSteps(c.Steps)
	if err != nil {
		return err
	}
	t, err := openRun(c.Name, path)
	if err != nil {
		return err
	}
	defer t.Close()
	defer func() { printDamage(a.stderr, t.Damage()) }() // of what was read
	info, err := c.find(t)
	if err != nil && guessed {
		err = neither(c.root(), word, c.Name, t.Tensors())
	}
	if err != nil {
		return err
	}
	if guessed {
		c.sayWhich(a, "")
	}
	if known := c.known(t, info); c.Worker != "" && !contains(known, c.Worker) {
		return &usage{Message: fmt.Sprintf("there is no worker %q", c.Worker), What: c.Worker, Hint: nearest(c.Worker, known, "workers: "+strings.Join(known, ", "))}
	}
	if info.Kind == record.MachineMetric {
		return c.machine(a, t, info, from, to)
	}
	modes, err := c.modes(t)
	if err != nil {
		return err
	}
	if info.Strings && c.Stat != shapeStat {
		return c.texts(a, t, modes, from, to)
	}
	if c.Stat == "raw" {
		return c.raw(a, t, modes, from, to)
	}
	if c.Stat == histStat {
		return c.hist(a, t, modes, from, to)
	}
	if c.Stat == shapeStat {
		return c.shape(a, t, info, modes, from, to)
	}
	if c.isComputed(t) {
		return c.computed(a, t, info, modes, from, to)
	}
	stat, err := c.stat(t)
	if err != nil {
		return err
	}
	for _, mode := range modes {
		steps, values, err := t.Series(source.Query{Tensor: c.Tensor, Stat: stat, Mode: mode, Worker: c.Worker, From: from, To: to})
		if err != nil {
			return fmt.Errorf("read %q: %w", c.Tensor, err)
		}
		if len(steps) > 0 {
			return c.print(a, t, mode, stat, steps, values)
		}
	}
	return c.nothing(stat, info)
}

// nothing is the error for a statistic that has no values where it was asked for.
func (c valuesCmd) nothing(stat string, info record.TensorInfo) error {
	return &usage{Message: fmt.Sprintf("%q has no %s in the steps and mode asked for", printable(c.Tensor), stat), What: c.Tensor,
		Hint: fmt.Sprintf("its kind is %s; `vigil show %s` tells at which steps it was captured", info.Kind, c.Name)}
}

// find is the info of the tensor, whose full name it takes on, or an error that names the nearest tensor.
func (c *valuesCmd) find(t source.Run) (record.TensorInfo, error) {
	if c.Tensor == "" {
		return record.TensorInfo{}, &usage{Message: fmt.Sprintf("name a tensor or a series of run %q", c.Name), What: "TENSOR",
			Hint: fmt.Sprintf("`vigil show %s` lists its %s", c.Name, record.Several(int64(len(source.OfTraining(t.Tensors()))), "tensor"))}
	}
	if info, there := view.Meant(t, c.Tensor); there {
		c.Tensor = info.Name
		return info, nil
	}
	var names []string
	for _, info := range t.Tensors() {
		names = append(names, info.Name)
	}
	return record.TensorInfo{}, &usage{Message: fmt.Sprintf("run %q has no tensor %q", c.Name, printable(c.Tensor)), What: c.Tensor,
		Hint: nearest(c.Tensor, names, fmt.Sprintf("`vigil show %s` lists its %s", c.Name, record.Several(int64(len(source.OfTraining(t.Tensors()))), "tensor")))}
}

// modeNames are the modes as --mode takes them.
var modeNames = []string{record.Train.String(), record.Eval.String(), record.Predict.String(), record.Global.String()}

func (c valuesCmd) modes(t source.Run) ([]record.Mode, error) {
	if c.Mode == "" {
		return t.Modes(), nil
	}
	m, err := record.ParseMode(c.Mode)
	if err != nil {
		return nil, &usage{Message: fmt.Sprintf("unknown mode %q", c.Mode), What: c.Mode, Hint: nearest(c.Mode, modeNames, "modes: "+strings.Join(modeNames, ", "))}
	}
	return []record.Mode{m}, nil
}

// stat is the statistic to show: what was asked for, else the value of a
// scalar, else the mean.
func (c valuesCmd) stat(t source.Run) (string, error) {
	known := t.StatNames(c.Tensor)
	if len(known) == 0 {
		for _, mode := range t.Modes() {
			if len(t.RawSteps(c.Tensor, mode, c.Worker)) > 0 {
				return "", &usage{Message: fmt.Sprintf("there are no stored statistics of %q", printable(c.Tensor)), What: c.Tensor, Hint: "raw values are: --stat raw"}
			}
		}
		return "", &usage{Message: fmt.Sprintf("there are no stored values of %q", printable(c.Tensor)), What: c.Tensor,
			Hint: fmt.Sprintf("`vigil show %s` shows what was not captured, and what is damaged", c.Name)}
	}
	if c.Stat == "" {
		if contains(known, "value") {
			return "value", nil
		}
		return "mean", nil
	}
	if contains(onDemand, c.Stat) && !contains(known, c.Stat) {
		return "", &usage{Message: fmt.Sprintf("the %s of %q was not captured", c.Stat, printable(c.Tensor)), What: c.Stat,
			Hint: fmt.Sprintf("it is computed where a collection asks: vigil run --collect weights:%s -- …", c.Stat)}
	}
	if !contains(known, c.Stat) {
		return "", &usage{Message: fmt.Sprintf("%q has no statistic %q", printable(c.Tensor), c.Stat), What: c.Stat,
			Hint: nearest(c.Stat, known, "it has: "+strings.Join(known, ", "))}
	}
	return c.Stat, nil
}

func (c valuesCmd) print(a *app, t source.Run, mode record.Mode, stat string, steps []int64, values []float64) error {
	worker := c.Worker
	if worker == "" {
		worker = t.Chief()
	}
	switch c.Format {
	case "json":
		numbers := make([]record.Number, len(values))
		for i, v := range values {
			numbers[i] = record.Number(v)
		}
		return writeJSON(a.stdout, map[string]any{"tensor": c.Tensor, "mode": mode, "worker": worker, "stat": stat, "steps": steps, "values": numbers})
	case "npy":
		return writeNPY(a.stdout, values)
	case "csv":
		w := csv.NewWriter(a.stdout)
		_ = w.Write([]string{"step", stat})
		for i, s := range steps {
			_ = w.Write([]string{strconv.FormatInt(s, 10), strconv.FormatFloat(values[i], 'g', -1, 64)})
		}
		w.Flush()
		return w.Error()
	}
	p := a.page()
	name := p.Bold(printable(c.Tensor))
	if _, terminal := a.terminal(); terminal && !c.Table && len(values) > 1 {
		if stat != "value" {
			name += ", " + stat
		}
		_, err := fmt.Fprintf(a.stdout, "%s, %s, %s\n%s", name, mode, worker, p.Curve(steps, values))
		return err
	}
	fmt.Fprintf(a.stdout, "%s, %s, %s\n", name, mode, worker)
	fmt.Fprintf(a.stdout, "%10s  %s\n", "step", stat)
	for i, s := range steps {
		if _, err := fmt.Fprintf(a.stdout, "%10d  %s\n", s, a.compact(values[i])); err != nil {
			return err
		}
	}
	return nil
}

// raw prints the stored values of one step: the first of those asked for.
func (c valuesCmd) raw(a *app, t source.Run, modes []record.Mode, from, to int64) error {
	for _, mode := range modes {
		for _, s := range t.RawSteps(c.Tensor, mode, c.Worker) {
			if s < from || (to != 0 && s >= to) {
				continue
			}
			v, err := t.Raw(c.Tensor, mode, s, c.Worker)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return fmt.Errorf("read %q at step %d: %w", c.Tensor, s, err)
			}
			return printRaw(a, c.Format, c.Tensor, mode, s, v)
		}
	}
	return &usage{Message: fmt.Sprintf("no raw values of %q are stored for the steps and mode asked for", printable(c.Tensor)), What: c.Tensor,
		Hint: "raw values are stored for collections with raw: vigil run --collect weights:every=100,raw -- …"}
}

// parseSteps reads A:B, A:, :B, or a single step.
func parseSteps(text string) (from, to int64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	bad := &usage{Message: fmt.Sprintf("cannot read steps %q", text), What: text, Hint: "write A:B, A:, :B or one step, such as 100:200"}
	number := func(s string, otherwise int64) (int64, bool) {
		if s == "" {
			return otherwise, true
		}
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil && n >= 0
	}
	a, b, isRange := strings.Cut(text, ":")
	from, ok := number(a, 0)
	if !ok || (!isRange && a == "") {
		return 0, 0, bad
	}
	if !isRange {
		return from, from + 1, nil
	}
	to, ok = number(b, 0)
	if !ok || (b != "" && to <= from) {
		return 0, 0, bad
	}
	return from, to, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
