package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestServer(t *testing.T) {
	s := httptest.NewServer(New(Options{Root: t.TempDir(), Version: "test"}).Handler())
	defer s.Close()
	for _, path := range []string{"/api/v1/server", "/api/v1/runs", "/api/v1/openapi.json"} {
		r, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != 200 {
			t.Errorf("%s: %s %s", path, r.Status, b)
		}
		t.Logf("%s: %.300s", path, b)
	}
}
