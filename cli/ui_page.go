package cli

import (
	"io/fs"

	"github.com/vigil-ml/vigil/web"
)

// pageFiles are the files of the dashboard's page.
func pageFiles() fs.FS { return web.App() }
