package report

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
	"github.com/vigil-ml/vigil/web"
)

//go:embed page
var files embed.FS

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"code":   code,
	"sign":   sign,
	"rows":   func(n int) int { return n * rowHeight },
	"place":  placeBar,
	"points": linePoints,
	"across": acrossSVG,
	"up":     upSVG,
	"phase":  placePhase,
}).ParseFS(files, "page/*.html"))

// sign is the class of a line of a diff.
func sign(line string) string {
	switch line[0] {
	case '+':
		return "comes"
	case '-':
		return "goes"
	}
	return "stays"
}

// content is all that the template shows.
type content struct {
	Title       string
	Run         record.Run
	Command     string
	Verdict     view.Verdict
	Findings    view.Findings
	Cards       []view.Property
	Made        []view.Property
	Diff        string
	Facts       []view.Fact
	Network     view.Network
	Layers      []view.Layer // the first of it
	MoreLayers  string       // what follows
	Captured    string
	NotCaptured []record.NotCaptured
	Machine     []view.HostCurves
	MoreHosts   int // beyond those with curves
	// NotOfMachine is what is not known of the machine.
	NotOfMachine []record.NotCaptured
	RulesText    string
	Loud, Quiet  []view.Standing // rules that found something or could not judge, and all others
	Time         *view.Spent
	Damage       []source.Damage
	Generated    time.Time
	HasLayers    bool
	HasRates     bool
	clock        *record.Clock
	words        func(name string) string // of tensors
	Data         pageData
	Flames       []view.Flame

	JSON    template.JS
	Style   template.CSS
	Script  template.JS
	Library struct {
		CSS template.CSS
		JS  template.JS
	}
}

// At says at which step a finding is.
func (c *content) At(f record.Finding) string { return c.clock.At(&f) }

// Evidence says what the check of a finding measured, as the dashboard does.
func (c *content) Evidence(f record.Finding) string { return view.Evidence(f, c.words) }

// render writes the page.
func render(w io.Writer, c *content) error {
	text := func(name string) string {
		b, err := files.ReadFile("page/" + name)
		if err != nil {
			panic(err) // embedded at build time
		}
		return string(b)
	}
	data, err := json.Marshal(c.Data) // escapes <, > and &, so it is safe inside a script element
	if err != nil {
		return fmt.Errorf("encode report data: %w", err)
	}
	c.JSON = template.JS(data)
	c.Style, c.Script = template.CSS(web.Tokens()+text("page.css")), template.JS(text("page.js"))
	c.Library.CSS, c.Library.JS = template.CSS(text("vendor/uPlot.min.css")), template.JS(text("vendor/uPlot.iife.min.js"))
	if err := page.Execute(w, c); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// code makes what is between backquotes code.
func code(text string) template.HTML {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 { // one without its fellow
		return template.HTML(template.HTMLEscapeString(text))
	}
	for i := range parts {
		if parts[i] = template.HTMLEscapeString(parts[i]); i%2 == 1 {
			parts[i] = "<code>" + parts[i] + "</code>"
		}
	}
	return template.HTML(strings.Join(parts, ""))
}
