package action

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// ChangeID is the id of a change of status: the same for the same change of a
// run, whoever computes it.
func ChangeID(run string, c record.Change) string {
	b, _ := json.Marshal(c.Rules) // texts only: it cannot fail
	return deliveryID(run, fmt.Sprintf("change %d|%s|%s", c.Number, c.Run, b))
}

// Change performs what is to be done on changes of status. event is the document of the
// change. It may be called again with every stored change after a restart: as
// with findings, each action is done once for each.
func (r *Runner) Change(id string, c record.Change, event json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.ending:
		return // nobody would wait for it
	default:
	}
	about := fmt.Sprintf("change %d %s", c.Number, id[:8])
	for _, d := range r.deliveries {
		if d.on.status {
			r.begun(d, entry{Attempt: Attempt{Key: d.prefix + about, ID: id, Change: &c}, Event: event})
		}
	}
	for i, cmd := range r.opts.Commands {
		if !r.commands[i].status {
			continue
		}
		key := fmt.Sprintf("command %s|%s", strings.Join(cmd.Argv, " "), about)
		if e, fresh := r.begin(entry{Attempt: Attempt{Key: key, Action: "command", Command: cmd.Argv, Change: &c}, Event: event}); fresh {
			r.running.Add(1)
			go r.command(cmd, e)
		}
	}
}
