package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv/browser"
)

// TestModules runs the tests of the modules in a browser: each testdata/*_test.js
// exports tests, an object of functions that throw where something is wrong.
func TestModules(t *testing.T) {
	files, err := filepath.Glob("testdata/*_test.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules with tests: %v", err)
	}
	server := httptest.NewServer(http.FileServerFS(os.DirFS(".")))
	defer server.Close()
	tab := browser.New(t)
	tab.Do(chromedp.Navigate(server.URL + "/testdata/run.html#" + strings.Join(files, ",")))
	tab.Wait(`window.outcome !== undefined`)

	type test struct{ Module, Name, Error string }
	var tests []test
	if err := json.Unmarshal([]byte(tab.Text(`JSON.stringify(window.outcome)`)), &tests); err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, test := range tests {
		ran[test.Module] = true
		t.Run(strings.TrimSuffix(filepath.Base(test.Module), "_test.js")+"/"+test.Name, func(t *testing.T) {
			if test.Error != "" {
				t.Error(test.Error)
			}
		})
	}
	for _, file := range files {
		if !ran[file] {
			t.Errorf("%s has no tests", file)
		}
	}
}
