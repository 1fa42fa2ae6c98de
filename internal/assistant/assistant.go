// Package assistant answers coding assistants over the Model Context Protocol:
// which runs there are, what was found in one and what to do, how a series went,
// in what runs differ. What a command prints is asked of that command, so that an
// assistant reads what a person reads.
package assistant

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/runs"
)

// Options of a server.
type Options struct {
	Root    string // of the runs
	Version string
	Write   bool // also tools that change something: stop, tag, mute, capture

	// Index lists the runs below the root.
	Index *runs.Index
	// Find gives the directory and the name of the run that a word means.
	Find func(word string) (path, name string, err error)
	// Command runs one of vigil's commands: what it printed, what it said on standard
	// error, and its exit code.
	Command func(words ...string) (out, said string, code int)
}

// New makes a server. It answers several requests at a time.
func New(o Options) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "vigil", Title: "Vigil", Version: o.Version}, &mcp.ServerOptions{
		Instructions: "Vigil watches trainings of machine learning. Begin with list_runs, then run_verdict. " + dataNote,
		Capabilities: &mcp.ServerCapabilities{},
	})
	t := tools{o}
	add(s, "list_runs", "List training runs, newest first, each with its verdict, the last and the best value of its losses and metrics, and its parameters.", t.listRuns)
	add(s, "best_run", "Which run is best by a loss or metric, with error findings taken into account; what the runs differ in; which parameters go with it.", t.best)
	add(s, "run_verdict", "What was found in a run: root causes with evidence, likely cause, remedy, the line of the script and a suggested edit; what follows from each; where the time of its steps went; how it ended.", t.verdict)
	add(s, "show_run", "What a run is made of and what was captured: command, seeds, packages, network, facts of the training, time of steps, tensors.", t.show)
	add(s, "read_series", "The names of a run's series; or one of them over the steps of training (an evaluation is one point, its mean, after the last step before it), thinned to few points, spikes kept.", t.series)
	add(s, "compare_runs", "In what runs differ: options, code, packages, environment, final values of what they share.", t.compare)
	add(s, "explain_check", "What a rule or one of its checks means, its causes and remedies.", t.explain)
	add(s, "judge_run", "Judge a stored run again, by the rules that judged it live or by others with other parameters.", t.judge)
	add(s, "run_output", "The last lines that the job printed, where its output was kept.", t.output)
	if !o.Write {
		return s
	}
	change(s, "stop_run", "Stop a running job: its processes get SIGTERM. What was captured is kept.", true, t.stop)
	change(s, "tag_run", "Set tags and the note of a run.", false, t.tag)
	change(s, "mute_finding", "Mute a rule's findings in a run, with a reason: they no longer count.", false, t.mute)
	change(s, "change_capture", "Change what a running job captures, from its next step on.", false, t.plan)
	return s
}

// tools has a method for each tool.
type tools struct{ Options }

// asks is what every tool is asked with.
type asks struct {
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"the most tokens of the answer, up to 20000; 2000 where it is left out"`
}

func (a asks) tokens() int { return a.MaxTokens }

// add adds a tool that reads.
func add[In interface{ tokens() int }](s *mcp.Server, name, about string, f func(context.Context, In) (string, error)) {
	no := false
	register(s, &mcp.Tool{Name: name, Description: about, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}}, f)
}

// change adds a tool that changes something.
func change[In interface{ tokens() int }](s *mcp.Server, name, about string, destroys bool, f func(context.Context, In) (string, error)) {
	no := false
	register(s, &mcp.Tool{Name: name, Description: about, Annotations: &mcp.ToolAnnotations{DestructiveHint: &destroys, IdempotentHint: true, OpenWorldHint: &no}}, f)
}

func register[In interface{ tokens() int }](s *mcp.Server, tool *mcp.Tool, f func(context.Context, In) (string, error)) {
	mcp.AddTool(s, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := f(ctx, in)
		if err != nil {
			text = err.Error() // it may name runs and tensors
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: bounded(text, in.tokens())}}, IsError: err != nil}, nil, nil
	})
}

// command is what one of vigil's commands prints. Exit code 2 says that something was
// found, as check does. The words after flags are names that a client gives: none may
// be taken for a flag.
func (t tools) command(flags []string, names ...string) (string, error) {
	words := flags
	for _, name := range names {
		if strings.HasPrefix(name, "-") {
			return "", fmt.Errorf("%q begins with a hyphen, which no name of a run or rule does", name)
		}
		if name != "" {
			words = append(words, name)
		}
	}
	out, said, code := t.Command(words...)
	if code != 0 && code != 2 {
		return "", fmt.Errorf("%s", strings.TrimSpace(strings.TrimPrefix(said, "vigil: ")))
	}
	return strings.TrimSpace(out + "\n" + said), nil
}

// run is a run as the controls take it.
func (t tools) run(word string) (control.Run, error) {
	path, name, err := t.Find(word)
	return control.Run{Path: path, Name: name}, err
}
