package cli

import (
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/timeline"
)

// stacksOf are the windows of stacks of a run, as the axis of time shows them: the
// threads of each process that trains, and its loader workers together. A window
// that cannot be read is among what is damaged; a process of which there are too few
// samples is left out.
func stacksOf(t source.Run) (list []timeline.Stacks) {
	for _, w := range t.Windows() {
		seen, err := t.Stacks(w)
		if err != nil {
			continue
		}
		loading, _ := seen.Loading()
		for _, p := range []*stacks.Sampled{seen.Trains(), loading} {
			if p == nil || p.Samples < stacks.Enough {
				continue
			}
			threads := map[string]int{}
			for _, k := range p.Stacks {
				at, there := threads[k.Thread]
				if !there {
					at = len(list)
					threads[k.Thread] = at
					list = append(list, timeline.Stacks{
						Worker: seen.Worker, Title: p.Kind + ", " + k.Thread, Start: seen.Began, Length: time.Duration(seen.Seconds * 1e9),
					})
				}
				var calls []timeline.Call
				for _, f := range slices.Backward(k.Frames) {
					calls = append(calls, timeline.Call{Function: f.Function, Place: f.Place()})
				}
				list[at].Stacks = append(list[at].Stacks, timeline.Stack{Calls: calls, Time: k.Time})
			}
		}
	}
	return list
}
