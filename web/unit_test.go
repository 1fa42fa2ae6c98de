package web_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv/browser"
)

// policy is the content security policy that the page has to live with.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"

// The modules do what testdata/unit says, in a real browser and under the policy.
func TestModules(t *testing.T) {
	complain(t, "/unit/")
}

// Every part is shown with made-up data, and nothing complains.
func TestGallery(t *testing.T) {
	complain(t, "/gallery/")
}

// complain serves the page's files and those of the tests, opens a page of the tests, and passes on what it complains about.
func complain(t *testing.T, path string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(os.DirFS("app")))
	for _, tests := range []string{"/unit/", "/gallery/"} {
		mux.Handle(tests, http.FileServer(http.Dir("testdata")))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	tab := browser.New(t)
	tab.Do(chromedp.Navigate(server.URL + path))
	tab.Wait("window.ready === true")
	for _, complaint := range tab.Complaints() {
		t.Error(complaint)
	}
}
