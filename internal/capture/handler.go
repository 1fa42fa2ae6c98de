package capture

import (
	"errors"

	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Peer is the process at the other end of the socket, as the kernel knows it.
type Peer struct {
	PID   int
	UID   int
	Start uint64 // start time in clock ticks since boot; 0 when unknown
}

// Alive reports whether the peer still runs; a zombie does not.
func (p Peer) Alive() bool { return proc.Alive(proc.ID{PID: p.PID, Start: p.Start}) }

// ErrBusy turns a connection away for now.
var ErrBusy = errors.New("the session is still open on another connection")

// Handler decides about processes that connect.
type Handler interface {
	// Open is asked once for every process that says hello. A *Refused is sent
	// to the hook as it is, any other error as a reason; for ErrBusy the
	// connection is closed without a word, so that the hook comes again.
	Open(s *Session) (Accepted, error)
	// Control answers a command; the answer must encode as a JSON object.
	Control(c Control, p Peer) any
	// TurnedAway is told why a connection was closed that had not said hello in
	// a way that could be answered. It is called from any goroutine.
	TurnedAway(reason string)
}

// Accepted is the answer to a Hello.
type Accepted struct {
	Sink   Sink
	Run    string // path of the run
	Worker string
	Place  *record.Place // where the hook goes on counting steps; nil: at 0
	// Windows of detail that are to come.
	Windows []Window
}

// Sink takes what one process sends. All calls for one session come from one
// goroutine, in the order of the protocol.
type Sink interface {
	Modules(Modules)
	Tensors([]*TensorDef)
	Collection(Collection)
	Facts(Facts)
	Loader(Loader)
	Compiler(Compiler)
	Missing(Missing)
	Notice(Notice)
	Checkpoint(Checkpoint)
	Provenance(Provenance)
	Traceback(Traceback)
	Bye(Bye)
	// Plan is called when the plan is to be sent: after announcements and
	// after Session.Replan. Its version is filled in by the session.
	Plan() Plan
	// Records takes the next records and says up to which record everything is
	// stored by now (a count from the session's beginning). It is called with
	// none when the ring is empty, so that what could not be stored is tried
	// again.
	Records(items []Item) (acked uint64)
	// Refuse counts records and announcements that did not fit the protocol.
	Refuse(reason string, n int64)
	// Failed says that the session cannot go on: what was read makes no sense,
	// or the sink itself failed over it. Closed follows.
	Failed(reason string)
	// Closed is the last call: everything published has been handed over. bye
	// says whether the hook closed in good order.
	Closed(bye bool)
}

// TensorDef is a tensor of a session.
type TensorDef struct {
	ID uint32
	record.TensorInfo
	DType tensor.DType // Invalid when the announcement names none
	Cut   bool         // the name was longer than allowed
	User  any          // for the Sink
}

// Place is one tensor of a frame.
type Place struct {
	Tensor         *TensorDef
	Offset, NBytes uint64
}

// Item is a record that was found to fit.
type Item struct {
	Record
	N      uint64       // number of the record
	Tensor *TensorDef   // Scalar, Tensor, Piece
	Defs   []*TensorDef // Scalars: one for each number in Data
	Places []Place      // Frame
	// Reductions are the tensors of a Reduced; what they hold lies in the ring
	// like Data.
	Reductions []Reduction
	// Present has one byte per Place when not all of a Frame are there, else
	// it is nil.
	Present []byte
	// Dims is the shape of a Tensor or Piece.
	Dims []int64
	// Data lies in the ring. It is valid during Records only: the sink has to
	// be done with it, or to have copied it, when Records returns.
	Data []byte
	// Lost says that the data was released before an earlier agent stored it.
	Lost bool
}
