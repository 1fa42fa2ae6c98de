package monitor

// The kernel's files are read without allocating: what follows cuts words and
// numbers off the front of a text.

// word is the first word of a line and what follows it. At the end of the line it
// is empty.
func word(b []byte) (w, rest []byte) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	j := i
	for j < len(b) && b[j] != ' ' && b[j] != '\t' && b[j] != '\n' {
		j++
	}
	return b[i:j], b[j:]
}

// skip leaves out n words.
func skip(b []byte, n int) []byte {
	for range n {
		_, b = word(b)
	}
	return b
}

// line is the first line of a text without its end, and what follows it.
func line(b []byte) (l, rest []byte) {
	for i, c := range b {
		if c == '\n' {
			return b[:i], b[i+1:]
		}
	}
	return b, nil
}

// number is the number that a word is. One that does not fit is none.
func number(w []byte) (n uint64, ok bool) {
	for _, c := range w {
		d := uint64(c - '0')
		if d > 9 || n > (1<<64-1-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, len(w) > 0
}

// next is the number at the front of a line.
func next(b []byte) (n uint64, rest []byte, ok bool) {
	w, rest := word(b)
	n, ok = number(w)
	return n, rest, ok
}

// keyed hands over the lines of a text of the form "key value …" or "key: value …".
func keyed(b []byte, fn func(key []byte, value uint64)) {
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		key, rest := word(l)
		if n := len(key); n > 0 && key[n-1] == ':' {
			key = key[:n-1]
		}
		if v, _, ok := next(rest); ok {
			fn(key, v)
		}
	}
}
