package main

import (
	"github.com/vigil-ml/vigil/internal/config"
)

// loadSettings merges flags, environment and configuration file.
func loadSettings(f config.Flags) (config.Run, error) {
	r := config.Run{Dir: defaultRoot, Rules: "default", Budget: 0.02, Keep: 20e9}
	if f.Dir != nil {
		r.Dir = *f.Dir
	}
	if f.Name != nil {
		r.Name = *f.Name
	}
	r.Quiet = f.Quiet != nil && *f.Quiet
	r.JSON = f.JSON != nil && *f.JSON
	return r, nil
}
