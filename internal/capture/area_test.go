package capture

import (
	"testing"

	"pgregory.net/rapid"

	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
)

// TestArea gives blocks out and takes them back in random order of events: no
// two blocks in use overlap, and all of them lie inside.
func TestArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := area{size: uint64(rapid.IntRange(1, 64).Draw(t, "size")) * 64}
		type block struct{ off, n, record uint64 }
		var used []block
		published, consumed := uint64(0), uint64(0)
		for range rapid.IntRange(1, 200).Draw(t, "events") {
			switch rapid.IntRange(0, 3).Draw(t, "event") {
			case 0, 1:
				n := uint64(rapid.IntRange(0, 2000).Draw(t, "bytes"))
				off, ok := a.alloc(n)
				if !ok {
					if len(used) == 0 && n <= a.size && n > 0 {
						t.Fatalf("no room for %d of %d bytes although nothing is in use", n, a.size)
					}
					continue
				}
				if off+n > a.size || off%64 != 0 {
					t.Fatalf("block of %d at %d in %d", n, off, a.size)
				}
				for _, b := range used {
					if n > 0 && b.n > 0 && off < b.off+b.n && b.off < off+n {
						t.Fatalf("block of %d at %d lies on %+v", n, off, b)
					}
				}
				published++
				a.hold(published)
				used = append(used, block{off, n, published})
			case 2:
				if published > consumed {
					consumed += uint64(rapid.IntRange(1, int(published-consumed)).Draw(t, "consumed"))
				}
				a.release(consumed)
				for len(used) > 0 && used[0].record <= consumed {
					used = used[1:]
				}
			case 3:
				a.want = uint64(rapid.IntRange(1, 64).Draw(t, "new size")) * 64
			}
		}
	})
}
