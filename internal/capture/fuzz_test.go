package capture

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/tensor"
)

// FuzzMessages feeds bytes to the splitter in one piece and byte by byte, and
// decodes what comes out as every kind: the same messages come out, and nothing
// fails but by an error.
func FuzzMessages(f *testing.F) {
	var rows []struct{ Hex string }
	golden(f, "messages.json", &rows)
	for _, r := range rows {
		f.Add(unhex(f, r.Hex))
	}
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Add([]byte{2, 0, 0, 0, '{', '}'})
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, err := all(b, len(b))
		parts, err2 := all(b, 1)
		if (err == nil) != (err2 == nil) || len(whole) != len(parts) {
			t.Fatalf("%d messages, %v in one piece; %d, %v in many", len(whole), err, len(parts), err2)
		}
		for i, m := range whole {
			if m.Type != parts[i].Type || !bytes.Equal(m.Body, parts[i].Body) {
				t.Fatalf("message %d: %v and %v", i, m, parts[i])
			}
			names := newTables(1 << 20)
			if v := messageType(m.Type); v != nil && m.Decode(v) == nil {
				switch v := v.(type) {
				case *Tensors:
					names.tensors(v.Tensors)
				case *Shapes:
					names.addShapes(v.Shapes)
				case *Layout:
					names.addLayout(*v)
				}
				if _, err := AppendMessage(nil, m.Type, v); err != nil {
					// What could be decoded can be encoded; raw JSON in facts
					// was checked by the decoder.
					t.Fatalf("encode %s again: %v", m.Type, err)
				}
			}
			for _, d := range names.defs {
				if d != nil && (len(d.Name) > MaxName || len(d.Shape) > maxRank) {
					t.Fatalf("tensor out of bounds was taken: %+v", d)
				}
			}
		}
	})
}

func all(b []byte, piece int) (out []Message, err error) {
	var s splitter
	for len(b) > 0 {
		n := min(max(piece, 1), len(b))
		s.add(b[:n])
		b = b[n:]
		for {
			m, ok, err := s.next()
			if err != nil {
				return out, err
			}
			if !ok {
				break
			}
			out = append(out, Message{m.Type, bytes.Clone(m.Body)})
		}
	}
	return out, nil
}

// FuzzRecord checks records against announcements: whatever is accepted lies
// inside the data area and fits its shape.
func FuzzRecord(f *testing.F) {
	var rows []struct{ Hex string }
	golden(f, "records.json", &rows)
	for _, r := range rows {
		f.Add(unhex(f, r.Hex), uint32(1), int64(4), uint64(64))
	}
	f.Add(reducedSeed(), uint32(1), int64(4), uint64(64))
	f.Fuzz(func(t *testing.T, b []byte, shapeID uint32, dim int64, layoutBytes uint64) {
		if len(b) < RecordSize {
			return
		}
		const data = 1 << 20
		s := &Session{
			ring:  &Ring{Geometry: Geometry{Slots: 64, Records: headerBytes, Data: 2 * headerBytes, DataBytes: data}, mem: make([]byte, 2*headerBytes+data)},
			names: newTables(data), conn: &conn{},
		}
		s.conn.end()
		copy(s.ring.mem[2*headerBytes:], b[RecordSize:])
		s.names.tensors([]TensorInfo{info(0, "a", "weight", 2, 3), info(3, "b", "custom", dim), info(7, "loss", "loss")})
		s.names.addShapes([]Shape{{shapeID, []int64{dim, 2}}})
		s.names.addLayout(Layout{ID: 1, Bytes: layoutBytes, Entries: []Entry{{0, 0, 24}}})
		it, err := s.item(0, DecodeRecord(b))
		if err != nil {
			return
		}
		switch it.Kind {
		case Tensor:
			if _, err := tensor.NewView(it.DType, it.Dims, it.Data); err != nil {
				t.Fatalf("accepted %+v: %v", it.Record, err)
			}
		case Frame:
			for i, p := range it.Places {
				if it.Present != nil && it.Present[i] == 0 {
					continue
				}
				if _, err := tensor.NewView(p.Tensor.DType, p.Tensor.Shape, it.Data[p.Offset:p.Offset+p.NBytes]); err != nil {
					t.Fatalf("accepted %+v: %v", it.Record, err)
				}
			}
		case Reduced:
			for _, r := range it.Reductions {
				st, err := tensor.FromBlocks(r.Count, r.Width, r.Blocks, r.Hist)
				if err == nil && (st.Count != r.Count || st.Finite() < st.Zeros) {
					t.Fatalf("accepted %+v: %+v", it.Record, st)
				}
			}
		case Piece:
			n, err := tensor.Elements(it.Dims)
			if err != nil || it.Value < 0 || uint64(it.Value)+uint64(len(it.Data)) > uint64(n)*uint64(it.DType.Size()) {
				t.Fatalf("accepted %+v of %v: %v", it.Record, it.Dims, err)
			}
		}
	})
}

func FuzzGeometry(f *testing.F) {
	b := make([]byte, headerBytes)
	g, err := geometry(1<<20, 64)
	if err != nil {
		f.Fatal(err)
	}
	g.encode(b)
	f.Add(b[:64], uint64(1<<20))
	f.Fuzz(func(t *testing.T, head []byte, size uint64) {
		b := make([]byte, headerBytes)
		copy(b, head)
		g, err := decodeGeometry(b, size)
		if err != nil {
			return
		}
		if g.Records+g.Slots*RecordSize > g.Data || g.Data+g.DataBytes > size || g.Data+g.DataBytes < g.Data {
			t.Fatalf("accepted %+v in %d bytes", g, size)
		}
	})
}

func TestAppendMessageWantsAnObject(t *testing.T) {
	for _, v := range []any{nil, 1, []int{1}, "x"} {
		if _, err := AppendMessage(nil, "t", v); err == nil {
			t.Errorf("%v was taken for a message", v)
		}
	}
	b, err := AppendMessage(nil, "odd\"kind", struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	var s splitter
	s.add(b)
	m, ok, err := s.next()
	if !ok || err != nil || m.Type != "odd\"kind" || !json.Valid(m.Body) {
		t.Errorf("%v %v %v", m, ok, err)
	}
}

// reducedSeed is a record with the statistics of six zeros behind it.
func reducedSeed() []byte {
	n := 8 + tensor.BlockBytes + tensor.CountBytes
	b := make([]byte, RecordSize+n)
	(&Record{Kind: Reduced, ID: 1, NBytes: uint64(n), Shape: 6}).Encode(b)
	b[RecordSize+4] = 1 // block of tensor 0
	binary.LittleEndian.PutUint64(b[RecordSize+8+3*8:], math.Float64bits(6))
	return b
}

func TestReducedRecord(t *testing.T) {
	seed := reducedSeed()
	for name, c := range map[string]struct {
		change func(b []byte)
		want   string
	}{
		"as it is":             {func([]byte) {}, ""},
		"no tensors":           {func(b []byte) { b[4] = 0 }, "statistics of a wrong size"},
		"more than fit":        {func(b []byte) { b[4] = 2 }, "statistics of a wrong size"},
		"too long":             {func(b []byte) { b[32]++ }, "statistics of a wrong size"},
		"blocks of nothing":    {func(b []byte) { b[56] = 0 }, "statistics of a wrong size"},
		"smaller blocks":       {func(b []byte) { b[56] = 3 }, "statistics of a wrong number of blocks"},
		"a tensor not told of": {func(b []byte) { b[RecordSize] = 9 }, "unknown tensor id"},
	} {
		t.Run(name, func(t *testing.T) {
			b := bytes.Clone(seed)
			c.change(b)
			const data = 1 << 20
			s := &Session{
				ring:  &Ring{Geometry: Geometry{Slots: 64, Records: headerBytes, Data: 2 * headerBytes, DataBytes: data}, mem: make([]byte, 2*headerBytes+data)},
				names: newTables(data), conn: &conn{},
			}
			s.conn.end()
			copy(s.ring.mem[2*headerBytes:], b[RecordSize:])
			s.names.tensors([]TensorInfo{info(0, "a", "weight", 2, 3)})
			it, err := s.item(0, DecodeRecord(b))
			if c.want == "" {
				if err != nil || len(it.Reductions) != 1 || it.Reductions[0].Tensor.Name != "a" {
					t.Fatalf("%+v, %v", it.Reductions, err)
				}
				st, err := tensor.FromBlocks(6, 6, it.Reductions[0].Blocks, it.Reductions[0].Hist)
				if err != nil || st.Zeros != 6 {
					t.Fatalf("%+v, %v", st, err)
				}
			} else if err == nil || err.Error() != c.want {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
