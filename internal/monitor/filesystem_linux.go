package monitor

import (
	"time"

	"golang.org/x/sys/unix"
)

// space is that of a file system, in bytes.
type space struct{ used, free float64 }

// fileSystem is the family of the run's file system.
type fileSystem struct {
	directory string
	lacks     func(name, reason string)
	in        background[space]
}

const (
	spaceGap   = 2 * time.Second
	spaceLimit = 10 * time.Second
)

func (f *fileSystem) sample(now time.Time, o *output) {
	if f.directory == "" {
		return
	}
	f.in.ask(now, spaceGap, func() *space {
		var st unix.Statfs_t
		if unix.Statfs(f.directory, &st) != nil || st.Blocks == 0 {
			return nil
		}
		// As df does: what only root may use is neither used nor free.
		return &space{float64(st.Blocks-st.Bfree) * float64(st.Bsize), float64(st.Bavail) * float64(st.Bsize)}
	})
	s := f.in.take(time.Millisecond)
	if s == nil && now.Sub(f.in.asked) > spaceLimit {
		f.lacks("fs", "the file system of the run does not answer")
	}
	if s != nil {
		o.percent("fs/used_percent", s.used, s.used+s.free)
		o.add("fs/free_bytes", s.free)
	}
}
