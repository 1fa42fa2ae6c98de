// Package boosting writes one self-contained HTML file about a training of
// boosted trees: what the labels are, how the metrics went, which features
// carry the model, and how its predictions stand to the labels. The file needs
// no network, and no script to be read. A notebook next to it makes the same again
// of what the run holds.
package boosting

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/web"
)

// Path is where the rule CreateXgboostReport has its report, in the run, with
// slashes.
const Path = "rule-output/CreateXgboostReport/xgboost_report.html"

//go:embed page
var files embed.FS

var page = template.Must(template.New("page.html").ParseFS(files, "page/page.html"))

// ErrNothing is for runs in which there is nothing of boosting.
var ErrNothing = errors.New("the run has no metrics, feature importance, labels or predictions of a boosting")

// Options of a report.
type Options struct {
	Now    time.Time // when it is written
	Status string    // of the run, where it is known better than the run says; may be empty
}

// document is a report on its way to a file.
type document struct {
	content *content
	kind    problem
}

// compose puts a report together. A run without anything to show is an error
// that wraps ErrNothing; what else is missing is told in the report.
func compose(t source.Run, o Options) (*document, error) {
	d, err := read(t)
	if err != nil {
		return nil, err
	}
	if o.Status != "" {
		d.run.Status = o.Status
	}
	text := func(name string) string {
		b, err := files.ReadFile("page/" + name)
		if err != nil {
			panic(err) // embedded at build time
		}
		return string(b)
	}
	c := d.content()
	c.Generated = o.Now.UTC().Format("2006-01-02 15:04:05 UTC")
	c.Style, c.Script = template.CSS(web.Tokens()+text("page.css")), template.JS(text("page.js"))
	return &document{c, d.kind}, nil
}

func (d *document) writePage(w io.Writer) error {
	if err := page.Execute(w, d.content); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// Write writes the page of a run.
func Write(w io.Writer, t source.Run, o Options) error {
	d, err := compose(t, o)
	if err != nil {
		return err
	}
	return d.writePage(w)
}

// WriteFile writes the report to a file, whose directory is made: a notebook if
// the name ends so, else the page. An earlier one is replaced only when the new
// one is whole.
func WriteFile(path string, t source.Run, o Options) error {
	d, err := compose(t, o)
	if err != nil {
		return fmt.Errorf("write report %q: %w", path, err)
	}
	if filepath.Ext(path) != notebookExt {
		return replace(path, d.writePage)
	}
	run, err := filepath.Abs(t.Path())
	if err != nil {
		return fmt.Errorf("write report %q: %w", path, err)
	}
	return replace(path, func(w io.Writer) error { return d.content.writeNotebook(w, run, d.kind) })
}

const notebookExt = ".ipynb"

// WriteIn writes page and notebook to their places in the run itself, whose
// directory run is. The notebook finds the run from where it stands, so that
// both may be moved.
func WriteIn(run string, t source.Run, o Options) error {
	path := filepath.Join(run, filepath.FromSlash(Path))
	d, err := compose(t, o)
	if err != nil {
		return fmt.Errorf("write report %q: %w", path, err)
	}
	if err := replace(path, d.writePage); err != nil {
		return err
	}
	return replace(strings.TrimSuffix(path, filepath.Ext(path))+notebookExt, func(w io.Writer) error { return d.content.writeNotebook(w, "../..", d.kind) })
}

// replace writes a file whole or not at all.
func replace(path string, write func(io.Writer) error) error {
	fail := func(err error) error { return fmt.Errorf("write report %q: %w", path, err) }
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fail(err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".report-*")
	if err != nil {
		return fail(err)
	}
	defer os.Remove(tmp.Name())
	err = write(tmp)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// content is what the page shows.
type content struct {
	Run       record.Run
	Title     string
	Cards     []card
	Sections  []section
	Missing   []string // sections that are left out, and why
	Generated string
	Style     template.CSS
	Script    template.JS
}

type card struct{ Label, Value string }

// section is a part of the page: sentences, then charts and tables.
type section struct {
	ID, Title string
	Text      []string
	Figures   []figure
}

// figure is a chart or a table with a heading of its own.
type figure struct {
	Title string
	Chart template.HTML // an SVG
	Table *table
	Fold  string // unless empty, the table is folded away under this heading
	Notes []string
}

// table is a table whose first column names the rows. Shares colours cells.
type table struct {
	Class string
	Head  []string
	Rows  [][]cell
}

type cell struct {
	Text  string
	Small string  // below the text
	Share float64 // how strongly it is coloured, 0 to 1
	Right bool    // coloured as what should be there
	Wrong bool    // coloured as what should not
	Name  bool    // names the row
}

// content puts the sections together.
func (d *data) content() *content {
	c := &content{Run: d.run, Title: d.run.Name + " · XGBoost report", Cards: d.cards()}
	for _, part := range []struct {
		title string
		make  func() (section, string)
	}{
		{"Distribution of the labels", d.labelsSection},
		{"Metrics over the rounds", d.metricsSection},
		{"Feature importance", d.importanceSection},
		{"Confusion matrix", d.confusionSection},
		{"Evaluation of the confusion matrix", d.evaluationSection},
		{"Recall of each class over the rounds", d.diagonalSection},
		{"ROC curve", d.rocSection},
		{"Distribution of the residuals", d.residualsSection},
		{"Absolute error by label, over the rounds", d.binsSection},
		{"Contributions of the features (SHAP)", d.shapSection},
		{"Settings", d.settingsSection},
	} {
		s, why := part.make()
		switch {
		case why == notThisKind:
		case why != "":
			c.Missing = append(c.Missing, part.title+": "+why)
		default:
			s.Title = part.title
			c.Sections = append(c.Sections, s)
		}
	}
	return c
}

// notThisKind is why a section is left out that has no sense for the kind of
// problem; it is not told.
const notThisKind = "\x00"

func (d *data) cards() []card {
	list := []card{{"status", d.run.Status}, {"XGBoost", d.run.Framework.Version}, {"kind of problem", d.kind.text()}}
	if d.facts.Objective != "" {
		list = append(list, card{"objective", d.facts.Objective})
	}
	if d.facts.Booster != "" {
		list = append(list, card{"booster", d.facts.Booster})
	}
	if d.rounds > 0 {
		list = append(list, card{"rounds", fmt.Sprint(d.rounds)})
	}
	if d.facts.Features > 0 {
		list = append(list, card{"features", thousands(d.facts.Features)}, card{"training rows", thousands(d.facts.Rows)})
	}
	if n := len(d.pairs); n > 0 {
		name := d.facts.Judged.Name
		if name == "" {
			name = "the data judged"
		}
		list = append(list, card{"predictions for", fmt.Sprintf("%s (%s rows)", name, thousands(int64(len(d.last().labels))))})
	}
	return list
}
