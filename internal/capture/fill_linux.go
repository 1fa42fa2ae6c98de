package capture

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// readPieces is the most pieces read in one call; the kernel allows 1024.
const readPieces = 512

// readProcess copies memory of another process, from the given addresses on.
// The kernel allows it where one process may trace the other.
func readProcess(pid int, to [][]byte, from []uint64) error {
	for len(to) > 0 {
		n := min(len(to), readPieces)
		want := 0
		local := make([]unix.Iovec, n)
		remote := make([]unix.RemoteIovec, n)
		for i, b := range to[:n] {
			local[i].Base = &b[0]
			local[i].SetLen(len(b))
			remote[i] = unix.RemoteIovec{Base: uintptr(from[i]), Len: len(b)}
			want += len(b)
		}
		got, err := unix.ProcessVMReadv(pid, local, remote, 0)
		if err != nil {
			return fmt.Errorf("read %d bytes of process %d: %w", want, pid, err)
		}
		if got != want {
			return fmt.Errorf("read %d bytes of process %d: only %d are there", want, pid, got)
		}
		to, from = to[n:], from[n:]
	}
	return nil
}
