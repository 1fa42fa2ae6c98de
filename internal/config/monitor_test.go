package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The interval of machine metrics, from a flag, the environment and the file.
func TestMonitor(t *testing.T) {
	for _, c := range []struct {
		flag, env, file string
		want            int
		message         string
	}{
		{want: 500},
		{flag: "100", want: 100},
		{flag: "60000", env: "100", want: 60000},
		{env: "200", file: "1000", want: 200},
		{file: "5000", want: 5000},
		{file: "off", want: 0},
		{flag: "OFF", file: "100", want: 0},
		{env: "off", want: 0},
		{flag: "250", message: `--monitor: "250" is none of 100, 200, 500, 1000, 5000, 60000 milliseconds, or off`},
		{env: "0", message: `VIGIL_MONITOR: "0" is none of 100, 200, 500, 1000, 5000, 60000 milliseconds, or off`},
		{file: "500ms", message: `vigil.yaml:1:10: monitor: "500ms" is none of 100, 200, 500, 1000, 5000, 60000 milliseconds, or off`},
		{flag: "-100", message: `--monitor: "-100" is none of 100, 200, 500, 1000, 5000, 60000 milliseconds, or off`},
	} {
		dir, f := t.TempDir(), Flags{}
		if c.flag != "" {
			f.Monitor = &c.flag
		}
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, File), []byte("monitor: "+c.file+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run, err := Resolve(f, []string{"VIGIL_MONITOR=" + c.env}, dir, catalogue)
		var u *UsageError
		switch {
		case c.message != "" && (!errors.As(err, &u) || u.Message != c.message):
			t.Errorf("%+v: the error is %v", c, err)
		case c.message == "" && (err != nil || run.Monitor != c.want):
			t.Errorf("%+v: the interval is %d, %v", c, run.Monitor, err)
		}
	}
}
