package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
)

// tagCmd writes tags and a note on a run.
type tagCmd struct {
	rootFlag
	Name string   `arg:"" optional:"" name:"run" placeholder:"RUN" help:"The run: its name below the root, the beginning of one, latest, latest~1, or a path."`
	Tags []string `arg:"" optional:"" name:"tag" placeholder:"K=V" help:"Tags to set; K= removes one. Without any, the run's tags are printed."`
	Note *string  `name:"note" placeholder:"TEXT" help:"The note on the run; an empty one removes it."`
	JSON bool     `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (tagCmd) Help() string {
	return `Examples:

    vigil tag latest experiment=lr-sweep lr=0.1
    vigil tag latest lr= --note 'the first that learns'
    vigil tag latest

A run may be running or have ended. "vigil run --tag K=V" sets tags from the start, "vigil ls --tag K=V" lists
the runs that have them.

Exit codes: 0, or 1 when there is no such run or a tag is wrong.`
}

// Run changes the tags, and prints them.
func (c tagCmd) Run(a *app) error {
	if c.Name == "" {
		return &usage{Message: "name the run to tag", What: "RUN", Hint: "vigil tag RUN K=V..., such as vigil tag latest lr=0.1"}
	}
	path, name, err := findRun(c.root(), c.Name)
	if err != nil {
		if _, _, bad := config.ParseTag(c.Name); bad == nil {
			return &usage{Message: fmt.Sprintf("name the run before its tags: %q is a tag", c.Name), What: "RUN", Hint: fmt.Sprintf("for the newest run: vigil tag latest %s", c.Name)}
		}
		return err
	}
	change, err := c.change()
	if err != nil {
		return err
	}
	run := control.Run{Path: path, Name: name}
	var labels record.Labels
	if len(c.Tags) > 0 || c.Note != nil {
		labels, err = run.Label(change)
	} else {
		labels, err = run.Labels()
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"run": name, "tags": labels.Tags, "note": labels.Note})
	}
	if labels.Empty() {
		_, err := fmt.Fprintf(a.stdout, "%s has no tags and no note\n", printable(name))
		return err
	}
	fmt.Fprintln(a.stdout, printable(name))
	printLabels(a.stdout, a.page(), labels)
	return nil
}

// change is what the arguments ask for.
func (c tagCmd) change() (func(*record.Labels) error, error) {
	set, gone := map[string]string{}, []string{}
	for _, text := range c.Tags {
		key, value, err := config.ParseTag(text)
		if err != nil {
			return nil, &usage{Message: err.Error(), What: text, Hint: config.Hint(err)}
		}
		delete(set, key)
		if value == "" {
			gone = append(gone, key)
		} else {
			set[key] = value
		}
	}
	if c.Note != nil {
		if err := config.CheckNote(*c.Note); err != nil {
			return nil, &usage{Message: err.Error(), What: "--note"}
		}
	}
	return func(l *record.Labels) error {
		control.Tag(l, set, gone)
		if c.Note != nil {
			l.Note = *c.Note
		}
		return nil
	}, nil
}

// printLabels prints tags and note, as lines of show.
func printLabels(w io.Writer, p live.Page, l record.Labels) {
	for i, key := range slices.Sorted(maps.Keys(l.Tags)) {
		head := ""
		if i == 0 {
			head = "tags"
		}
		fmt.Fprintln(w, p.Label(head, labelWidth, plain(key)+"="+plain(l.Tags[key])))
	}
	head := "note"
	for line := range strings.Lines(l.Note) {
		fmt.Fprintln(w, p.Label(head, labelWidth, plain(strings.TrimRight(line, "\r\n"))))
		head = ""
	}
}
