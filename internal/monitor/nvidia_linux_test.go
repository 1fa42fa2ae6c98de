package monitor

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/nvml"
	"github.com/vigil-ml/vigil/internal/record"
)

// built makes the program that reads GPUs, and a library that is in for
// NVIDIA's, once.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "vigil-nvml-"); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", dir, "../../cmd/vigil-nvml")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := build.CombinedOutput(); err != nil {
		return dir, &exec.Error{Name: string(out), Err: err}
	}
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", filepath.Join(dir, "nvml.so"), "testdata/nvml/nvml.c").CombinedOutput(); err != nil {
		return dir, &exec.Error{Name: string(out), Err: err}
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	switch kind := os.Getenv("VIGIL_TEST_LOAD"); kind {
	case "":
	case "sample":
		sampleOf(os.Getenv("VIGIL_TEST_PID"))
		return
	default:
		load(kind)
		return
	}
	code := m.Run()
	if usedGPUs {
		dir, _ := built()
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

var usedGPUs bool

// gpus is a machine with two GPUs.
type gpus struct {
	*Sampler
	t     *testing.T
	state string
	now   time.Time
}

func newGPUs(t *testing.T, state string) *gpus {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler to build a library with")
	}
	usedGPUs = true
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	g := &gpus{t: t, state: filepath.Join(t.TempDir(), "state"), now: time.Now()}
	g.say(state)
	t.Setenv("FAKE_NVML", g.state)
	root := t.TempDir()
	overlay(t, filepath.Join("testdata", "cgroup-v2", "1"), root)
	g.Sampler = New(Options{Proc: filepath.Join(root, "proc"), Sys: filepath.Join(root, "sys"), NVML: []string{filepath.Join(dir, nvml.Program), filepath.Join(dir, "nvml.so")},
		Trainers: func() []Trainer { return []Trainer{{Label: "0", ID: trainerID}} }})
	g.gpuWait = time.Minute // nothing here depends on how busy the machine is
	t.Cleanup(g.Close)
	return g
}

// say tells the library what is to go wrong from now on.
func (g *gpus) say(state string) {
	g.t.Helper()
	if err := os.WriteFile(g.state+".new", []byte(state), 0o600); err != nil {
		g.t.Fatal(err)
	}
	if err := os.Rename(g.state+".new", g.state); err != nil {
		g.t.Fatal(err)
	}
}

// sample takes one as if so much time had gone by.
func (g *gpus) sample(after time.Duration) record.Sample {
	g.now = g.now.Add(after)
	return g.Sample(g.now)
}

func (g *gpus) missing() string {
	var list []string
	for _, m := range g.Missing() {
		list = append(list, m.Name+": "+m.Reason)
	}
	return strings.Join(list, "\n")
}

func TestGPUs(t *testing.T) {
	g := newGPUs(t, "")
	g.sample(0)
	s := g.sample(time.Second)
	for name, want := range map[string]float64{
		"gpu/0/utilization": 90, "gpu/1/utilization": 91, "gpu/0/memory_utilization": 40,
		"gpu/0/memory_bytes": 4 << 30, "gpu/0/memory_percent": 25, "gpu/1/memory_percent": 25,
		"gpu/0/power_w": 250.5, "gpu/0/power_limit_w": 400, "gpu/0/temperature_c": 61,
		"gpu/0/sm_clock_mhz": 1410, "gpu/0/memory_clock_mhz": 1215,
		"gpu/0/throttled": 0, "gpu/1/throttled": 1, "gpu/1/throttled_power": 1, "gpu/1/throttled_thermal": 0, "gpu/1/throttled_hardware": 0,
		"gpu/0/nvlink_received_per_s": 0, "gpu/0/pcie_received_per_s": 0,
		"gpu/0/job_memory_bytes": 3 << 30, "process/0/gpu_memory_bytes": 6 << 30,
	} {
		if got := value(t, s, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	// The driver itself says by how much counters have grown; time goes by as it does.
	for _, name := range []string{"gpu/0/nvlink_sent_per_s", "gpu/0/pcie_sent_per_s"} {
		if got := value(t, s, name); got <= 0 {
			t.Errorf("%s is %v", name, got)
		}
	}
	if got := value(t, s, "gpu/1/pcie_sent_per_s"); got != 1000*1024 {
		t.Errorf("where there is no counter, the throughput of PCIe is %v", got)
	}
	if has(s, "gpu/1/nvlink_sent_per_s") || !strings.Contains(g.missing(), "gpu/nvlink_sent_per_s: the GPU does not support it") {
		t.Errorf("what the GPU does not support: %s", g.missing())
	}
}

// One value fails in mid-run: it is absent, the others go on, and it comes back.
func TestGPUError(t *testing.T) {
	g := newGPUs(t, "")
	if s := g.sample(0); !has(s, "gpu/0/power_w") {
		t.Fatalf("before: %+v", s.Values)
	}
	g.say("no power")
	if s := g.sample(time.Second); has(s, "gpu/0/power_w") || !has(s, "gpu/0/power_limit_w") || !has(s, "cpu/total") && !has(s, "memory/used_percent") {
		t.Errorf("with an error: %+v", s.Values)
	}
	if !strings.Contains(g.missing(), "gpu/power_w: the driver tells of an unknown error") {
		t.Error(g.missing())
	}
	g.say("")
	if s := g.sample(time.Second); !has(s, "gpu/0/power_w") {
		t.Errorf("after: %+v", s.Values)
	}
}

// One GPU falls off the bus: it is absent, the other goes on.
func TestGPUDisappears(t *testing.T) {
	g := newGPUs(t, "")
	if s := g.sample(0); !has(s, "gpu/1/utilization") {
		t.Fatalf("before: %+v", s.Values)
	}
	g.say("lost 1")
	s := g.sample(time.Second)
	for _, v := range s.Values {
		if strings.HasPrefix(v.Name, "gpu/1/") {
			t.Errorf("the lost GPU has %s", v.Name)
		}
	}
	if !has(s, "gpu/0/utilization") || !strings.Contains(g.missing(), "gpu/1: the GPU has fallen off the bus") {
		t.Errorf("%+v\n%s", s.Values, g.missing())
	}
}

// A driver that hangs is given up, and asked again later; nothing else waits for it.
func TestDriverHangs(t *testing.T) {
	g := newGPUs(t, "")
	g.sample(0)
	g.say("hang")
	g.gpuWait = 0
	if s := g.sample(time.Second); has(s, "gpu/0/utilization") || !has(s, "memory/used_percent") {
		t.Errorf("while it hangs: %+v", s.Values)
	}
	g.sample(slowDriver + time.Second)
	if !strings.Contains(g.missing(), "gpu: the NVIDIA driver did not answer for 10 seconds") || g.nvidia.helper != nil {
		t.Error(g.missing())
	}
	g.say("")
	g.gpuWait = time.Minute
	if s := g.sample(time.Second); has(s, "gpu/0/utilization") {
		t.Error("it is asked again at once")
	}
	if s := g.sample(firstPause); !has(s, "gpu/0/utilization") {
		t.Errorf("when it works again: %+v", s.Values)
	}
}

// A driver that takes its caller along ends the helper alone. It is started again
// after a while, but not for ever.
func TestDriverCrashes(t *testing.T) {
	g := newGPUs(t, "")
	g.sample(0)
	g.say("crash")
	for range 2 * mostStarts { // one finds that it has ended, one starts it again
		s := g.sample(time.Hour)
		if has(s, "gpu/0/utilization") || !has(s, "memory/used_percent") {
			t.Fatalf("%+v", s.Values)
		}
		if h := g.nvidia.helper; h != nil {
			<-h.gone
		}
	}
	g.sample(time.Second)
	g.say("")
	if s := g.sample(24 * time.Hour); has(s, "gpu/0/utilization") || g.nvidia.helper != nil {
		t.Errorf("it is started for ever: %+v", s.Values)
	}
	if !strings.Contains(g.missing(), "ended, perhaps with the NVIDIA driver") || !strings.Contains(g.missing(), "is not started again") {
		t.Error(g.missing())
	}
	t.Log(g.missing())
}

// Why there are no figures of GPUs is said in one line.
func TestNoGPUs(t *testing.T) {
	t.Run("the driver is not loaded", func(t *testing.T) {
		g := newGPUs(t, "no driver")
		g.sample(0)
		g.sample(time.Second)
		if m := g.missing(); !strings.Contains(m, "gpu: ") || !strings.Contains(m, "the NVIDIA driver is not loaded") || strings.Count(m, "gpu") != 1 {
			t.Error(m)
		}
	})
	t.Run("no library", func(t *testing.T) {
		g := newGPUs(t, "")
		g.nvidia.command = []string{g.nvidia.command[0], "/no/such/library.so"}
		g.sample(0)
		if m := g.missing(); !strings.Contains(m, "gpu: the library of the NVIDIA driver cannot be loaded: /no/such/library.so") {
			t.Error(m)
		}
	})
	t.Run("the program cannot run", func(t *testing.T) {
		g := newGPUs(t, "")
		g.nvidia.command = []string{filepath.Join(t.TempDir(), "vigil-nvml")}
		g.sample(0)
		g.sample(time.Hour)
		if m := g.missing(); !strings.Contains(m, "gpu: the program vigil-nvml, which needs glibc, cannot be started") || strings.Count(m, "gpu") != 1 {
			t.Error(m)
		}
	})
	t.Run("no driver", func(t *testing.T) {
		s, _ := machine(t, "cgroup-v2")
		if m := s.Missing(); len(m) != 1 || m[0].Name != "gpu" {
			t.Errorf("%+v", m)
		}
	})
}

// The program that everybody starts stays free of glibc: only the helper calls
// NVIDIA's library.
func TestVigilNeedsNoLibraries(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the helper")
	}
	deps, err := exec.Command("go", "list", "-deps", "../../cmd/vigil").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(deps), "ebitengine/purego") {
		t.Error("cmd/vigil depends on purego, which makes it need glibc's loader")
	}
}
