package monitor

import "bytes"

// sector is the unit of /proc/diskstats, whatever the disk's own is.
const sector = 512

// disk is one line of /proc/diskstats.
type disk struct {
	read, written uint64 // sectors
	busy          uint64 // milliseconds
}

// parseDiskstats reads /proc/diskstats and hands over each line.
func parseDiskstats(b []byte, fn func(name []byte, d disk)) {
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		name, rest := word(skip(l, 2))
		// reads, merged, sectors, ms; writes, merged, sectors, ms; in flight, ms busy
		var f [10]uint64
		ok := len(name) > 0
		for i := range f {
			if !ok {
				break
			}
			f[i], rest, ok = next(rest)
		}
		if ok {
			fn(name, disk{f[2], f[6], f[9]})
		}
	}
}

// disks is the family of disks: whole ones, without those that only stand for
// others' memory or files.
type disks struct {
	known map[string]*knownDisk
	n     int
	whole func(name string) bool // not a part of a disk
}

type knownDisk struct {
	last              disk
	shown             bool
	read, write, busy string
}

// mostDisks bounds the series.
const mostDisks = 32

func (d *disks) parse(b []byte, o *output) {
	parseDiskstats(b, func(name []byte, now disk) {
		k := d.known[string(name)]
		if k == nil {
			if d.known == nil {
				d.known = map[string]*knownDisk{}
			}
			n := string(name)
			k = &knownDisk{read: "disk/" + n + "/read_per_s", write: "disk/" + n + "/write_per_s", busy: "disk/" + n + "/busy_percent"}
			if d.n < mostDisks && !standsForOthers(name) && d.whole(n) {
				k.shown = true
				d.n++
			}
			d.known[n] = k
			k.last = now
			return // there is nothing to compare with
		}
		if k.shown && now != (disk{}) {
			o.rate(k.read, k.last.read, now.read, sector)
			o.rate(k.write, k.last.written, now.written, sector)
			if o.since > 0 && now.busy >= k.last.busy {
				o.percent(k.busy, float64(now.busy-k.last.busy)/1000, o.since)
			}
		}
		k.last = now
	})
}

// standsForOthers tells a device that is a file, or memory.
func standsForOthers(name []byte) bool {
	for _, p := range []string{"loop", "ram", "zram", "nbd", "fd", "sr"} {
		if rest, is := bytes.CutPrefix(name, []byte(p)); is {
			if _, ok := number(rest); ok {
				return true
			}
		}
	}
	return false
}
