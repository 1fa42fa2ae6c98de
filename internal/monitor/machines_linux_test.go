package monitor

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

var update = flag.Bool("update", false, "write what is sampled to testdata/MACHINE/want.txt")

// Processes of the made-up machines; no pid of a real machine is as high.
const (
	launcherPID = 900000001
	trainerPID  = 900000002
	workerPID   = 900000003
	agentPID    = 900000004
)

// overlay writes the files of one instant of a machine over those that are there,
// as the kernel does: what is open stays open.
func overlay(t *testing.T, from, root string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		to := filepath.Join(root, rel)
		if e.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, []byte(strings.ReplaceAll(string(b), "{ROOT}", root)), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// machine makes a sampler of a machine of testdata.
func machine(t *testing.T, name string, trainers ...Trainer) (s *Sampler, root string) {
	t.Helper()
	root = t.TempDir()
	overlay(t, filepath.Join("testdata", name, "1"), root)
	s = New(Options{
		Host: "host", Launcher: proc.ID{PID: launcherPID}, Trainers: func() []Trainer { return trainers },
		Proc: filepath.Join(root, "proc"), Sys: filepath.Join(root, "sys"),
	})
	s.processes.self, s.processes.page = agentPID, 4096
	t.Cleanup(s.Close)
	return s, root
}

func listed(s record.Sample) string {
	var b strings.Builder
	for _, v := range s.Values {
		fmt.Fprintf(&b, "%s %.6g\n", v.Name, v.Value)
	}
	return b.String()
}

// What is sampled of made-up machines at two instants, two seconds apart, and what
// is said to be absent.
func TestMachines(t *testing.T) {
	for _, name := range []string{"cgroup-v2", "cgroup-v1", "amd", "hidden"} {
		t.Run(name, func(t *testing.T) {
			s, root := machine(t, name)
			began := time.Now()
			first := s.Sample(began)
			overlay(t, filepath.Join("testdata", name, "2"), root)
			second := s.Sample(began.Add(2 * time.Second))
			if first.Host != "host" || second.Host != "host" || second.Time.Sub(first.Time) != 2*time.Second {
				t.Errorf("host %q, time %v and %v", first.Host, first.Time, second.Time)
			}
			got := "# at first\n" + listed(first) + "# two seconds later\n" + listed(second) + "# absent\n"
			for _, m := range s.Missing() {
				got += fmt.Sprintf("%s: %s\n", m.Name, strings.ReplaceAll(m.Reason, root, ""))
			}
			file := filepath.Join("testdata", name, "want.txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}
