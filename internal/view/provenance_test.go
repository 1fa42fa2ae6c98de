package view

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestProvenance(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name string
		p    *record.Provenance
		want []Property
	}{
		{"a run of an older version", nil, nil},
		{"nothing is known", &record.Provenance{}, nil},
		{"clean", &record.Provenance{Git: &record.Git{Commit: "0123456789abcdef", Branch: "main"}}, []Property{{"code", "commit 0123456789 of main, nothing changed since"}}},
		{"new files", &record.Provenance{Git: &record.Git{Commit: "0123456789abcdef", Untracked: 2}}, []Property{{"code", "commit 0123456789, 2 new files"}}},
		{"no commit", &record.Provenance{Git: &record.Git{Branch: "main", Dirty: true, Changed: 1}}, []Property{{"code", "no commit yet of main, 1 file changed"}}},
		{
			"all of it",
			&record.Provenance{
				Git:             &record.Git{Commit: "0123456789abcdef", Branch: "main", Dirty: true, Changed: 2, Untracked: 1, Truncated: true, LeftOut: []string{".env", "a.bin"}},
				Hyperparameters: map[string]string{"lr": "0.1", "api-key": "***"},
				Config:          json.RawMessage(`{"model":{"depth":12,"name":"x"},"sizes":[1,2],"api_key":"***"}`),
				Environment:     map[string]string{"OMP_NUM_THREADS": "1"},
				Python:          &record.Interpreter{Version: "3.12.1", Implementation: "CPython", Executable: "/env/bin/python"},
				Packages:        map[string]string{"torch": "2.15.0", "numpy": "2.0", "six": "1", "rich": "2"},
				Machine:         &record.Machine{OS: "linux/amd64", Kernel: "6.1", CPU: "EPYC", Cores: 1, Memory: 24 << 30},
				Devices:         []record.Device{{Type: "cpu"}, {Type: "cuda", Index: 1, Name: "H100", Memory: 80 << 30}},
				Seeds:           map[string]uint64{"torch": 42, "lightning": 42},
				Deterministic:   &yes,
			},
			[]Property{
				{"code", "commit 0123456789 of main, 2 files changed, 1 new file"},
				{"diff", "only the first 1024 KiB are stored"},
				{"not in the diff", ".env, a.bin"},
				{"arguments", "api-key ***, lr 0.1"},
				{"config", "api_key ***, model.depth 12, model.name x, sizes [1,2]"},
				{"seeds", "lightning 42, torch 42"},
				{"algorithms", "deterministic"},
				{"devices", "cpu, cuda:1 (H100, 80 GiB)"},
				{"python", "CPython 3.12.1 (/env/bin/python)"},
				{"packages", "torch 2.15.0, numpy 2.0, and 2 more"},
				{"machine", "EPYC, 1 core, 24 GiB of memory, linux/amd64 6.1"},
				{"environment", "OMP_NUM_THREADS=1"},
			},
		},
	} {
		if d := cmp.Diff(c.want, Provenance(record.Run{Provenance: c.p})); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}
