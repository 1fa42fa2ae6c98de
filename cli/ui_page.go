package cli

import "io/fs"

// pageFiles are the files of the dashboard's page.
func pageFiles() fs.FS { return nil }
