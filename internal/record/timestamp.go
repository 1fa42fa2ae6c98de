package record

import "time"

// Moment is when a value of a step came, as it is stored: microseconds since
// 1970, cut to the millisecond. Below it lies what the machine did meanwhile;
// it would take more room on the disk than a loss does.
func Moment(us uint64) time.Time {
	const most = 253402300799_000_000 // the year 9999, the last that RFC 3339 can say
	return time.UnixMilli(int64(min(us, most) / 1000)).UTC()
}
