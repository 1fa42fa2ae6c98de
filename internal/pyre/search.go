package pyre

import "strings"

// machine runs a program on one string by backtracking. All state that a
// failed way must undo goes through set, which leaves the old value on the
// stack.
type machine struct {
	re    *Regexp
	in    []rune
	regs  []int32
	stack []entry
	steps int
}

// entry of the backtracking stack.
type entry struct {
	kind kind
	pc   int32 // where to go on, or the register
	x, y int32
}

type kind uint8

const (
	way     kind = iota // go on at pc from position x
	old                 // register pc had the value x
	shorter             // a greedy iOne at pc: give back one, positions y down to x
	longer              // a lazy iOne at pc: take one more from position x; y rounds are left
)

const unset = -1

// find gives the positions of the match and its groups (-1: unset) in code
// points, nil when there is no match.
func (re *Regexp) find(s string) ([]int32, error) {
	for _, literal := range re.required {
		if !strings.Contains(s, literal) {
			return nil, nil
		}
	}
	m := &machine{re: re, in: []rune(s), regs: make([]int32, re.regs)}
	for i := range m.regs {
		m.regs[i] = unset
	}
	for start := 0; start <= len(m.in); start++ {
		if start > 0 {
			if re.anchored || re.dotAll {
				break
			}
			if re.dotStar && m.in[start-1] != '\n' {
				continue
			}
		}
		// A failed start leaves the stack empty and every register unset.
		end, err := m.run(int32(start))
		if err != nil {
			return nil, err
		}
		if end >= 0 {
			m.regs[0], m.regs[1] = int32(start), end
			return m.regs[:2*re.groups+2], nil
		}
	}
	return nil, nil
}

func (m *machine) push(e entry) { m.stack = append(m.stack, e) }

func (m *machine) set(reg, v int32) {
	m.push(entry{old, reg, m.regs[reg], 0})
	m.regs[reg] = v
}

// cut forgets the ways above height but keeps what they must undo.
func (m *machine) cut(height int32) {
	kept := m.stack[:height]
	m.steps += (len(m.stack) - int(height)) / 4
	for _, e := range m.stack[height:] {
		if e.kind == old {
			kept = append(kept, e)
		}
	}
	m.stack = kept
}

// unwind undoes everything down to height.
func (m *machine) unwind(height int32) {
	for len(m.stack) > int(height) {
		e := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if e.kind == old {
			m.regs[e.pc] = e.x
		}
	}
}

// resume takes the latest way that is left; ok is false when there is none.
func (m *machine) resume() (pc, pos int32, ok bool) {
	for len(m.stack) > 0 {
		top := len(m.stack) - 1
		e := m.stack[top]
		switch e.kind {
		case old:
			m.regs[e.pc] = e.x
			m.stack = m.stack[:top]
		case way:
			m.stack = m.stack[:top]
			return e.pc, e.x, true
		case shorter:
			if e.y--; e.y <= e.x {
				m.stack = m.stack[:top]
			} else {
				m.stack[top] = e
			}
			return m.re.prog[e.pc].x, e.y, true
		case longer:
			if int(e.x) >= len(m.in) || !m.one(&m.re.prog[e.pc+1], m.in[e.x]) {
				m.stack = m.stack[:top]
				m.steps++
				continue
			}
			e.x++
			if e.y--; e.y == 0 {
				m.stack = m.stack[:top]
			} else {
				m.stack[top] = e
			}
			return m.re.prog[e.pc].x, e.x, true
		}
	}
	return 0, 0, false
}

// one decides instructions that match a single code point.
func (m *machine) one(in *inst, r rune) bool {
	switch in.code {
	case iLiteral:
		return r == in.r
	case iFoldLiteral:
		return in.fold.equal(in.fold.lower(r), in.r)
	case iSet:
		if r >= 128 {
			m.steps += len(in.set.items) / 8
		}
		return in.set.has(r)
	case iNotNewline:
		return r != '\n'
	}
	return true
}

// run matches at pos and gives the end of the match, -1 when there is none.
func (m *machine) run(pos int32) (int32, error) {
	prog := m.re.prog
	pc := int32(0)
	for {
		if m.steps++; m.steps > MaxSteps || len(m.stack) > MaxStack {
			return -1, ErrSteps
		}
		in := &prog[pc]
		ok := true
		switch in.code {
		case iLiteral, iFoldLiteral, iSet, iNotNewline, iAny:
			if ok = int(pos) < len(m.in) && m.one(in, m.in[pos]); ok {
				pos++
				pc++
			}
		case iMatch:
			return pos, nil
		case iSplit:
			m.push(entry{way, in.x, pos, 0})
			pc++
		case iJump:
			pc = in.x
		case iOne:
			pos, ok = m.repeatOne(pc, in, pos)
			pc = in.x
		case iRef:
			pos, ok = m.backref(in, pos)
			pc++
		default:
			pc, pos, ok = m.control(pc, in, pos)
		}
		if !ok {
			if pc, pos, ok = m.resume(); !ok {
				return -1, nil
			}
		}
	}
}
