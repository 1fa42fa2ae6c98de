package timeline

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"
)

// writer writes trace events one behind another.
type writer struct {
	w    *bufio.Writer
	zero time.Time
	n    int64 // events
	b    []byte
	err  error
}

func newWriter(w io.Writer, zero time.Time) *writer {
	return &writer{w: bufio.NewWriterSize(w, 64<<10), zero: zero}
}

// arg is one argument of an event: a text, a number, or JSON.
type arg struct {
	key   string
	value any // string, int64, float64 or json.RawMessage
}

func (w *writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}

// head begins the file.
func (w *writer) head(name string, zero time.Time) {
	w.write([]byte(`{"displayTimeUnit":"ms","otherData":{"run":`))
	w.write(quoted(nil, name))
	w.write([]byte(`,"zero":`))
	w.write(quoted(nil, zero.UTC().Format(time.RFC3339Nano)))
	w.write([]byte("},\n\"traceEvents\":["))
}

// tail ends it. The notes are metadata that viewers leave alone.
func (w *writer) tail(notes []string) {
	w.write([]byte("\n]"))
	if len(notes) > 0 {
		b, err := json.Marshal(notes)
		if err == nil {
			w.write(append([]byte(",\n\"notes\":"), b...))
		}
	}
	w.write([]byte("}\n"))
	if err := w.w.Flush(); w.err == nil {
		w.err = err
	}
}

// since is a time on the axis in nanoseconds.
func (w *writer) since(t time.Time) int64 { return max(t.Sub(w.zero).Nanoseconds(), 0) }

func (w *writer) begin(phase string) {
	w.b = w.b[:0]
	if w.n > 0 {
		w.b = append(w.b, ',')
	}
	w.n++
	w.b = append(append(append(w.b, "\n{\"ph\":\""...), phase...), '"')
}

func (w *writer) text(key, value string) {
	w.b = append(append(append(w.b, `,"`...), key...), `":`...)
	w.b = quoted(w.b, value)
}

func (w *writer) number(key string, n int) {
	w.b = append(append(append(w.b, `,"`...), key...), `":`...)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

// time spells nanoseconds as microseconds, exactly.
func (w *writer) time(key string, ns int64) {
	w.b = append(append(append(w.b, `,"`...), key...), `":`...)
	w.b = strconv.AppendInt(w.b, ns/1000, 10)
	if rest := ns % 1000; rest != 0 {
		w.b = append(w.b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
		for w.b[len(w.b)-1] == '0' {
			w.b = w.b[:len(w.b)-1]
		}
	}
}

func (w *writer) end(args ...arg) {
	if len(args) > 0 {
		w.b = append(w.b, `,"args":{`...)
		for i, a := range args {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.b = append(quoted(w.b, a.key), ':')
			switch v := a.value.(type) {
			case string:
				w.b = quoted(w.b, v)
			case int64:
				w.b = strconv.AppendInt(w.b, v, 10)
			case float64:
				w.b = figure(w.b, v)
			case json.RawMessage:
				w.b = append(w.b, v...)
			}
		}
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, '}')
	w.write(w.b)
}

// process names a process; those with a smaller place stand higher.
func (w *writer) process(pid int, name string, place int) {
	w.begin("M")
	w.text("name", "process_name")
	w.number("pid", pid)
	w.end(arg{"name", named(name)})
	w.begin("M")
	w.text("name", "process_sort_index")
	w.number("pid", pid)
	w.end(arg{"sort_index", int64(place)})
}

// thread names a track.
func (w *writer) thread(pid, tid int, name string) {
	w.begin("M")
	w.text("name", "thread_name")
	w.number("pid", pid)
	w.number("tid", tid)
	w.end(arg{"name", named(name)})
	w.begin("M")
	w.text("name", "thread_sort_index")
	w.number("pid", pid)
	w.number("tid", tid)
	w.end(arg{"sort_index", int64(tid)})
}

// slice is something with a beginning and a length.
func (w *writer) slice(pid, tid int, name string, from, to int64, args ...arg) {
	w.begin("X")
	w.text("name", named(name))
	w.number("pid", pid)
	w.number("tid", tid)
	w.time("ts", from)
	w.time("dur", to-from)
	w.end(args...)
}

// instant is a moment.
func (w *writer) instant(pid, tid int, name string, at int64, args ...arg) {
	w.begin("i")
	w.text("name", named(name))
	w.number("pid", pid)
	w.number("tid", tid)
	w.time("ts", at)
	w.text("s", "t")
	w.end(args...)
}

// counter is a value of each of some series from a moment on.
func (w *writer) counter(pid int, name string, at int64, args ...arg) {
	w.begin("C")
	w.text("name", named(name))
	w.number("pid", pid)
	w.time("ts", at)
	w.end(args...)
}

// named is a name that is one.
func named(name string) string {
	for _, r := range name {
		if r != ' ' && r != '\t' && r != '\n' && r != '\r' {
			return name
		}
	}
	return "unnamed"
}

// quoted appends a text as JSON.
func quoted(b []byte, text string) []byte {
	plain := true
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			plain = false
			break
		}
	}
	if plain {
		return append(append(append(b, '"'), text...), '"')
	}
	q, err := json.Marshal(text)
	if err != nil { // no text is refused
		return append(b, `""`...)
	}
	return append(b, q...)
}

// figure appends a number with as many digits as a curve shows.
func figure(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, '0')
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendFloat(b, v, 'g', 6, 64)
}
