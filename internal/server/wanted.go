package server

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// wanted is a series that a page follows.
type wanted struct {
	text   string // as it was asked for
	tensor string
	stat   string // "": the value, or the mean of a tensor
	worker string // "": the chief
	mode   record.Mode
	any    bool // no mode was named
}

// mostWanted bounds the series of one stream.
const mostWanted = 1000

// parseWanted reads TENSOR|STAT|MODE|WORKER, whose parts are URL-escaped; those at
// the end may be left out.
func parseWanted(text string) (wanted, error) {
	w := wanted{text: text, any: true}
	parts := strings.Split(text, "|")
	if len(parts) > 4 {
		return w, &wrong{fmt.Sprintf("the series %.200q has more than four parts; it is TENSOR|STAT|MODE|WORKER, each part URL-escaped", text)}
	}
	for i, p := range parts {
		p, err := url.PathUnescape(p)
		if err != nil {
			return w, &wrong{fmt.Sprintf("the series %.200q: %v", text, err)}
		}
		switch i {
		case 0:
			w.tensor = p
		case 1:
			w.stat = p
		case 2:
			if p == "" {
				continue
			}
			w.any = false
			if w.mode, err = record.ParseMode(p); err != nil {
				return w, &wrong{fmt.Sprintf("the series %.200q: the mode is none of TRAIN, EVAL, PREDICT, GLOBAL", text)}
			}
		case 3:
			w.worker = p
		}
	}
	if w.tensor == "" {
		return w, &wrong{fmt.Sprintf("the series %.200q names no tensor", text)}
	}
	return w, nil
}
