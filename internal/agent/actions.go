package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/action"
	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// actions are what the settings want done when a rule fires.
func (e *evaluator) actions(cfgs []rules.Config) action.Options {
	j := e.job
	names := map[string]string{}
	for _, c := range cfgs {
		names[c.Configuration] = c.Rule
	}
	o := action.Options{
		StopOn: j.set.Config.StopOn.String(), Stop: j.stopFor, Record: j.store.Action, State: actionState{j.store},
		Run: j.store.Path(), Name: j.set.Name, Configurations: names, Event: e.event, Follows: e.rootOf, Tell: j.events.notice,
		ID: e.runID(),
	}
	for _, a := range j.set.Config.Actions {
		on := a.On.String()
		switch {
		case len(a.Command) > 0:
			o.Commands = append(o.Commands, action.Command{Argv: a.Command, On: on, Timeout: a.Timeout})
		case a.Stop != nil:
			o.Stops = append(o.Stops, action.Stop{On: on, Prefix: a.Stop.Prefix})
		case a.Broken != nil:
			o.Broken = append(o.Broken, action.Broken{Name: a.Broken.Name, On: on, Why: a.Broken.Why})
		default:
			o.Notices = append(o.Notices, action.Notice{Spec: a.Notify, On: on, Timeout: a.Timeout})
		}
	}
	return o
}

// event makes the document of a firing. It is called where the engine is.
func (e *evaluator) event(id string, f record.Finding, changed map[string]time.Time) (json.RawMessage, error) {
	run := e.job.store.Run()
	return notify.Event(&notify.Message{ID: id, Run: run.Name, Path: e.job.store.Path(), Finding: f}, run, e.states(changed))
}

// endActions waits for the actions that are under way, for a minute at the
// most, and says so when there are any.
func (e *evaluator) endActions() {
	if list := e.runner.Pending(); len(list) > 0 {
		e.job.events.notice("info", fmt.Sprintf("waiting for %s", strings.Join(list, ", ")),
			fmt.Sprintf("deliveries get %s, commands a minute", action.DefaultPatience))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := e.runner.Close(ctx); err != nil {
		e.job.events.notice("warning", "an action did not end: "+err.Error(), "")
	}
}

// undone are the actions that did not come to a good end.
func (e *evaluator) undone() []record.Attempt {
	var list []record.Attempt
	for _, a := range e.runner.Attempts() {
		if a.State != record.Done {
			list = append(list, a)
		}
	}
	return list
}
