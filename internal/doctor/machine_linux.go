package doctor

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/vigil-ml/vigil/internal/launch"
)

// Machine checks what capture needs of the operating system, and whether runs
// can be stored below root.
func Machine(root string) []Check {
	return []Check{system(), switchedOff(), memfd(), sockets(), memory(), disk(root)}
}

func system() Check {
	var u unix.Utsname
	release := ""
	if unix.Uname(&u) == nil {
		release = " " + unix.ByteSliceToString(u.Release[:])
	}
	switch runtime.GOARCH {
	case "amd64", "arm64":
		return ok("system", "Linux%s on %s", release, runtime.GOARCH)
	}
	return warn("system", "Vigil is tested on Linux, x86-64 and arm64", "Linux%s on %s", release, runtime.GOARCH)
}

func memfd() Check {
	fd, err := unix.MemfdCreate("vigil-doctor", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fail("shared memory", "a sandbox may forbid memfd_create; allow it for this process", "memfd_create: %v", err)
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, 1<<20); err != nil {
		return fail("shared memory", "", "size a memfd: %v", err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW); err != nil {
		return fail("shared memory", "", "seal a memfd: %v", err)
	}
	return ok("shared memory", "memfd works")
}

func sockets() Check {
	path, err := launch.TrySocket()
	if err != nil {
		return fail("socket", "set TMPDIR to another place with a short path", "%v", err)
	}
	return ok("socket", "a private socket can be created in %q", filepath.Dir(filepath.Dir(path)))
}

// memory compares what is free with the ring's usual size.
func memory() Check {
	free, ok1 := available()
	limit, ok2 := groupRoom()
	if !ok1 && !ok2 {
		return warn("memory", "", "cannot be read from /proc/meminfo")
	}
	room, from := free, "free"
	if ok2 && (!ok1 || limit < free) {
		room, from = limit, "left in this control group"
	}
	const least = 512 << 20
	if room < least {
		return warn("memory", "the ring and the agent need about 300 MB in addition to the training", "%s %s", size(room), from)
	}
	return ok("memory", "%s %s", size(room), from)
}

// available is MemAvailable in bytes.
func available() (uint64, bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, found := strings.CutPrefix(s.Text(), "MemAvailable:"); found {
			n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n * 1024, err == nil
		}
	}
	return 0, false
}

// groupRoom is what the memory control group (version 2) still allows.
func groupRoom() (uint64, bool) {
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		path, found := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !found {
			continue
		}
		limit, ok1 := readNumber(filepath.Join("/sys/fs/cgroup", path, "memory.max"))
		used, ok2 := readNumber(filepath.Join("/sys/fs/cgroup", path, "memory.current"))
		if ok1 && ok2 && used <= limit {
			return limit - used, true
		}
	}
	return 0, false
}

func readNumber(path string) (uint64, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil
}

// disk tries to write where the runs go and looks at the space there.
func disk(root string) Check {
	dir, err := filepath.Abs(root)
	if err != nil {
		return fail("disk", "", "find %q: %v", root, err)
	}
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fail("disk", "--dir or VIGIL_DIR selects another root of the runs", "%q is not a directory", dir)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return fail("disk", "--dir or VIGIL_DIR selects another root of the runs", "%v", err)
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".vigil-doctor-")
	if err != nil {
		return fail("disk", "--dir or VIGIL_DIR selects another root of the runs", "%q cannot be written: %v", dir, err)
	}
	f.Close()
	os.Remove(f.Name())
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return warn("disk", "", "free space of %q: %v", dir, err)
	}
	free, all := st.Bavail*uint64(st.Bsize), st.Blocks*uint64(st.Bsize)
	if all > 0 && free*20 < all {
		return warn("disk", "raw tensors are not stored while less than 5 % is free; --dir selects another place, --min-free another bound",
			"%s free at %q, less than 5 %%", size(free), dir)
	}
	return ok("disk", "%s free at %q", size(free), dir)
}
