package web

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv/browser"
)

// A chart and a heat map hold the values that they show, and none that they showed before.
func TestPartsHoldOnlyWhatTheyShow(t *testing.T) {
	server := httptest.NewServer(http.FileServerFS(os.DirFS(".")))
	defer server.Close()
	tab := browser.New(t)
	tab.Do(chromedp.Navigate(server.URL + "/testdata/held.html"))
	tab.Wait(`window.drawn > 1`)
	const want = "5: x of the chart\n5: y of the chart\n5: a row of the heat map\n5: columns of the heat map"
	got := ""
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) { // what is on the way somewhere is held a moment longer
		tab.Collect()
		if got = tab.Text(`held()`); got == want {
			return
		}
	}
	t.Errorf("it holds, after garbage collection:\n%s\nwant:\n%s", got, want)
}
