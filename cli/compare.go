package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// compareCmd shows runs side by side.
type compareCmd struct {
	rootFlag
	Names []string `arg:"" optional:"" name:"run" placeholder:"RUN" help:"Two runs or more: their names below the root, the beginning of one, latest, latest~1, or paths."`
	All   bool     `name:"all" help:"Also what is the same in all of them, and the curve of each series."`
	Out   string   `name:"out" short:"o" placeholder:"FILE" help:"Write it to this file."`
	JSON  bool     `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (compareCmd) Help() string {
	return `Examples:

    vigil compare latest~1 latest
    vigil compare latest~1 latest --all -o comparison.txt
    vigil compare latest latest~1 --json

What the runs differ in: options and tags, how the training is made, code, packages, environment. Then the final values of
the series that they share, and their curves on one scale: drawn on a terminal, as a table elsewhere.

Exit codes: 0, or 1 when a run cannot be read.`
}

// How much of a comparison is shown and kept.
const (
	comparedPoints = 1000 // of a series in JSON
	comparedCurves = 4    // without --all
	mostCompared   = 20
)

// Run reads the runs and prints what they differ in.
func (c compareCmd) Run(a *app) error {
	if len(c.Names) < 2 {
		return &usage{Message: "name at least two runs to compare", What: "RUN", Hint: "vigil compare latest~1 latest"}
	}
	if len(c.Names) > mostCompared {
		return &usage{Message: fmt.Sprintf("%d runs are to be compared; %d is the most", len(c.Names), mostCompared), What: "RUN", Hint: "`vigil ls --tag K=V --json` has the numbers of many runs"}
	}
	var runs []source.Run
	seen := map[string]string{}
	for _, word := range c.Names {
		if word == "" {
			return &usage{Message: "the name of a run is empty", What: "RUN", Hint: "`vigil ls` lists the runs"}
		}
		path, name, err := findRun(c.root(), word)
		if err != nil {
			return err
		}
		if absolute, err := filepath.Abs(path); err == nil {
			if before, twice := seen[absolute]; twice {
				return &usage{Message: fmt.Sprintf("%q and %q are the same run", before, word), What: word, Hint: "name two different runs"}
			}
			seen[absolute] = word
		}
		t, err := openRun(name, path)
		if err != nil {
			return err
		}
		defer t.Close()
		defer func() { printDamage(a.stderr, t.Damage()) }()
		runs = append(runs, t)
	}
	points := 0 // all
	if c.JSON {
		points = comparedPoints
	}
	compared, err := view.Compare(runs, points)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if c.JSON {
		err = writeJSON(&b, compared)
	} else {
		width, terminal, style := a.output()
		p := &comparison{Comparison: compared, w: &b, width: width, whole: !terminal, drawn: terminal, all: c.All, style: style}
		if c.Out != "" {
			p.width, p.whole, p.drawn, p.style = 100, true, true, live.Style{Unicode: true}
		}
		p.print()
	}
	if err != nil {
		return err
	}
	if c.Out == "" {
		_, err := a.stdout.Write(b.Bytes())
		return err
	}
	if err := os.WriteFile(c.Out, b.Bytes(), 0o644); err != nil {
		return &usage{Message: fmt.Sprintf("write %q: %v", c.Out, err), What: "-o " + c.Out, Hint: "name a file in a directory that is there"}
	}
	_, err = fmt.Fprintf(a.stderr, "wrote %s\n", c.Out)
	return err
}

// comparison prints runs side by side.
type comparison struct {
	view.Comparison
	w     io.Writer
	width int
	whole bool // nothing is cut
	drawn bool // curves are drawn
	all   bool
	style live.Style

	names   []string
	label   int   // width of the labels
	cells   []int // widths of the columns
	stacked bool  // there is no room for columns
}

// block are rows under a title: a label, and a cell for each run.
type block struct {
	title string
	rows  [][]string
}

func (p *comparison) print() {
	for i := range p.Runs {
		name := p.Runs[i].Name
		for j := range p.Runs {
			if i != j && p.Runs[j].Name == name {
				name = p.Runs[i].Path // two roots have runs of this name
			}
		}
		p.names = append(p.names, printable(name))
	}
	overview, finals := p.overview(), p.finals()
	sections := p.sections()
	p.measure(append(sections, overview, finals))
	p.table(overview)
	for _, b := range sections {
		p.table(b)
	}
	switch {
	case len(p.Differences) == 0:
		fmt.Fprintf(p.w, "\nNothing that is known of them differs: %s the same.\n", p.same())
	case !p.all && p.Same > 0:
		fmt.Fprintf(p.w, "\n%s the same; --all lists them.\n", p.same())
	}
	if len(finals.rows) > 0 {
		p.table(finals)
	}
	p.curves()
	if n := len(p.Alone); n > 0 {
		fmt.Fprintf(p.w, "\nNot in two of them or more: %s\n", printable(strings.Join(p.Alone, ", ")))
	}
}

// sections are the differences, and with --all also what is the same.
func (p *comparison) sections() []block {
	list := p.Differences
	if p.all {
		list = slices.Concat(p.Differences, p.Alike)
		slices.SortStableFunc(list, func(a, b view.Difference) int {
			return slices.Index(view.Sections, a.Section) - slices.Index(view.Sections, b.Section)
		})
	}
	var blocks []block
	for _, d := range list {
		title := strings.ToUpper(d.Section[:1]) + d.Section[1:]
		if len(blocks) == 0 || blocks[len(blocks)-1].title != title {
			blocks = append(blocks, block{title: title})
		}
		row := []string{plain(d.Name)}
		for _, v := range d.Values {
			text := "-"
			if v != nil {
				text = plain(*v)
			}
			row = append(row, text)
		}
		b := &blocks[len(blocks)-1]
		b.rows = append(b.rows, row)
	}
	return blocks
}

func (p *comparison) same() string {
	if p.Same == 1 {
		return "1 property is"
	}
	return fmt.Sprintf("%d properties are", p.Same)
}

// overview is how the runs ended.
func (p *comparison) overview() block {
	rows := [][]string{{"status"}, {"duration"}, {"steps"}, {"findings"}}
	for _, r := range p.Runs {
		for i, text := range []string{r.Status, durationText(time.Duration(r.Seconds * float64(time.Second))), record.StepsText(r.Steps), tallyText(r.Tally, r.Findings)} {
			rows[i] = append(rows[i], text)
		}
	}
	return block{"", rows}
}

// finals are the last values of the series that runs share.
func (p *comparison) finals() block {
	var rows [][]string
	for _, s := range p.Series {
		row := []string{seriesName(s)}
		for _, c := range s.Of {
			text := "-"
			if c != nil {
				text = fmt.Sprintf("%s at %d", digits(c.Last), c.At)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return block{"Final values", rows}
}

func seriesName(s view.SharedSeries) string {
	return fmt.Sprintf("%s (%s)", printable(s.Name), s.Mode)
}

// digits is a number as people compare it.
func digits(v record.Number) string { return record.Digits(float64(v)) }

// The widths of a table: labels are not wider than mostLabel, and where a cell would
// be cut below leastCell the values of a property stand below each other.
const (
	mostLabel = 40
	leastCell = 14
)

// measure gives all tables the same columns.
func (p *comparison) measure(blocks []block) {
	p.cells = make([]int, len(p.names))
	for i, name := range p.names {
		p.cells[i] = len([]rune(name))
	}
	for _, b := range blocks {
		p.label = max(p.label, len([]rune(b.title)))
		for _, row := range b.rows {
			p.label = max(p.label, len([]rune(row[0]))+2)
			for i, cell := range row[1:] {
				p.cells[i] = max(p.cells[i], len([]rune(cell)))
			}
		}
	}
	p.label = min(p.label, mostLabel)
	sum := p.label
	for _, w := range p.cells {
		sum += w + 2
	}
	if sum <= p.width || p.whole && len(p.names) == 2 {
		return // two runs fit beside each other in a file, however long a value is
	}
	room := (p.width-p.label)/len(p.names) - 2
	if room < leastCell {
		p.stacked = true
		return
	}
	if !p.whole {
		for i := range p.cells {
			p.cells[i] = min(p.cells[i], room)
		}
	}
}

// table prints a block with a column for each run, whose names stand above.
func (p *comparison) table(b block) {
	if b.title != "" {
		fmt.Fprintln(p.w)
	}
	if p.stacked {
		p.below(b.title, b.rows)
		return
	}
	line := func(head string, row []string, bold bool) {
		var l strings.Builder
		l.WriteString(head + strings.Repeat(" ", max(p.label-len([]rune(head)), 0)))
		for i, cell := range row {
			if !p.whole {
				cell = shortened(cell, p.cells[i], p.style.Unicode)
			}
			pad := strings.Repeat(" ", max(p.cells[i]-len([]rune(cell)), 0))
			if bold {
				cell = p.style.Bold(cell)
			}
			l.WriteString("  " + cell + pad)
		}
		fmt.Fprintln(p.w, strings.TrimRight(l.String(), " "))
	}
	line(b.title, p.names, true)
	for _, row := range b.rows {
		line("  "+shortened(row[0], p.label-2, p.style.Unicode), row[1:], false)
	}
}

// below prints the values of each property below each other: there are too many
// runs for columns.
func (p *comparison) below(title string, rows [][]string) {
	if title != "" {
		fmt.Fprintln(p.w, p.style.Bold(title))
	}
	width := 0
	for _, name := range p.names {
		width = max(width, len([]rune(name)))
	}
	if !p.whole {
		width = min(width, p.width/2)
	}
	for _, row := range rows {
		fmt.Fprintf(p.w, "  %s\n", row[0])
		for i, cell := range row[1:] {
			name := p.names[i]
			if !p.whole {
				name = shortened(name, width, p.style.Unicode)
				cell = shortened(cell, max(p.width-width-6, leastCell), p.style.Unicode)
			}
			fmt.Fprintf(p.w, "    %s%s  %s\n", name, strings.Repeat(" ", max(width-len([]rune(name)), 0)), cell)
		}
	}
}
