package launch

import (
	"os"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

// job are the living processes that belong to the command child of launcher:
// its descendants, whatever process group or session they have, and orphans
// that came back to the launcher. What the agent started is marked in its
// environment and does not belong to the job.
func job(all map[int]proc.Process, launcher, child, agent int, marked func(pid int) bool) []proc.ID {
	children := map[int][]int{}
	for pid, p := range all {
		children[p.Parent] = append(children[p.Parent], pid)
	}
	var out []proc.ID
	var add func(pid int)
	add = func(pid int) {
		if p := all[pid]; !p.Zombie {
			out = append(out, p.ID)
		}
		for _, c := range children[pid] {
			add(c)
		}
	}
	for _, pid := range children[launcher] {
		if pid == agent || pid != child && marked(pid) {
			continue
		}
		add(pid)
	}
	return out
}

// Self names this process.
func Self() *record.Process {
	p, err := proc.Read(os.Getpid())
	if err != nil {
		return nil
	}
	return &record.Process{PID: p.PID, Start: p.Start}
}
