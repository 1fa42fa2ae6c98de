package main

import (
	"strings"
	"testing"
)

// What is lost is counted up to what was logged and up to what was called
// safe; what a tool has beyond that (a step that was cut off) is not held against it.
func TestLost(t *testing.T) {
	for _, tt := range []struct {
		name           string
		end            end
		lost, lostSafe int
	}{
		{"nothing", end{logged: 3, safe: 2, read: []int{0, 1, 2}}, 0, 0},
		{"more than was said", end{logged: 3, safe: 2, read: []int{0, 1, 2, 3}}, 0, 0},
		{"the tail", end{logged: 5, safe: 3, read: []int{0, 1, 2}}, 2, 0},
		{"what was called safe", end{logged: 5, safe: 4, read: []int{0, 2}}, 3, 2},
		{"no word for safe", end{logged: 5, safe: -1}, 5, 0},
	} {
		if lost, lostSafe := tt.end.lost(), tt.end.lostSafe(); lost != tt.lost || lostSafe != tt.lostSafe {
			t.Errorf("%s: %d lost, %d of those called safe; want %d and %d", tt.name, lost, lostSafe, tt.lost, tt.lostSafe)
		}
	}
	var sum table
	sum.add("both", []end{{tool: "vigil", logged: 5, safe: 4, read: []int{0, 2}}, {tool: "wandb", logged: 5, safe: -1, read: []int{0}, raised: "E"}})
	sum.add("both", []end{{tool: "vigil", logged: 5, safe: 5, read: []int{0, 1, 2, 3, 4}}})
	got := sum.markdown()
	for _, row := range []string{"| vigil | both | 2 | 10 | 9 | 2 | 3 (30.0 %) | 3 | 0 |", "| wandb | both | 1 | 5 | - | - | 4 (80.0 %) | 4 | 1 |"} {
		if !strings.Contains(got, row+"\n") {
			t.Errorf("the table lacks %q:\n%s", row, got)
		}
	}
	if sum.brokenPromises() != 2 {
		t.Errorf("%d broken promises, want 2", sum.brokenPromises())
	}
}
