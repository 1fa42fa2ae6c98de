package server

import (
	"net"
	"net/netip"
	"os"
	"strings"
)

// hosts are the names that a server answers to. A page of another site can make a
// browser send requests to this address under a name of its own (DNS rebinding);
// it cannot make the name one of these.
type hosts struct {
	loopback bool // it listens there
	any      bool // it listens on every address of the machine
	names    map[string]bool
}

// newHosts are the names of a listening address, and further ones that the user gave.
func newHosts(listening []net.Addr, further []string) *hosts {
	h := &hosts{names: map[string]bool{}}
	for _, n := range further {
		h.add(n)
	}
	for _, a := range listening {
		t, ok := a.(*net.TCPAddr)
		if !ok {
			continue
		}
		switch {
		case t.IP.IsUnspecified() || t.IP == nil:
			h.any, h.loopback = true, true
			if name, err := os.Hostname(); err == nil {
				h.add(name)
			}
		case t.IP.IsLoopback():
			h.loopback = true
			h.add(t.IP.String())
		default:
			h.add(t.IP.String())
			if name, err := os.Hostname(); err == nil {
				h.add(name)
			}
		}
	}
	return h
}

func (h *hosts) add(name string) { h.names[plainHost(name)] = true }

// plainHost is a Host header without the port and in one spelling.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().WithZone("").String()
	}
	return host
}

// mine reports whether a Host header means this server.
func (h *hosts) mine(host string) bool {
	name := plainHost(host)
	if h.names[name] {
		return true
	}
	a, err := netip.ParseAddr(name)
	switch {
	case err != nil:
		return h.loopback && name == "localhost"
	case a.IsLoopback():
		return h.loopback
	case h.any:
		return own(a)
	}
	return false
}

// own reports whether an address is one of this machine's.
func own(a netip.Addr) bool {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, i := range list {
		if n, ok := i.(*net.IPNet); ok {
			if b, ok := netip.AddrFromSlice(n.IP); ok && b.Unmap() == a {
				return true
			}
		}
	}
	return false
}
