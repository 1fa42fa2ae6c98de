package pyre

// repeatOne repeats the single item after iOne.
func (m *machine) repeatOne(pc int32, in *inst, pos int32) (int32, bool) {
	item := &m.re.prog[pc+1]
	most := min(in.max, int64(len(m.in))-int64(pos))
	want := most
	if in.how == lazy {
		want = min(in.min, most)
	}
	n := int64(0)
	for n < want && m.one(item, m.in[int64(pos)+n]) {
		n++
	}
	m.steps += int(n / 8)
	if n < in.min {
		return pos, false
	}
	end := pos + int32(n)
	switch {
	case in.how == lazy && in.max > n:
		m.push(entry{longer, pc, end, int32(min(in.max-n, int64(len(m.in))+1))})
	case in.how == greedy && n > in.min:
		m.push(entry{shorter, pc, pos + int32(in.min), end})
	}
	return end, true
}

func (m *machine) backref(in *inst, pos int32) (int32, bool) {
	from, to := m.regs[2*in.x], m.regs[2*in.x+1]
	if from < 0 || to < from {
		return pos, false
	}
	n := to - from
	if int(pos+n) > len(m.in) {
		return pos, false
	}
	for i := range n {
		if in.fold.lower(m.in[from+i]) != in.fold.lower(m.in[pos+i]) {
			return pos, false
		}
	}
	m.steps += int(n / 8)
	return pos + n, true
}

// control runs the instructions that read no text.
func (m *machine) control(pc int32, in *inst, pos int32) (int32, int32, bool) {
	switch in.code {
	case iAt:
		return pc + 1, pos, m.holds(in, pos)
	case iSave:
		m.set(in.x, pos)
	case iCond:
		if m.regs[2*in.x] < 0 || m.regs[2*in.x+1] < 0 {
			return in.y, pos, true
		}
	case iInit:
		m.set(in.y, 0)
		m.set(in.y+1, unset)
	case iLoop, iLoopLazy, iLoopMore:
		return m.loop(pc, in, pos)
	case iMark:
		m.set(in.x, 0)
		m.regs[in.x] = int32(len(m.stack))
	case iCut:
		m.cut(m.regs[in.x])
	case iLookMark:
		m.set(in.x+1, pos)
		m.set(in.x, 0)
		m.regs[in.x] = int32(len(m.stack))
	case iLookEnd:
		m.cut(m.regs[in.x])
		pos = m.regs[in.x+1]
	case iNotMark:
		m.set(in.x, 0)
		m.regs[in.x] = int32(len(m.stack))
		m.push(entry{way, in.y, pos, 0})
	case iNotEnd:
		m.unwind(m.regs[in.x])
		return pc, pos, false
	case iBack:
		return pc + 1, pos - in.x, pos >= in.x
	}
	return pc + 1, pos, true
}

// loop decides whether another round of a general repeat begins. A round that
// would begin where the one before began is not taken.
func (m *machine) loop(pc int32, in *inst, pos int32) (int32, int32, bool) {
	count, last := m.regs[in.y], m.regs[in.y+1]
	body := pc + 1
	if in.code == iLoopLazy {
		body = pc + 2
	}
	if in.code != iLoopMore && int64(count) < in.min {
		m.set(in.y, count+1)
		return body, pos, true
	}
	again := (in.max == unbounded || int64(count) < in.max) && pos != last
	switch in.code {
	case iLoopLazy:
		m.push(entry{way, pc + 1, pos, 0})
		return in.x, pos, true
	case iLoop:
		if !again {
			return in.x, pos, true
		}
		m.push(entry{way, in.x, pos, 0})
	default:
		if !again {
			return pc, pos, false
		}
	}
	m.set(in.y, count+1)
	m.set(in.y+1, pos)
	return body, pos, true
}

// holds decides the assertions of width 0.
func (m *machine) holds(in *inst, pos int32) bool {
	end := int32(len(m.in))
	multi := in.flags&flagM != 0
	switch in.at {
	case atStart:
		return pos == 0 || multi && m.in[pos-1] == '\n'
	case atEnd:
		return pos == end || m.in[pos] == '\n' && (multi || pos == end-1)
	case atStringStart:
		return pos == 0
	case atStringEnd:
		return pos == end
	}
	if end == 0 { // Python: neither \b nor \B holds in the empty string
		return false
	}
	ascii := in.flags&flagA != 0
	before := pos > 0 && isWord(m.in[pos-1], ascii)
	after := pos < end && isWord(m.in[pos], ascii)
	return (before != after) == (in.at == atBoundary)
}
