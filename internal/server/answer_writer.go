package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// mostAnswer is how large an answer may be that is no download.
const mostAnswer = 64 << 20

// answerWriter keeps an answer until it is whole, so that it gets an ETag, a browser
// that has it already is told so, and a failure half-way is a proper error. Streams
// and downloads pass through it.
type answerWriter struct {
	http.ResponseWriter
	status  int
	body    bytes.Buffer
	passing bool   // it goes to the client as it comes
	pass    func() // called when it begins to
	large   bool
}

// slowClient is how long a client of a download may take to take in a piece of it.
const slowClient = 30 * time.Second

// Unwrap lets http.ResponseController set deadlines.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader notes the status, and from the headers whether the answer is kept.
func (w *answerWriter) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if status < http.StatusOK { // information on the way
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.status = status
	media, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	switch {
	case w.Header().Get("Content-Disposition") != "":
		w.passing = true
	case media == "", media == columnsType, media == "application/json", strings.HasSuffix(media, "+json"):
	default:
		w.passing = true
	}
	if w.passing {
		w.pass()
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write keeps a part of the answer, or hands it on.
func (w *answerWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.passing {
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(slowClient))
		return w.ResponseWriter.Write(b)
	}
	if w.body.Len()+len(b) > mostAnswer {
		w.large = true
		w.body = bytes.Buffer{}
	}
	if w.large {
		return len(b), nil
	}
	return w.body.Write(b)
}

// Flush sends what a stream has so far.
func (w *answerWriter) Flush() {
	if w.passing {
		_ = http.NewResponseController(w.ResponseWriter).Flush()
	}
}

// finish sends an answer that was kept.
func (w *answerWriter) finish(r *http.Request) {
	switch {
	case w.passing:
		return
	case w.large:
		writeProblem(w.ResponseWriter, http.StatusUnprocessableEntity, fmt.Sprintf("the answer would be larger than %d MB: ask for a smaller range, or for less in it", mostAnswer>>20))
		return
	case w.status == 0:
		w.status = http.StatusOK
	}
	h := w.Header()
	if w.status == http.StatusOK && !changes(r.Method) && w.body.Len() > 0 {
		sum := sha256.Sum256(w.body.Bytes())
		tag := `"` + hex.EncodeToString(sum[:16]) + `"`
		h.Set("ETag", tag)
		h.Set("Cache-Control", "no-cache")
		h.Add("Vary", "Accept")
		if has(r.Header.Get("If-None-Match"), tag) {
			h.Del("Content-Type")
			h.Del("Content-Length")
			w.ResponseWriter.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if w.status != http.StatusNoContent {
		h.Set("Content-Length", fmt.Sprint(w.body.Len()))
	}
	w.ResponseWriter.WriteHeader(w.status)
	_, _ = w.ResponseWriter.Write(w.body.Bytes())
}

// has reports whether a list of ETags names one.
func has(list, tag string) bool {
	for t := range strings.SplitSeq(list, ",") {
		if t = strings.TrimSpace(t); t == "*" || strings.TrimPrefix(t, "W/") == tag {
			return true
		}
	}
	return false
}
