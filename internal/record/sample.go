package record

import "time"

// Sample is what one host's machine metrics were at one instant. A metric that
// could not be read is not in it.
type Sample struct {
	Host   string
	Time   time.Time // never before that of the sample before it, whatever the clock did
	Values []Scalar  // by the names of the machine's series, such as "cpu/total"
}
