package stacks_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
)

const dump = `Thread 0x00007f5b0a7fc6c0 (most recent call first):
  File "/opt/lib/python3.12/site-packages/vigil/_connection.py", line 250 in _poll
  File "/opt/lib/python3.12/site-packages/vigil/_connection.py", line 230 in _listen
  File "/usr/lib/python3.12/threading.py", line 1010 in run

Thread 0x00007f5b0affd6c0 [pin memory] (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 355 in wait
  ...

Current thread 0x00007f5b2a1ff740 (most recent call first):
  File "/home/u/a \"b\"/d\xe4ta.py", line 88 in open
  File "/home/u/train.py", line ??? in <module>

Extension modules: numpy, torch._C (total: 2)
`

func TestParseFaulthandler(t *testing.T) {
	got := stacks.ParseFaulthandler(dump)
	want := []stacks.Thread{
		{Name: "pin memory", Frames: []stacks.Frame{{File: "/usr/lib/python3.12/threading.py", Line: 355, Function: "wait"}}},
		{Name: "MainThread", Main: true, Frames: []stacks.Frame{{File: `/home/u/a \"b\"/däta.py`, Line: 88, Function: "open"}, {File: "/home/u/train.py", Function: "<module>"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := stacks.ParseFaulthandler(""); len(got) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

func FuzzParseFaulthandler(f *testing.F) {
	f.Add(dump)
	f.Add("Thread 0x1 (most recent call first):\n  File \"\\x\", line 99999999999999999999 in \\U0011ffff")
	f.Fuzz(func(_ *testing.T, text string) {
		for _, th := range stacks.ParseFaulthandler(text) {
			stacks.Where(th.Frames, "")
		}
	})
}

// Frames of the examples.
var (
	user    = stacks.Frame{File: "/home/u/dataset.py", Line: 88, Function: "Data.load"}
	script  = stacks.Frame{File: "/home/u/train.py", Line: 31, Function: "main"}
	reduce  = stacks.Frame{File: "/e/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py", Line: 2810, Function: "all_reduce"}
	wrapper = stacks.Frame{File: "/e/lib/python3.12/site-packages/torch/distributed/c10d_logger.py", Line: 81, Function: "_exception_logger.<locals>.wrapper"}
	queue   = stacks.Frame{File: "/usr/lib/python3.12/multiprocessing/queues.py", Line: 113, Function: "Queue.get"}
	loop    = stacks.Frame{File: "/e/lib/python3.12/site-packages/torch/utils/data/_utils/worker.py", Line: 335, Function: "_worker_loop"}
	launch  = stacks.Frame{File: "/usr/lib/python3.12/multiprocessing/popen_fork.py", Line: 71, Function: "Popen._launch"}
	loads   = stacks.Frame{File: "/usr/lib/python3.12/importlib/__init__.py", Line: 1, Function: "import_module"}
	frozen  = stacks.Frame{File: "<frozen importlib._bootstrap>", Line: 1360, Function: "_find_and_load"}
)

func TestWhere(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []stacks.Frame
		state  string
		want   string
	}{
		{"in code of the user's", []stacks.Frame{user, script}, "", "`dataset.py:88 Data.load()`"},
		{"in a library", []stacks.Frame{reduce, wrapper, script}, "", "`all_reduce()`, called at `train.py:31`"},
		{"in a library that nobody called", []stacks.Frame{queue}, "", "`Queue.get()`"},
		{"a loader worker without work", []stacks.Frame{{File: "/usr/lib/python3.12/selectors.py", Line: 415, Function: "select"}, queue, loop, launch}, "", "`Queue.get()`"},
		{"at an import", []stacks.Frame{loads, frozen, script}, "", "an import, at `train.py:31`"},
		{"in a forked process what was before the fork is not its own", []stacks.Frame{queue, launch, script}, "", "`Queue.get()`"},
		{"without Python", nil, "waiting (do_wait)", "waiting (do_wait)"},
		{"without anything", nil, "", "no Python code"},
	} {
		if got := stacks.Where(c.frames, c.state); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func at(kind string, rank, pid int, frames ...stacks.Frame) stacks.Process {
	p := stacks.Process{PID: pid, Kind: kind, Rank: rank, Name: "python train.py", Read: stacks.Asked, State: "waiting"}
	if len(frames) > 0 {
		p.Threads = []stacks.Thread{{Name: "MainThread", Main: true, Frames: frames}}
	}
	return p
}

// The odd one comes first, and the sentence says who stands where.
func TestGroups(t *testing.T) {
	list := []stacks.Process{
		at(stacks.Other, -1, 9), at(stacks.Rank, 0, 10, reduce, wrapper, script), at(stacks.Rank, 1, 11, user, script),
		at(stacks.Rank, 2, 12, reduce, wrapper, script), at(stacks.Rank, 3, 13, reduce, wrapper, script),
		at(stacks.LoaderWorker, 1, 14, queue), at(stacks.LoaderWorker, 1, 15, queue),
	}
	groups := stacks.Groups(list)
	var got []string
	for i := range groups {
		got = append(got, groups[i].Who()+" ("+groups[i].Which()+") in "+groups[i].Where())
	}
	want := []string{
		"rank 1 (process 11) in `dataset.py:88 Data.load()`",
		"3 ranks (ranks 0, 2, 3; processes 10, 12, 13) in `all_reduce()`, called at `train.py:31`",
		"2 loader workers of rank 1 (processes 14, 15) in `Queue.get()`",
		"process 9 (python train.py) (process 9) in waiting",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	if got, want := stacks.Summary(groups), "rank 1 in `dataset.py:88 Data.load()`; 3 ranks in `all_reduce()`, called at `train.py:31`; 2 loader workers of rank 1 in `Queue.get()`"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := stacks.Summary(stacks.Groups(list[:1])); got != "process 9 (python train.py) in waiting" {
		t.Errorf("of a job that does not train: %s", got)
	}
}

// 500 workers are one group, and few words.
func TestManyProcesses(t *testing.T) {
	var list []stacks.Process
	for i := range 500 {
		list = append(list, at(stacks.LoaderWorker, 0, 1000+i, queue))
	}
	list = append(list, at(stacks.LoaderWorker, 0, 2000, user))
	groups := stacks.Groups(list)
	if len(groups) != 2 || groups[0].Who() != "a loader worker of rank 0" || groups[1].Which() != "processes 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007 and 492 more" {
		t.Errorf("%d groups: %s, %s", len(groups), groups[0].Who(), groups[1].Which())
	}
}

func TestDumps(t *testing.T) {
	for text, want := range map[string]int{"": 0, dump: 1, dump + dump: 2, dump[:len(dump)/2]: 0} {
		if got := stacks.Dumps(text); got != want {
			t.Errorf("%d dumps in %q, want %d", got, text, want)
		}
	}
}
