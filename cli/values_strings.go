package cli

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// stringsAt are the strings of one step.
type stringsAt struct {
	step int64
	tensor.Strings
}

// texts prints a tensor of strings over its steps.
func (c valuesCmd) texts(a *app, t source.Run, modes []record.Mode, from, to int64) error {
	if c.Stat != "" && c.Stat != "raw" {
		return &usage{Message: fmt.Sprintf("%q holds strings: there is no %s of it", printable(c.Tensor), c.Stat), What: c.Stat, Hint: "shape and raw are there, and the strings without --stat"}
	}
	if c.Format == "npy" {
		return &usage{Message: fmt.Sprintf("%q holds strings, which are not written as npy", printable(c.Tensor)), What: "--format", Hint: "use json or csv"}
	}
	for _, mode := range modes {
		var list []stringsAt
		for _, step := range t.RawSteps(c.Tensor, mode, c.Worker) {
			if step < from || to != 0 && step >= to {
				continue
			}
			v, err := t.Raw(c.Tensor, mode, step, c.Worker)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			var s tensor.Strings
			if err == nil {
				s, err = tensor.ParseStrings(v.Data)
			}
			if err != nil {
				return fmt.Errorf("read %q at step %d: %w", c.Tensor, step, err)
			}
			list = append(list, stringsAt{step, s})
		}
		if len(list) > 0 {
			return c.printTexts(a, t, mode, list)
		}
	}
	return &usage{Message: fmt.Sprintf("no strings of %q are stored for the steps and mode asked for", printable(c.Tensor)), What: c.Tensor,
		Hint: "those that a model is given are kept where its inputs are: vigil run --collect inputs:every=100,raw -- …"}
}

func (c valuesCmd) printTexts(a *app, t source.Run, mode record.Mode, list []stringsAt) error {
	worker := c.Worker
	if worker == "" {
		worker = t.Chief()
	}
	switch c.Format {
	case "json":
		steps, values, shapes := []int64{}, [][]string{}, [][]int64{}
		for _, s := range list {
			steps, values, shapes = append(steps, s.step), append(values, s.Values), append(shapes, s.Shape)
		}
		return writeJSON(a.stdout, map[string]any{"tensor": c.Tensor, "mode": mode, "worker": worker, "stat": record.StringCount, "steps": steps, "values": values, "shapes": shapes})
	case "csv":
		w := csv.NewWriter(a.stdout)
		_ = w.Write([]string{"step", "index", "value"})
		for _, s := range list {
			for i, text := range s.Values {
				_ = w.Write([]string{strconv.FormatInt(s.step, 10), strconv.Itoa(i), text})
			}
		}
		w.Flush()
		return w.Error()
	}
	p := a.page()
	fmt.Fprintf(a.stdout, "%s, %s, %s\n", p.Bold(printable(c.Tensor)), mode, worker)
	if len(list) == 1 {
		s := list[0]
		fmt.Fprintf(a.stdout, "step %d, shape %s\n%10s  %s\n", s.step, shapeText(s.Shape), "index", record.StringCount)
		for i, text := range s.Values {
			if _, err := fmt.Fprintf(a.stdout, "%10d  %s\n", i, quoted(text)); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Fprintf(a.stdout, "%10s  %s\n", "step", record.StringCount)
	width := p.Width
	if width == 0 {
		width = 100
	}
	for _, s := range list {
		if _, err := fmt.Fprintf(a.stdout, "%10d  %s\n", s.step, s.line(width-12)); err != nil {
			return err
		}
	}
	return nil
}

// line is as many of the strings as fit, and how many more there are.
func (s stringsAt) line(width int) string {
	var b strings.Builder
	used := 0
	for i, text := range s.Values {
		text = quoted(text)
		more := fmt.Sprintf(" and %d more", len(s.Values)-i)
		if n := len([]rune(text)); used > 0 && used+n+1+len(more) > width {
			b.WriteString(more)
			break
		} else if n > width {
			text = string([]rune(text)[:max(width-len(more)-1, 8)]) + "…"
		}
		if used > 0 {
			b.WriteByte(' ')
			used++
		}
		b.WriteString(text)
		used += len([]rune(text))
	}
	return b.String()
}

// quoted is a string as JSON spells it, so that nothing in it acts on a terminal.
func quoted(text string) string {
	b := &strings.Builder{}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return printable(text)
	}
	return plain(strings.TrimSuffix(b.String(), "\n"))
}
