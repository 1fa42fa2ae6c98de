package cli

import (
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// histStat is what --stat asks for histograms by.
const histStat = "hist"

// hist prints the histograms of a tensor over its steps.
func (c valuesCmd) hist(a *app, t source.Run, modes []record.Mode, from, to int64) error {
	for _, mode := range modes {
		rows, err := t.Stats(source.Query{Tensor: c.Tensor, Mode: mode, Worker: c.Worker, From: from, To: to})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read %q: %w", c.Tensor, err)
		}
		h := view.HistogramsOf(rows)
		if h == nil {
			continue
		}
		switch c.Format {
		case "json":
			return writeJSON(a.stdout, map[string]any{"tensor": c.Tensor, "mode": mode, "worker": rows[0].Worker, "stat": histStat, "steps": h.Steps, "edges": h.Edges, "values": h.Counts})
		case "npy":
			return writeHistNPY(a.stdout, view.FullHistograms(rows))
		case "csv":
			return writeHistCSV(a.stdout, h)
		}
		head := fmt.Sprintf("%s, %s, %s", printable(c.Tensor), mode, rows[0].Worker)
		if len(h.Steps) == 1 {
			return printBins(a.stdout, fmt.Sprintf("%s, step %d", head, h.Steps[0]), h)
		}
		return printSpreads(a.stdout, head, h)
	}
	return &usage{Message: fmt.Sprintf("no histograms of %q are stored for the steps and mode asked for", printable(c.Tensor)), What: c.Tensor,
		Hint: "histograms are stored of weights, biases and gradients, and of collections with hist: vigil run --collect layers:hist -- …"}
}

// writeHistNPY writes counts by step and bin, in all the bins there can be.
func writeHistNPY(w io.Writer, h *view.Histograms) error {
	if err := writeNPYHeader(w, "<i8", []int64{int64(len(h.Steps)), view.AllBins}); err != nil {
		return err
	}
	for _, counts := range h.Counts {
		if err := binary.Write(w, binary.LittleEndian, counts); err != nil {
			return err
		}
	}
	return nil
}

// writeHistCSV writes the bins that hold anything.
func writeHistCSV(to io.Writer, h *view.Histograms) error {
	w := csv.NewWriter(to)
	_ = w.Write([]string{"step", "low", "high", "count"})
	for i, step := range h.Steps {
		for b, n := range h.Counts[i] {
			if n > 0 {
				low, high := zeroBin(h, b)
				_ = w.Write([]string{strconv.FormatInt(step, 10), strconv.FormatFloat(low, 'g', -1, 64), strconv.FormatFloat(high, 'g', -1, 64), strconv.FormatInt(n, 10)})
			}
		}
	}
	w.Flush()
	return w.Error()
}

// zeroBin is a bin's bounds; of that of zeros both are zero.
func zeroBin(h *view.Histograms, b int) (low, high float64) {
	low, high = h.Edges[b], h.Edges[b+1]
	if low < 0 && high > 0 {
		return 0, 0
	}
	return low, high
}

// printBins prints the bins of one step, each with a bar.
func printBins(w io.Writer, head string, h *view.Histograms) error {
	const bar = 40
	most, total := int64(1), int64(0)
	for _, n := range h.Counts[0] {
		most, total = max(most, n), total+n
	}
	fmt.Fprintf(w, "%s, %s\n%12s  %12s  %10s\n", head, record.Several(total, "finite element"), "from", "to", "count")
	for b, n := range h.Counts[0] {
		low, high := zeroBin(h, b)
		line := fmt.Sprintf("%12s  %12s  %10d  %s", record.Digits(low), record.Digits(high), n, strings.Repeat("█", int((n*bar+most-1)/most)))
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// spreadWidth is the most columns of a row of printSpreads.
const spreadWidth = 50

// printSpreads prints a row for each step: how its elements spread from the most
// negative to the most positive.
func printSpreads(w io.Writer, head string, h *view.Histograms) error {
	bins := len(h.Edges) - 1
	together := (bins + spreadWidth - 1) / spreadWidth
	columns := (bins + together - 1) / together
	low, high := record.Digits(h.Edges[0]), record.Digits(h.Edges[bins])
	fmt.Fprintf(w, "%s\neach column is a power of two, zeros are between the signs", head)
	if together > 1 {
		fmt.Fprintf(w, ", or %d of them", together)
	}
	gap := max(1, columns-len(low)-len(high))
	fmt.Fprintf(w, "\n%10s  %s%s%s\n", "step", low, strings.Repeat(" ", gap), high)
	for i, step := range h.Steps {
		united, most := make([]int64, columns), int64(1)
		for b, n := range h.Counts[i] {
			united[b/together] += n
			most = max(most, united[b/together])
		}
		var row strings.Builder
		for _, n := range united {
			row.WriteRune(level(n, most))
		}
		if _, err := fmt.Fprintf(w, "%10d  %s\n", step, strings.TrimRight(row.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// level is a block as high as n is of most; any element is seen.
func level(n, most int64) rune {
	blocks := []rune("▁▂▃▄▅▆▇█")
	if n == 0 {
		return ' '
	}
	return blocks[(n*int64(len(blocks))-1)/most]
}
