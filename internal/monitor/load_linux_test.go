package monitor

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

var trainerID = proc.ID{PID: trainerPID}

// The load is the main thread of its process, the one whose waits are counted.
func init() {
	if os.Getenv("VIGIL_TEST_LOAD") != "" {
		runtime.LockOSThread()
	}
}

// load is a process that uses something of the machine until it is killed. It
// begins when a line comes on its standard input.
func load(kind string) {
	go func() { // nobody is left to kill it
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	switch kind {
	case "nothing":
		select {}
	case "cpu":
		for n := 0; ; n++ {
			_ = n
		}
	case "memory":
		b := make([]byte, loadBytes)
		for i := range b {
			b[i] = byte(i)
		}
		for {
			time.Sleep(time.Second)
			b[0]++
		}
	case "disk":
		f, err := os.Create(os.Getenv("VIGIL_TEST_FILE"))
		if err != nil {
			os.Exit(1)
		}
		block := make([]byte, 8<<20)
		for i := range 1 << 20 {
			block[0] = byte(i)
			if _, err := f.WriteAt(block, int64(i%8)<<23); err != nil || f.Sync() != nil {
				os.Exit(1)
			}
		}
	case "loopback":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			os.Exit(1)
		}
		go func() {
			c, err := l.Accept()
			if err == nil {
				_, _ = io.Copy(io.Discard, c)
			}
		}()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			os.Exit(1)
		}
		block := make([]byte, 256<<10)
		for {
			if _, err := c.Write(block); err != nil {
				os.Exit(1)
			}
		}
	}
}

const loadBytes = 512 << 20

// started starts a load as a child of this process.
func started(t *testing.T, kind string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "VIGIL_TEST_LOAD="+kind, "GOMAXPROCS=2", "VIGIL_TEST_FILE="+filepath.Join(t.TempDir(), "file"))
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c
}

// until samples until a figure is as wanted. How long that takes is up to the
// machine: only a figure that never comes fails.
func until(t *testing.T, s *Sampler, what string, wanted func(record.Sample) bool) record.Sample {
	t.Helper()
	deadline, _ := t.Deadline()
	var last record.Sample
	for range 1200 {
		if !deadline.IsZero() && time.Until(deadline) < 5*time.Second {
			break
		}
		time.Sleep(100 * time.Millisecond)
		if last = s.Sample(time.Now()); wanted(last) {
			return last
		}
	}
	t.Fatalf("%s: it never came; the last sample is %+v", what, last.Values)
	return last
}

func of(s record.Sample, name string) float64 {
	for _, v := range s.Values {
		if v.Name == name {
			return v.Value
		}
	}
	return -1
}

// Each figure follows what the job does, in direction and in order of size.
func TestLoads(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	self, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	const main = "process/main/"
	for _, c := range []struct {
		load   string
		wanted func(s record.Sample) bool
	}{
		{"nothing", func(s record.Sample) bool {
			return of(s, main+"cpu_percent") == 0 && of(s, main+"write_per_s") == 0 && of(s, "job/processes") == 1
		}},
		// A busy loop has a good part of a core even on a busy machine, and no more than its cores.
		{"cpu", func(s record.Sample) bool {
			cpu := of(s, main+"cpu_percent")
			return cpu > 15 && cpu < 250 && of(s, "job/cpu_percent") == cpu && of(s, "cpu/total") > 10
		}},
		{"memory", func(s record.Sample) bool {
			rss := of(s, main+"rss_bytes")
			return rss > loadBytes && rss < 1.5*loadBytes && of(s, "memory/used_bytes") > loadBytes
		}},
		{"loopback", func(s record.Sample) bool {
			return of(s, "net/lo/received_per_s") > 10e6 && of(s, "net/received_per_s") >= of(s, "net/lo/received_per_s") && of(s, "net/sent_per_s") > 10e6 && of(s, "net/sent_per_s") < 1e12
		}},
		{"disk", func(s record.Sample) bool {
			disks := 0.0
			for _, v := range s.Values {
				if strings.HasPrefix(v.Name, "disk/") && strings.HasSuffix(v.Name, "/write_per_s") {
					disks += v.Value
				}
			}
			return of(s, main+"write_per_s") > 1e6 && of(s, main+"waits_per_s") > 0 && (disks > 1e6 && disks < 1e11)
		}},
	} {
		t.Run(c.load, func(t *testing.T) {
			if c.load == "disk" && inMemory(t) {
				t.Skip("temporary files are in memory here")
			}
			s := New(Options{Launcher: self.ID, Directory: t.TempDir()})
			defer s.Close()
			started(t, c.load)
			until(t, s, c.load, c.wanted)
		})
	}
}

func inMemory(t *testing.T) bool {
	t.Helper()
	var st unix.Statfs_t
	return unix.Statfs(t.TempDir(), &st) == nil && (st.Type == unix.TMPFS_MAGIC || st.Type == unix.OVERLAYFS_SUPER_MAGIC)
}
