package main

import (
	"strings"

	"github.com/vigil-ml/vigil/bench/internal/environment"
)

// condition is one way to run the script: bare, under vigil run with some
// flags, or with a peer attached.
type condition struct {
	name  string
	vigil bool
	flags []string // of vigil run
	peer  string   // of peers.py
	env   string   // below build/env; "" is the interpreter that was asked for
	other bool     // by the Vigil of the other checkout
}

func (c condition) bare() bool { return !c.vigil && c.peer == "" }

// floor is the peer that captures nothing: functions that do nothing where Vigil's
// hooks are, which is the least that hooks cost.
const floor = "empty"

// Where there are peers, everything but smdebug runs in the trackers' environment.
const (
	original = environment.Original
	trackers = environment.Trackers
)

var conditions = []condition{
	{name: "bare"},
	{name: "bare again (control)"},
	{name: "empty hooks", peer: floor},
	{name: "nothing due", vigil: true, flags: []string{"--rules", "none", "--every", "1000000000"}},
	{name: "defaults", vigil: true},
	{name: "statistics at every step", vigil: true, flags: []string{"--every", "1"}},
	{name: "statistics of weights and gradients at every step", vigil: true, flags: []string{"--rules", "none", "--collect", "weights:stats,every=1", "--collect", "biases:stats,every=1", "--collect", "gradients:stats,every=1", "--every", "1000000000"}},
	{name: "all tensors raw every 10 steps", vigil: true, flags: []string{"--rules", "none", "--save-all", "--every", "10"}},
	{name: "weights raw every 10 steps", vigil: true, flags: []string{"--rules", "none", "--collect", "weights:raw,every=10", "--collect", "biases:raw,every=10", "--every", "1000000000"}},
}

// besides are the peers.
var besides = []condition{
	{name: "bare, smdebug's environment", env: original},
	{name: "smdebug: all tensors raw every 10 steps", peer: "smdebug_all", env: original},
	{name: "smdebug: weights raw every 10 steps", peer: "smdebug_weights", env: original},
	{name: "smdebug: statistics at every step", peer: "smdebug_statistics", env: original},
	{name: "wandb.watch at every step", peer: "wandb_watch"},
	{name: "TensorBoard: histograms at every step", peer: "tensorboard"},
	{name: "a loop with .item() at every step", peer: "loop"},
}

// parts are what says which always-on part of the hook costs what, and since when: the
// same by another checkout, and without each part that can be switched off.
func parts() []condition {
	nothing := []string{"--rules", "none", "--every", "1000000000"}
	without := func(flags ...string) []string { return append(nothing[:len(nothing):len(nothing)], flags...) }
	return []condition{
		{name: "bare"},
		{name: "bare again (control)"},
		{name: "empty hooks", peer: floor},
		{name: "nothing due", vigil: true, flags: nothing},
		{name: "nothing due, the other checkout", vigil: true, flags: nothing, other: true},
		{name: "nothing due, without parts of steps", vigil: true, flags: without("--no-profile")},
		{name: "nothing due, without machine metrics", vigil: true, flags: without("--monitor", "off")},
		{name: "nothing due, without both", vigil: true, flags: without("--no-profile", "--monitor", "off")},
		{name: "defaults", vigil: true},
		{name: "defaults, the other checkout", vigil: true, other: true},
		{name: "statistics at every step", vigil: true, flags: []string{"--every", "1"}},
		{name: "statistics at every step, the other checkout", vigil: true, flags: []string{"--every", "1"}, other: true},
	}
}

// watching are Vigil's ways to see where the time goes, and the tools that people use
// for that. They all run in the environment of the profilers.
var watching = []condition{
	{name: "bare"},
	{name: "bare again (control)"},
	{name: "Vigil without machine metrics", vigil: true, flags: []string{"--rules", "none", "--monitor", "off", "--no-profile"}},
	{name: "Vigil with machine metrics", vigil: true, flags: []string{"--rules", "none", "--no-profile"}},
	{name: "Vigil's defaults", vigil: true},
	{name: "Vigil in a window of stacks", vigil: true, flags: []string{"--rules", "none", "--profile", "stacks:steps=5-1000000000"}},
	{name: "torch.profiler", peer: "torch_profiler"},
	{name: "cProfile", peer: "cprofile"},
	{name: "py-spy record", peer: "py_spy"},
	{name: "wandb's system metrics", peer: "wandb_system"},
	{name: "TraceML", peer: "traceml"},
}

// choose takes those of all whose names hold one of the parts, and the bare ones they
// are compared with; environments that are missing are made.
func choose(all []condition, parts string, environments ...string) ([]condition, error) {
	for _, name := range environments {
		if err := environment.Make(name); err != nil {
			return nil, err
		}
	}
	needed := map[string]bool{"": true}
	asked := func(c condition) bool {
		for p := range strings.SplitSeq(parts, ",") {
			if strings.Contains(c.name, p) {
				return true
			}
		}
		return false
	}
	for _, c := range all {
		needed[c.env] = needed[c.env] || asked(c)
	}
	var chosen []condition
	for _, c := range all {
		if asked(c) || c.bare() && needed[c.env] && c.name != "bare again (control)" {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}
