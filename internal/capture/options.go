package capture

import "time"

// Options of a Listener. Zero values mean the defaults.
type Options struct {
	Handler   Handler
	RingBytes int64         // size of a new ring; default RingBytes()
	Slots     uint64        // records of a new ring; default DefaultSlots
	Poll      time.Duration // between two looks at a busy ring; default 10 ms
	Idle      time.Duration // at an idle one; default 50 ms
	Announce  time.Duration // how long a takeover waits for names; default 5 s
}

func (o Options) withDefaults() Options {
	if o.RingBytes == 0 {
		o.RingBytes = RingBytes()
	}
	if o.Slots == 0 {
		o.Slots = DefaultSlots
	}
	if o.Poll == 0 {
		o.Poll = 10 * time.Millisecond
	}
	if o.Idle == 0 {
		o.Idle = 50 * time.Millisecond
	}
	if o.Announce == 0 {
		o.Announce = 5 * time.Second
	}
	return o
}
