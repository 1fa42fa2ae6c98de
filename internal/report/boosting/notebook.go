package boosting

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
)

// The notebook says in words what the page says, and has code that makes each
// section again of what the run holds: with numpy and Vigil's Python package, and
// with pictures where matplotlib is there. Cells are code as page/notebook.py
// has it, one for each section; nothing is executed when it is written.

// notebook is a file in Jupyter's format 4.5.
type notebook struct {
	Cells    []any          `json:"cells"`
	Metadata map[string]any `json:"metadata"`
	Format   int            `json:"nbformat"`
	Minor    int            `json:"nbformat_minor"`
}

type markdownCell struct {
	Type     string         `json:"cell_type"`
	ID       string         `json:"id"`
	Metadata map[string]any `json:"metadata"`
	Source   string         `json:"source"`
}

type codeCell struct {
	markdownCell
	Count   *int  `json:"execution_count"`
	Outputs []any `json:"outputs"`
}

// writeNotebook writes the notebook; run is the run's directory as seen from
// that of the notebook.
func (c *content) writeNotebook(w io.Writer, run string, kind problem) error {
	code, err := notebookCode()
	if err != nil {
		return err
	}
	n := notebook{Format: 4, Minor: 5, Metadata: map[string]any{"language_info": map[string]any{"name": "python"}}}
	say := func(id, text string) {
		n.Cells = append(n.Cells, markdownCell{"markdown", id, map[string]any{}, text})
	}
	do := func(id, text string) {
		n.Cells = append(n.Cells, codeCell{markdownCell{"code", id, map[string]any{}, text}, nil, []any{}})
	}
	var cards []string
	for _, card := range c.Cards {
		cards = append(cards, "* "+markdown(card.Label)+": "+markdown(card.Value))
	}
	say("title", "# "+markdown(c.Title)+"\n\n"+strings.Join(cards, "\n")+"\n\nWritten "+markdown(c.Generated)+
		". The cells below make each section anew of what the run holds; they need numpy, Vigil's Python package, and the program `vigil` on the `PATH` (or named by `VIGIL_BIN`). Pictures need matplotlib.")
	do("setup", fmt.Sprintf("run, kind = %s, %s\n\n%s", quoted(run), quoted(kind.text()), code["setup"]))
	for _, s := range c.Sections {
		var text []string
		for _, t := range s.Text {
			text = append(text, markdown(t))
		}
		say(s.ID+"-text", "## "+markdown(s.Title)+"\n\n"+strings.Join(text, "\n\n"))
		if code[s.ID] != "" {
			do(s.ID, code[s.ID])
		}
	}
	if len(c.Missing) > 0 {
		text := "## Not in this report\n"
		for _, m := range c.Missing {
			text += "\n* " + markdown(m)
		}
		say("missing", text)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(n); err != nil {
		return fmt.Errorf("write notebook: %w", err)
	}
	return nil
}

// notebookCode gives the code of each cell, by the name after "# %%".
func notebookCode() (map[string]string, error) {
	b, err := files.ReadFile("page/notebook.py")
	if err != nil {
		return nil, fmt.Errorf("read the cells of the notebook: %w", err)
	}
	out := map[string]string{}
	for part := range strings.SplitSeq(string(b), "# %% ") {
		if name, text, ok := strings.Cut(part, "\n"); ok {
			out[name] = strings.TrimSpace(text)
		}
	}
	return out, nil
}

// quoted is a text as Python and JSON both spell it.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

// markdown is a text that means nothing but itself in Markdown.
func markdown(s string) string {
	s = html.EscapeString(s)
	for _, c := range []string{`\`, "`", "*", "_", "[", "]", "$", "|", "~", "!"} {
		s = strings.ReplaceAll(s, c, `\`+c)
	}
	return strings.Join(strings.Fields(s), " ")
}
