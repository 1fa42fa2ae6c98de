package report

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/facts"
	"github.com/vigil-ml/vigil/internal/record"
)

//go:embed page
var files embed.FS

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"evidence": evidence,
	"skipped":  skipped,
}).ParseFS(files, "page/page.html"))

type verdict struct{ Class, Text string }

type card struct{ Label, Value string }

type damage struct{ File, Reason string }

// content is all that the template shows.
type content struct {
	Title       string
	Run         record.Run
	Command     string
	Verdict     verdict
	Groups      []record.Group
	Cards       []card
	Facts       []facts.Line
	Network     []facts.Module
	MoreModules int64 // of the network, beyond those listed
	Rules       []record.RuleStatus
	Captured    string
	NotCaptured []record.NotCaptured
	Damage      []damage
	Generated   time.Time
	HasLayers   bool
	Data        pageData

	JSON    template.JS
	Style   template.CSS
	Script  template.JS
	Library struct {
		CSS template.CSS
		JS  template.JS
	}
}

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
	c.Style, c.Script = template.CSS(text("page.css")), template.JS(text("page.js"))
	c.Library.CSS, c.Library.JS = template.CSS(text("vendor/uPlot.min.css")), template.JS(text("vendor/uPlot.iife.min.js"))
	if err := page.Execute(w, c); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// evidence says a finding's numbers in one line.
func evidence(f record.Finding) string {
	s := f.Subject
	if f.Observed != f.Threshold { // equal where a fact is told, not a number compared
		s += fmt.Sprintf(": %s %s %s", short(float64(f.Observed)), f.Comparator, short(float64(f.Threshold)))
	}
	keys := make([]string, 0, len(f.Context))
	for k := range f.Context {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		b, err := json.Marshal(f.Context[k])
		if err != nil || len(b) > 160 {
			continue
		}
		s += "; " + strings.ReplaceAll(k, "_", " ") + " " + strings.Trim(string(b), `"`)
	}
	return s
}

func skipped(m map[string]int64) string {
	if len(m) == 0 {
		return ""
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%s %d", strings.ReplaceAll(k, "_", " "), m[k])
	}
	return " (skipped: " + strings.Join(parts, ", ") + ")"
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
