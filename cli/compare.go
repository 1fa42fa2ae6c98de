package cli

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/ranking"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// compareCmd shows runs side by side.
type compareCmd struct {
	rootFlag
	Names []string `arg:"" optional:"" name:"run" placeholder:"RUN" help:"Two runs or more: their names below the root, the beginning of one, latest, latest~1, or paths."`
	All   bool     `name:"all" help:"Also show what is the same in all runs, and every curve."`
	Out   string   `name:"out" short:"o" placeholder:"FILE" help:"Write it to this file."`
	JSON  bool     `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (compareCmd) Help() string {
	return `Examples:

    vigil compare latest~1 latest
    vigil compare latest~1 latest --all -o comparison.txt
    vigil compare latest latest~1 --json

What the runs differ in: options and tags, how the training is made, code, packages, environment. Then which is best (by a
loss of evaluation where there is one; not one with an error finding), the final values of the series that they share, and
their curves on one scale: drawn on a terminal, as a table elsewhere.

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
		return &usage{Message: fmt.Sprintf("%d runs are too many to compare; the limit is %d", len(c.Names), mostCompared), What: "RUN", Hint: "`vigil ls --tag K=V --json` has the numbers of many runs"}
	}
	var runs []source.Run
	var ranked []ranking.Run
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
		one, err := ranking.Read(t)
		if err != nil {
			return err
		}
		ranked = append(ranked, one)
	}
	points := 0 // all
	if c.JSON {
		points = comparedPoints
	}
	compared, err := view.Compare(runs, points)
	if err != nil {
		return err
	}
	names := namesOf(compared.Runs)
	for i := range ranked {
		ranked[i].Name = names[i]
	}
	rank, err := ranking.Rank(ranked, ranking.Question{})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if c.JSON {
		err = writeJSON(&b, struct {
			view.Comparison
			Ranking ranking.Answer `json:"ranking"`
		}{compared, rank})
	} else {
		page := a.page()
		_, terminal := a.terminal()
		p := &comparison{Comparison: compared, w: &b, page: page, drawn: terminal, all: c.All, names: names, rank: rank}
		if c.Out != "" {
			p.page, p.drawn = live.Page{Style: live.Style{Unicode: true}}, true
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
		return &usage{Message: fmt.Sprintf("write %q: %v", c.Out, err), What: "-o " + c.Out, Hint: "name a file in an existing directory"}
	}
	_, err = fmt.Fprintf(a.stderr, "wrote %s\n", c.Out)
	return err
}

// comparison prints runs side by side.
type comparison struct {
	view.Comparison
	w     io.Writer
	page  live.Page
	drawn bool // curves are drawn
	all   bool

	names   []string
	rank    ranking.Answer
	stacked bool // there is no room for columns
}

// block are rows under a title: a label, and a cell for each run.
type block struct {
	title string
	rows  [][]string
}

// namesOf are the runs' names, or their paths where two roots have runs of one name.
func namesOf(runs []view.Compared) (names []string) {
	for i := range runs {
		name := runs[i].Name
		for j := range runs {
			if i != j && runs[j].Name == name {
				name = runs[i].Path
			}
		}
		names = append(names, printable(name))
	}
	return names
}

func (p *comparison) print() {
	overview, finals := p.overview(), p.finals()
	sections := p.sections()
	p.measure(append(sections, overview, finals))
	if p.stacked && !p.all {
		p.brief()
		return
	}
	p.tables(append([]block{overview}, sections...)...)
	switch {
	case len(p.Differences) == 0:
		fmt.Fprintf(p.w, "\nNo known difference: %s the same.\n", p.same())
	case !p.all && p.Same > 0:
		fmt.Fprintf(p.w, "\n%s the same; --all lists them.\n", p.same())
	}
	if p.rank.Metric != "" {
		fmt.Fprint(p.w, "\n"+p.page.Hang(p.page.Bold("Best  "), p.rank.Text)+"\n")
	}
	if len(finals.rows) > 0 {
		p.tables(finals)
	}
	p.curves()
	if n := len(p.Alone); n > 0 {
		fmt.Fprintf(p.w, "\nIn only one of them: %s\n", printable(strings.Join(p.Alone, ", ")))
	}
}

// brief is the comparison of more runs than there is room for columns: which is
// best, a line for each run, and what else they differ in.
func (p *comparison) brief() {
	if p.rank.Metric != "" {
		text := strings.TrimSpace(p.rank.Text + " " + p.rank.Difference)
		fmt.Fprint(p.w, p.page.Hang(p.page.Bold("Best  "), text)+"\n")
	}
	p.ranking()
	p.Differences = beyondParameters(p.Differences)
	p.below(p.sections())
	fmt.Fprintf(p.w, "\n--all prints everything below each other: how the trainings are made, final values, curves.\n")
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

// finals are the last values of the series that runs share, and of an evaluation also
// the best ones. The best run of each row is marked.
func (p *comparison) finals() block {
	var rows [][]string
	for _, s := range p.Series {
		better := view.Better(s.Name)
		if s.Loss {
			better = "less"
		}
		rows = append(rows, p.marked(seriesName(s), s.Of, better, func(c *view.Course) (record.Number, string) {
			return c.Last, fmt.Sprintf("%s at %d", digits(c.Last), c.At)
		}))
		if better != "" && s.Mode.Evaluates() {
			rows = append(rows, p.marked("  "+map[string]string{"less": "least", "more": "greatest"}[better], s.Of, better, func(c *view.Course) (record.Number, string) {
				v := map[string]record.Number{"less": c.Min, "more": c.Max}[better]
				return v, digits(v)
			}))
		}
	}
	return block{"Final values", rows}
}

// marked is a row of the runs' values; the best of those that can be trusted has a mark.
func (p *comparison) marked(label string, of []*view.Course, better string, read func(*view.Course) (record.Number, string)) []string {
	row, best, least := []string{label}, -1, math.Inf(1)
	for i, c := range of {
		if c == nil {
			row = append(row, "-")
			continue
		}
		v, text := read(c)
		row = append(row, text)
		size := float64(v)
		if better == "more" {
			size = -size
		}
		if better != "" && size < least && !p.distrusted(p.names[i]) {
			best, least = i, size
		}
	}
	if best >= 0 {
		row[best+1] += " (best)"
	}
	return row
}

// distrusted reports whether a run has an error finding.
func (p *comparison) distrusted(name string) bool {
	return slices.ContainsFunc(p.rank.Runs, func(r ranking.Place) bool { return r.Name == name && len(r.Distrust) > 0 })
}

func seriesName(s view.SharedSeries) string {
	return fmt.Sprintf("%s (%s)", printable(s.Name), s.Mode)
}

// digits is a number as people compare it.
func digits(v record.Number) string { return record.Digits(float64(v)) }

// A cell of a column that would be narrower than leastCell is below the
// others instead; usual is the width of a file.
const leastCell = 14

// measure reports whether there is room for a column for each run (two always fit
// in a file, however long a value is), and cuts names that would take it.
func (p *comparison) measure(blocks []block) {
	width := p.page.Width
	if width <= 0 {
		if len(p.names) <= 2 {
			return
		}
		width = usual
	}
	widths := make([]int, len(p.names)+1)
	for _, b := range blocks {
		for _, row := range append(b.rows, append([]string{b.title}, p.names...)) {
			for i, cell := range row {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell)+2)
			}
		}
	}
	sum := 0
	for _, w := range widths {
		sum += w
	}
	room := (width-min(widths[0], width/3))/len(p.names) - 2
	p.stacked = sum > width && room < leastCell
	if p.page.Width <= 0 || sum <= width {
		return
	}
	if p.stacked {
		room = width / 2
	}
	for i, name := range p.names { // both ends tell runs apart
		p.names[i] = shortened(name, max(room, leastCell), p.page.Unicode)
	}
}

// tables prints blocks with a column for each run, whose names stand above, in
// the same columns.
func (p *comparison) tables(blocks ...block) {
	if p.stacked {
		p.below(blocks)
		return
	}
	var rows [][]string
	for _, b := range blocks {
		if b.title != "" {
			rows = append(rows, nil)
		}
		head := []string{p.page.Bold(b.title)}
		for _, name := range p.names {
			head = append(head, p.page.Bold(name))
		}
		rows = append(rows, head)
		for _, row := range b.rows {
			rows = append(rows, append([]string{"  " + row[0]}, row[1:]...))
		}
	}
	fmt.Fprint(p.w, p.page.Table(0, nil, rows))
}

// below prints the values of each property below each other: there are too many
// runs for columns.
func (p *comparison) below(blocks []block) {
	for _, b := range blocks {
		if b.title != "" {
			fmt.Fprintln(p.w, "\n"+p.page.Bold(b.title))
		}
		for _, row := range b.rows {
			var rows [][]string
			for i, cell := range row[1:] {
				rows = append(rows, []string{p.names[i], cell})
			}
			fmt.Fprintf(p.w, "  %s\n%s", row[0], p.page.Table(4, nil, rows))
		}
	}
}
