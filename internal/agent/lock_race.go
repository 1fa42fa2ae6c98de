//go:build race

package agent

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

// locksHeld is a set of locks, a bit for each.
type locksHeld uint32

// allows reports whether a lock comes after all that are held.
func (h locksHeld) allows(o lockOrder) bool { return o == lockNone || h>>o == 0 }

func (h locksHeld) String() string {
	var list []string
	for o := lockPlacing; o < lockOrderSize; o++ {
		if h&(1<<o) != 0 {
			list = append(list, strconv.Itoa(int(o)))
		}
	}
	return fmt.Sprint(list)
}

// holders are the goroutines that hold any. It is kept out of the race detector's
// sight: what it synchronises would hide races of the agent.
var holders struct {
	sync.Mutex
	list [1024]holder
	n    int
}

type holder struct {
	goroutine int
	held      locksHeld
}

// taking is called before a lock is taken.
func (o lockOrder) taking() { o.check(func(h locksHeld) locksHeld { return h | 1<<o }) }

// awaiting is called before a goroutine is waited for that holds the lock.
func (o lockOrder) awaiting() { o.check(func(h locksHeld) locksHeld { return h }) }

func (o lockOrder) check(after func(locksHeld) locksHeld) {
	if h := change(o, after); !h.allows(o) {
		stack := make([]byte, 64<<10)
		fmt.Fprintf(os.Stderr, "lock %d is taken while %v are held, against the order of lock.go\n%s\n", o, h, stack[:runtime.Stack(stack, false)])
		os.Exit(66)
	}
}

// released is called after a lock was given back.
func (o lockOrder) released() { change(o, func(h locksHeld) locksHeld { return h &^ (1 << o) }) }

// change sets what this goroutine holds, and gives what it held before.
//
//go:norace
func change(o lockOrder, after func(locksHeld) locksHeld) locksHeld {
	if o == lockNone {
		return 0
	}
	id := goroutine()
	runtime.RaceDisable()
	holders.Lock()
	i := 0
	for i < holders.n && holders.list[i].goroutine != id {
		i++
	}
	if i == holders.n {
		holders.list[i] = holder{goroutine: id}
		holders.n++
	}
	before := holders.list[i].held
	holders.list[i].held = after(before)
	if holders.list[i].held == 0 {
		holders.n--
		holders.list[i] = holders.list[holders.n]
	}
	holders.Unlock()
	runtime.RaceEnable()
	return before
}

// goroutine is the number of the goroutine that calls it, as its stack begins with.
func goroutine() int {
	var buf [32]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	n, err := strconv.Atoi(string(text[:bytes.IndexByte(text, ' ')]))
	if err != nil {
		panic(err)
	}
	return n
}
