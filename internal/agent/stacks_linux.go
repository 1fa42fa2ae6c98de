package agent

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/profile/stacks"
)

// processes are those of the job, before anything was read: who trains, the
// descendants, and whoever was started below the run.
func (j *job) processes(trainers map[int]*worker) []stacks.Process {
	table := proc.Table()
	in := map[int]bool{}
	for pid := range trainers {
		in[pid] = true
	}
	for _, id := range proc.Carrying("VIGIL_SOCKET=" + j.set.Socket) {
		in[id.PID] = true
	}
	for pid := range table {
		for up, steps := pid, 0; up > 1 && steps < 64; up, steps = table[up].Parent, steps+1 {
			if in[up] {
				in[pid] = true
				break
			}
		}
	}
	list := []stacks.Process{}
	for pid := range in {
		line, there := table[pid]
		if !there || line.Zombie || proc.StartedByAgent(pid) {
			continue
		}
		p := stacks.Process{PID: pid, Parent: line.Parent, Kind: stacks.Other, Rank: -1, Name: processName(pid)}
		if w := trainers[pid]; w != nil {
			p.Kind, p.Worker, p.Rank = stacks.Rank, w.name, w.rank
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b stacks.Process) int {
		if a.Rank != b.Rank && a.Rank >= 0 && b.Rank >= 0 {
			return a.Rank - b.Rank
		}
		return a.PID - b.PID
	})
	return list
}

// processState says what a process does, as the kernel tells.
func processState(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "it has ended, or nobody may look"
	}
	i := bytes.LastIndexByte(b, ')')
	if i < 0 || i+2 >= len(b) {
		return "not known"
	}
	where := ""
	if w, err := os.ReadFile(fmt.Sprintf("/proc/%d/wchan", pid)); err == nil && len(w) > 0 && string(w) != "0" {
		where = " (" + string(w) + ")"
	}
	switch b[i+2] {
	case 'R':
		return "running"
	case 'S':
		return "waiting" + where
	case 'D':
		return "waiting for a disk or a device" + where
	case 'T', 't':
		return "stopped by a signal"
	case 'Z', 'X':
		return "it has ended"
	}
	return "idle" + where
}
