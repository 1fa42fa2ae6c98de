package live

import (
	"fmt"
	"strings"
	"time"
)

// row is the terminal's last row, kept for the status line: a scroll region
// holds what the job writes in the rows above, where it scrolls as it always
// would, and cannot reach the row. The methods give what is to be written, each
// time in one piece, and leave the cursor, its colours and what it is on as
// they were.
type row struct {
	open          bool
	columns, rows int       // of the terminal when it was drawn
	text          string    // what is there
	out           time.Time // when the cursor was taken out of it
}

// A terminal that is smaller than this has no row to spare.
const (
	leastRows    = 10
	leastColumns = 40
)

// again is how long a program that set the region back (a terminal reset, say)
// can leave the cursor in the row. It is not looked after each time, because
// moving the cursor has a terminal forget that it waits behind the last column.
const anew = 5 * time.Second

const (
	saveCursor    = "\x1b7"
	restoreCursor = "\x1b8"
	wholeScreen   = "\x1b[r" // as scroll region; it takes the cursor home
	noColours     = "\x1b[0m"
	// makeRoom gets rows free below the cursor's: down, which scrolls where
	// there is no row, and up again, without leaving the column. They are more
	// than the one that is wanted, because the job's last lines may be below
	// its cursor: a second progress bar, say.
	makeRoom = "\x1bD\x1bD\x1bD\x1bD\x1b[4A"
	// getOut takes the cursor out of the last row. First it erases that row
	// from the cursor's column on, because the cursor may be in it, and stand on
	// an old state, when the region was set back.
	getOut = saveCursor + wholeScreen + restoreCursor + "\x1b[999B" + noColours + "\x1b[K" + restoreCursor + "\x1bD\x1b[A"
	// eraseRest erases what comes behind the cursor.
	eraseRest = "\x1b[J"
)

// draw puts text in the row and makes it the row when it is not yet.
func (r *row) draw(text string, columns, rows int, now time.Time) string {
	moved := r.open && (columns != r.columns || rows != r.rows)
	var b strings.Builder
	switch {
	case !r.open:
		b.WriteString(makeRoom)
		r.out = now
	case moved || now.Sub(r.out) >= anew:
		b.WriteString(getOut)
		r.out = now
	}
	b.WriteString(saveCursor + noColours)
	if moved {
		// Nobody knows where the terminal has put the old row, only that it
		// is behind the job's output.
		b.WriteString(eraseRest)
	}
	// The region is set each time, because programs of the job may have set
	// it back.
	fmt.Fprintf(&b, "\x1b[1;%dr\x1b[%d;1H\x1b[2K%s", rows-1, rows, text)
	b.WriteString(restoreCursor)
	r.open, r.columns, r.rows, r.text = true, columns, rows, text
	return b.String()
}

// close gives the row back, empty.
func (r *row) close(columns, rows int) string {
	if !r.open {
		return ""
	}
	moved := columns != r.columns || rows != r.rows
	*r = row{}
	if moved {
		return saveCursor + wholeScreen + restoreCursor + saveCursor + noColours + eraseRest + restoreCursor
	}
	return saveCursor + noColours + wholeScreen + fmt.Sprintf("\x1b[%d;1H\x1b[2K", rows) + restoreCursor
}
