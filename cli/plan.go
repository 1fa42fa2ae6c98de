package cli

import (
	"fmt"
	"io"

	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// planCmd shows or changes what a run captures.
type planCmd struct {
	runArg
	Every   *int64   `name:"every" placeholder:"N" help:"Interval for collections that name none; 0 leaves it to the budget."`
	Collect []string `name:"collect" sep:"none" placeholder:"NAME[:k=v,...]" help:"A collection, as for vigil run; repeatable. It replaces what was asked for under that name."`
	AddRule []string `name:"add-rule" sep:"none" placeholder:"NAME[:k=v,...]" help:"A rule, as for vigil run; repeatable. It judges from the next step on."`
	For     *int64   `name:"for" placeholder:"STEPS" help:"Capture what --collect names for this many steps, in addition to the rest."`
	Monitor *string  `name:"monitor" placeholder:"MS" help:"Interval of machine metrics: 100, 200, 500, 1000, 5000, 60000 ms, or off."`
	Why     bool     `name:"why" help:"Show what asked for each collection, too."`
	JSON    bool     `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (planCmd) Help() string {
	return `Examples:

    vigil plan                                                   what is captured, and how that came about
    vigil plan --why                                             and what asked for it
    vigil plan latest --collect gradients:raw,every=1 --for 20
    vigil plan latest --every 10 --collect 'heads:regex=head.*weight,every=5'
    vigil plan latest --monitor 100
    vigil plan latest --add-rule overfit:patience=2,configuration=patient

A change takes effect at the next step, also when the agent is restarted. With --for the capture begins half a second
ahead, so that it is whole. A rule that is added judges from the next step on, and vigil check judges it from there, too. The history of changes is in run.json.

Exit codes: 0, or 1 when there is no such run, it does not run, or the change is refused.`
}

// Run shows the plan, or asks the run's agent to change it.
func (c planCmd) Run(a *app) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	change := control.Change{Every: c.Every, Collect: c.Collect, AddRule: c.AddRule, For: c.For, Monitor: c.Monitor, By: "vigil plan", Flag: dashes}
	if change.Empty() && (c.For == nil || len(c.Collect) > 0) {
		return c.show(a, path)
	}
	request, err := change.Request()
	if err != nil {
		return err
	}
	answer, err := control.Run{Path: path, Name: c.Name}.Plan(request)
	if err != nil {
		return err
	}
	name := answer.Name
	if c.JSON {
		changed := map[string]any{"run": name, "changed": true, "windows": answer.Windows, "rules": answer.Rules}
		if request.Monitor != nil {
			changed["monitor"] = *request.Monitor
		}
		return writeJSON(a.stdout, changed)
	}
	if request.Monitor != nil {
		fmt.Fprintf(a.stdout, "%s: %s\n", name, monitored(*request.Monitor))
	}
	if c.Every != nil || len(c.Collect)+len(c.AddRule) > 0 {
		fmt.Fprintf(a.stdout, "%s: changed; takes effect at the next step\n", name)
	}
	for _, w := range answer.Windows {
		if w.Mode == record.Train.String() {
			fmt.Fprintf(a.stdout, "%s: %s steps %d to %d\n", w.Collection, w.Mode, w.Start, w.End-1)
		}
	}
	for _, r := range answer.Rules {
		fmt.Fprintf(a.stdout, "%s: judges from step %s on\n", r.Configuration, r.Params["start_step"])
	}
	return nil
}

// dashes spells a setting as a flag.
func dashes(setting string) string { return "--" + setting }

// monitored says at which interval the machine is sampled from now on.
func monitored(ms int) string {
	if ms == 0 {
		return "machine metrics are off"
	}
	return fmt.Sprintf("machine metrics every %d ms from now on", ms)
}

func (c planCmd) show(a *app, path string) error {
	t, err := openRun(c.Name, path)
	if err != nil {
		return err
	}
	defer t.Close()
	run := t.Run()
	collections := view.Collections(run, source.OfTraining(t.Tensors()))
	if c.JSON {
		history := run.Plan
		if history == nil {
			history = []record.PlanChange{}
		}
		return writeJSON(a.stdout, map[string]any{"run": run.Name, "status": run.Status, "collections": collections, "history": history})
	}
	if len(run.Plan) == 0 {
		fmt.Fprintln(a.stdout, "there is no plan yet: no process has started to train")
		return nil
	}
	p := a.page()
	fmt.Fprintf(a.stdout, "%s, %s\n", p.Bold(printable(run.Name)), run.Status)
	printCollections(a.stdout, p, collections, c.Why)
	printHistory(a.stdout, p, run.Plan)
	return nil
}

func printHistory(w io.Writer, p live.Page, history []record.PlanChange) {
	var rows [][]string
	for _, ch := range history {
		rows = append(rows, []string{ch.Time.Local().Format("15:04:05"), fmt.Sprint(ch.Step), plain(ch.Why)})
	}
	fmt.Fprintf(w, "\n%s\n%s", p.Bold("History:"), p.Table(2, []string{"TIME", "STEP", "WHY"}, rows))
}
