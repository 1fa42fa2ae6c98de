package web

import (
	"os"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }
