package main

import (
	"fmt"
	"strings"
)

// table sums up what became of each tool under each kind of death.
type table struct{ rows []*row }

type row struct {
	tool, victim                         string
	rounds, logged, safe, lostSafe, lost int
	worst, raised                        int
	hasSafe                              bool
}

func (t *table) add(victim string, ends []end) {
	for _, e := range ends {
		if victim == "helper" && e.tool != "vigil" && e.tool != "wandb" {
			continue // it has none
		}
		r := t.row(e.tool, victim)
		r.rounds++
		r.logged += e.logged
		r.lost += e.lost()
		r.worst = max(r.worst, e.lost())
		if e.raised != "" {
			r.raised++
		}
		if e.safe >= 0 {
			r.hasSafe = true
			r.safe += e.safe
			r.lostSafe += e.lostSafe()
		}
	}
}

func (t *table) row(tool, victim string) *row {
	for _, r := range t.rows {
		if r.tool == tool && r.victim == victim {
			return r
		}
	}
	r := &row{tool: tool, victim: victim}
	t.rows = append(t.rows, r)
	return r
}

func (t *table) brokenPromises() int {
	n := 0
	for _, r := range t.rows {
		if r.tool == "vigil" {
			n += r.lostSafe
		}
	}
	return n
}

func (t *table) markdown() string {
	var b strings.Builder
	b.WriteString("| tool | killed | rounds | steps logged | called safe | of these lost | logged and lost | in a round at most | rounds in which it raised into the training |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, tool := range []string{"vigil", "wandb", "tensorboard", "smdebug"} {
		for _, r := range t.rows {
			if r.tool != tool {
				continue
			}
			safe, lostSafe := "-", "-"
			if r.hasSafe {
				safe, lostSafe = fmt.Sprint(r.safe), fmt.Sprint(r.lostSafe)
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %s | %d (%.1f %%) | %d | %d |\n", tool, r.victim, r.rounds, r.logged, safe, lostSafe,
				r.lost, 100*float64(r.lost)/float64(max(r.logged, 1)), r.worst, r.raised)
		}
	}
	return b.String()
}
