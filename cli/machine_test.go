package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// machineRun is a run of two hosts, with a gap in what one of them sampled.
func machineRun(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	began := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	ended, code := began.Add(time.Minute), 0
	w, err := store.Create(vfs.OS, root, "slow", record.Run{Started: began, Ended: &ended, ExitCode: &code, Status: record.Completed, Host: "node1",
		Command: []string{"python", "train.py"}, Framework: record.Framework{Name: "pytorch"}, Workers: []record.Worker{{Name: "worker_0", Chief: true}},
		NotCaptured: []record.NotCaptured{{Name: "machine metrics: gpu", Reason: "no driver was found", Count: 1}}})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	for i := range 40 {
		at := began.Add(time.Duration(i) * 500 * time.Millisecond)
		if i >= 20 {
			at = at.Add(12 * time.Second)
		}
		must(w.Samples(record.Sample{Host: "node1", Time: at, Values: []record.Scalar{{Name: "cpu/total", Value: float64(i)}, {Name: "disk/sda/read_per_s", Value: 1e6}}},
			record.Sample{Host: "node2", Time: at, Values: []record.Scalar{{Name: "cpu/total", Value: 90}, {Name: "gpu/0/utilization", Value: 50}}}))
	}
	for i := range int64(3) {
		row := record.StepTime{Worker: "worker_0", Step: i, ModeStep: i, Steps: 1, Start: began.Add(time.Duration(i) * 4e9), End: began.Add(time.Duration(i+1) * 4e9), Gap: 1e9}
		row.Parts[record.WaitForData], row.Parts[record.Forward] = 3e9, 1e9
		must(w.Append("worker_0", "", 0, &record.Step{Worker: "worker_0", Step: i, ModeStep: i, Scalars: []record.Scalar{{Name: "loss", Value: 1}}}))
		must(w.Times("worker_0", "", 0, []record.StepTime{row}, nil))
	}
	must(w.Close())
	return root
}

// What `show` and `values` print of the machine and of the time of steps, of two
// hosts.
func TestMachineAndTime(t *testing.T) {
	root, program := machineRun(t), vigil(t)
	for _, c := range []struct {
		command string
		want    string // parts that stand in the output in this order, divided by |
	}{
		{"show slow", "Machine:\n  node1: 2 series every 500 ms, 2026-11-21 10:00:00 to 2026-11-21 10:00:31\n    cpu, disk/sda\n    nothing was sampled for 12.5s from 2026-11-21 10:00:09 on\n  node2: 2 series|Time of steps:\n  TRAIN, 12s: data 75 %, forward 25 %\n|Tensors:\n  NAME  KIND    TYPE  SHAPE  COLLECTIONS\n  loss|Not sampled of the machine:\n  gpu: no driver was found"},
		{"show slow cpu/", "cpu/total  machine"},
		{"show slow --json", `"machine":[{"host":"node1","interval_seconds":0.5,"series":2,"families":["cpu","disk/sda"]|"gaps":[{"from":"2026-11-21T10:00:09.5Z","to":"2026-11-21T10:00:22Z"}]|"time":[{"mode":"TRAIN","worker":"worker_0","steps":3,"seconds":12,"shares":{|"data":0.75`},
		{"values slow cpu/total --steps 19:21", "cpu/total, GLOBAL, node1\n      step  time                     value\n        19  2026-11-21 10:00:09.500  19\n        20  2026-11-21 10:00:22.000  20\n"},
		{"values slow cpu/total --worker node2 --format csv --steps :1", "step,time,value\n0,2026-11-21T10:00:00.000Z,90\n"},
		{"values slow gpu/0/utilization --steps 39: --json", `"steps":[39]|"times":["2026-11-21T10:00:31.500Z"]|"values":[50]|"worker":"node2"`},
		{"values slow time/data", "time/data, TRAIN, worker_0\n      step  value\n         0  3\n         1  3\n         2  3\n"},
		{"values slow time/step --json", `"values":[3,3,3]`},
		{"values slow cpu/total --worker worker_0", "there is no worker \"worker_0\"|workers: node1, node2"},
		{"values slow cpu/total --mode train", "\"cpu/total\" has no value in the steps and mode asked for"},
		{"values slow cpu/total --stat max", "\"cpu/total\" has no statistic \"max\""},
		{"values slow cpu/totl", "did you mean cpu/total"},
		{"fsck slow", "slow: whole"},
	} {
		cmd := exec.Command(program, append(strings.Fields(c.command), "--dir", root)...)
		cmd.Env = append(cleanEnv(t), "TZ=UTC")
		out, _ := cmd.CombinedOutput()
		rest := string(out)
		for _, part := range strings.Split(c.want, "|") {
			i := strings.Index(rest, part)
			if i < 0 {
				t.Errorf("%s printed\n%s\nwithout\n%s", c.command, out, part)
				break
			}
			rest = rest[i+len(part):]
		}
	}
}

const machineReader = `
import json, sys
import pandas
from vigil import exceptions
from vigil.trial import create_trial
trial = create_trial(sys.argv[1])
at, values = trial.machine("cpu/total")
other = trial.machine("gpu/0/utilization", host="node2")[1]
steps, ended, seconds = trial.step_times("data")
missing = []
for ask in (lambda: trial.machine("gpu/0/utilization"), lambda: trial.step_times(mode="EVAL"), lambda: trial.step_times("lunch")):
    try:
        ask()
    except Exception as error:
        missing.append(type(error).__name__)
table = pandas.concat([pandas.read_parquet(sys.argv[1] + "/system/node1/metrics-000001.parquet")])
times = pandas.read_parquet(sys.argv[1] + "/series/worker_0/times-000001.parquet")
print(json.dumps([sorted(trial.hosts()), len(at), at[20] - at[19], values[:3].tolist(), other[:1].tolist(), steps.tolist(), (ended - ended[0]).tolist(), seconds.tolist(), missing,
    table["cpu/total"].tolist()[:3], str(table.time[1]), times["data"].tolist(), str(times.end[0])]))
`

// Python reads the same by vigil.trial, and pandas from the files without us.
func TestPythonReadsMachineAndTime(t *testing.T) {
	root, program := machineRun(t), vigil(t)
	cmd := exec.Command(testenv.Python(t), "-c", machineReader, filepath.Join(root, "slow"))
	cmd.Env = append(cleanEnv(t), "VIGIL_BIN="+program, "PYTHONPATH="+filepath.Join(testenv.Root(), "python"))
	out, err := cmd.CombinedOutput()
	want := `[["node1", "node2"], 40, 12.5, [0.0, 1.0, 2.0], [50.0], [0, 1, 2], [0.0, 4.0, 8.0], [3.0, 3.0, 3.0], ["TensorUnavailable", "TensorUnavailable", "InvalidValue"], ` +
		`[0.0, 1.0, 2.0], "2026-11-21 10:00:00.500000+00:00", [3000000000, 3000000000, 3000000000], "2026-11-21 10:00:04+00:00"]` + "\n"
	if string(out) != want || err != nil {
		t.Errorf("printed\n%s%v\nwant\n%s", out, err, want)
	}
}
