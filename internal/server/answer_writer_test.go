package server

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// An answer is packed where the client takes that and it helps, under an ETag of its
// own; a client that has it is told so.
func TestAnswersArePacked(t *testing.T) {
	root := t.TempDir()
	trained(t, root, 60, 5)
	a := newAPI(t, Options{Root: root})
	a.whole()
	get := func(path, headers string) (map[string][]string, int, string) {
		answer, body := ask(t, a.url, asked{line: "GET /api/v1/" + path, headers: withBearer + headers})
		return answer.Header, answer.StatusCode, body
	}
	plain, _, text := get("runs", "")
	packed, _, body := get("runs", "Accept-Encoding: br, gzip\n")
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(z); err != nil || !bytes.Equal(b, []byte(text)) || len(body) > len(text)/3 {
		t.Errorf("%d bytes of %d, %v", len(body), len(text), err)
	}
	if plain["Content-Encoding"] != nil || packed["Content-Encoding"][0] != "gzip" || plain["Etag"][0] == packed["Etag"][0] || !strings.Contains(packed["Vary"][0], "Accept-Encoding") {
		t.Errorf("%v, %v", plain, packed)
	}
	for headers, want := range map[string]int{
		"Accept-Encoding: gzip\nIf-None-Match: " + packed["Etag"][0] + "\n": 304,
		"Accept-Encoding: gzip\nIf-None-Match: " + plain["Etag"][0] + "\n":  200,
		"If-None-Match: " + plain["Etag"][0] + "\n":                         304,
		"If-None-Match: " + packed["Etag"][0] + "\n":                        200,
	} {
		if header, status, body := get("runs", headers); status != want || status == 304 && (len(body) > 0 || header["Content-Encoding"] != nil) {
			t.Errorf("%q: %d, %d bytes, %v", headers, status, len(body), header)
		}
	}
	// Little, and noise, goes as it is; so does what is no answer of 200.
	for _, path := range []string{"server", "runs/none"} {
		if header, _, body := get(path, "Accept-Encoding: gzip\n"); header["Content-Encoding"] != nil || !json.Valid([]byte(body)) {
			t.Errorf("%s: %v", path, header)
		}
	}
	noise := make([]byte, 64<<10)
	rand.NewChaCha8([32]byte{}).Read(noise)
	if shrinks(noise) || !shrinks(bytes.Repeat([]byte("x"), 64<<10)) {
		t.Error("noise is packed, or what shrinks is not")
	}
}
