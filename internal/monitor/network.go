package monitor

import "bytes"

// traffic is one line of /proc/net/dev, in bytes.
type traffic struct{ received, sent uint64 }

// parseNetDev reads /proc/net/dev and hands over each interface.
func parseNetDev(b []byte, fn func(name []byte, t traffic)) {
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		i := bytes.LastIndexByte(l, ':') // a name may hold one
		if i < 0 {
			continue // a heading
		}
		name := bytes.TrimLeft(l[:i], " ")
		received, rest, ok := next(l[i+1:])
		if !ok || len(name) == 0 {
			continue
		}
		if sent, _, ok := next(skip(rest, 7)); ok {
			fn(name, traffic{received, sent})
		}
	}
}

// network is the family of the interfaces.
type network struct {
	known map[string]*knownInterface
	n     int
}

type knownInterface struct {
	traffic
	received, sent string
	counted        bool
}

// mostInterfaces bounds the series; all count in the sum.
const mostInterfaces = 16

func (n *network) parse(b []byte, o *output) {
	var grown traffic
	any := false
	parseNetDev(b, func(name []byte, now traffic) {
		k := n.known[string(name)]
		if k == nil {
			if n.known == nil {
				n.known = map[string]*knownInterface{}
			}
			s := string(name)
			n.known[s] = &knownInterface{traffic: now, received: "net/" + s + "/received_per_s", sent: "net/" + s + "/sent_per_s"}
			any = true
			return
		}
		any = true
		if now.received >= k.traffic.received && now.sent >= k.traffic.sent {
			grown.received += now.received - k.traffic.received
			grown.sent += now.sent - k.traffic.sent
			if !k.counted && now != (traffic{}) && n.n < mostInterfaces {
				k.counted = true
				n.n++
			}
			if k.counted {
				o.rate(k.received, k.traffic.received, now.received, 1)
				o.rate(k.sent, k.traffic.sent, now.sent, 1)
			}
		}
		k.traffic = now
	})
	if any {
		o.rate("net/received_per_s", 0, grown.received, 1)
		o.rate("net/sent_per_s", 0, grown.sent, 1)
	}
}
