// Package capture is the way from a hook to the agent: a ring in shared memory
// for values, a unix socket for words. docs/protocol.md describes both; this
// package is the agent's side (Listener, Session) and what a hook written in Go
// needs (Client).
//
// Nothing that comes from a hook is trusted: lengths, ids, offsets and orders
// are checked before use, and what does not fit is refused and counted. A
// hostile or broken process harms its own values only.
package capture

// Version is the version of the wire protocol that this package speaks.
const Version = 1

// Limits of the protocol.
const (
	MaxMessage    = 64 << 20  // bytes of one message on the socket
	MaxTensors    = 1_000_000 // tensors a session may announce
	MaxShapes     = 1_000_000 // shapes a session may announce
	MaxName       = 8192      // bytes of a tensor's name
	MaxSocketPath = 100       // bytes of the socket's path
	maxLayouts    = 4096      // layouts a session may announce
	maxEntries    = 4_000_000 // entries of all layouts of a session
	maxModules    = 1_000_000 // modules of one message
	maxRank       = 64        // dimensions of a shape
	maxStep       = int64(1) << 53
)
