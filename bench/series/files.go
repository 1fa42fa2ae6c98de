package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// files visits the sealed tables of a run.
func files(run string, visit func(path string) error) error {
	return filepath.WalkDir(run, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".parquet") {
			err = visit(path)
		}
		return err
	})
}

// sealed is the size of all tables of a run.
func sealed(run string) (n int64, err error) {
	return n, files(run, func(path string) error {
		info, err := os.Stat(path)
		if err == nil {
			n += info.Size()
		}
		return err
	})
}

// columns is the size of what a number with its step and time takes: the tables
// of scalars, and the columns of the tables of steps that tell when.
func columns(run string) (n int64, err error) {
	return n, files(run, func(path string) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		switch name := filepath.Base(path); {
		case strings.HasPrefix(name, "scalars-"):
			n += info.Size()
		case strings.HasPrefix(name, "steps-"):
			pq, err := parquet.OpenFile(f, info.Size())
			if err != nil {
				return err
			}
			for _, g := range pq.Metadata().RowGroups {
				for _, c := range g.Columns {
					if len(c.MetaData.PathInSchema) == 1 && c.MetaData.PathInSchema[0] == "time" {
						n += c.MetaData.TotalCompressedSize
					}
				}
			}
		}
		return nil
	})
}
