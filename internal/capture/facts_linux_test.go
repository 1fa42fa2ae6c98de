package capture

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// noFacts are facts of a training of which nothing is known.
const noFacts = `{"v":1,"framework":"go","models":[],"optimisers":[],"step":""}`

// What a later hook says besides is reported once, and the rest is taken.
func TestMismatchIsNoted(t *testing.T) {
	r := newRecorder()
	socket, _ := serve(t, r, Options{})
	c := dial(t, socket)
	for _, said := range []string{"first", "second"} {
		c.Say(TypeFacts, Facts{Facts: []byte(strings.Replace(noFacts, "{", `{"weather":1,`, 1)), Said: said})
	}
	c.Say(TypeNotice, map[string]any{"level": "info", "text": "hello", "hint": "", "colour": "red"})
	c.Publish(Record{Kind: Step})
	if !c.Wait(time.Minute) {
		t.Fatal("nothing was acknowledged")
	}
	want := []string{
		"notice facts of the hook in another form than expected: weather: unknown key", "facts first", "facts second",
		"notice notice of the hook in another form than expected: colour: unknown key", "notice hello", "0 step TRAIN 0/0",
	}
	if got := r.all(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Words that the hook said before it published a record are read before it,
// also when the agent is busy with earlier ones.
func TestFactsBeforeRecords(t *testing.T) {
	r := &slow{recorder: newRecorder(), begun: make(chan struct{}, 100), on: make(chan struct{})}
	socket, _ := serve(t, r, Options{})
	c := dial(t, socket)
	c.Publish(Record{Kind: Step})
	<-r.begun
	c.Say(TypeFacts, Facts{Facts: []byte(noFacts), Said: "a net"})
	c.Publish(Record{Kind: Step, Step: 1, ModeStep: 1})
	close(r.on)
	if !c.Wait(time.Minute) {
		t.Fatal("nothing was acknowledged")
	}
	want := []string{"0 step TRAIN 0/0", "facts a net", "1 step TRAIN 1/1"}
	if got := r.all(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// slow is a recorder that waits with its first records.
type slow struct {
	*recorder
	begun, on chan struct{}
}

func (s *slow) Open(session *Session) (Accepted, error) {
	a, err := s.recorder.Open(session)
	a.Sink = s
	return a, err
}

func (s *slow) Records(items []Item) uint64 {
	if len(items) > 0 {
		select {
		case s.begun <- struct{}{}:
		default:
		}
		<-s.on
	}
	return s.recorder.Records(items)
}

// After a takeover the facts that were said before come first, too, however
// long the hook takes to say them again.
func TestFactsBeforeRecordsOfATakeover(t *testing.T) {
	r := newRecorder()
	socket, _ := serve(t, r, Options{})
	ring, err := NewRing(16<<20, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer ring.Close()
	ring.publish(0, &Record{Kind: Step})
	uc, _, file, err := hello(ClientOptions{Socket: socket, Timeout: time.Minute, Hello: Hello{V: Version, Session: testSession, Facts: true}}, ring)
	if err != nil {
		t.Fatal(err)
	}
	defer uc.Close()
	if file != nil {
		file.Close()
	}
	b, err := AppendMessage(nil, TypeFacts, Facts{Facts: []byte(noFacts), Said: "a net"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := uc.Write(b); err != nil {
		t.Fatal(err)
	}
	wait(t, "the step", func() bool { return len(r.all()) == 2 })
	if got, want := r.all(), []string{"facts a net", "0 step TRAIN 0/0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
