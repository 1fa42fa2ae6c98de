package e2e

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// unpacked are the files of an archive, by their names in it.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	keep := func(name string, r io.Reader) {
		t.Helper()
		if files[name], err = io.ReadAll(r); err != nil {
			t.Fatalf("read %s of %s: %v", name, path, err)
		}
	}
	if !strings.HasSuffix(path, ".tar.gz") {
		z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		if err != nil {
			t.Fatalf("open %s: %v", path, err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatalf("open %s of %s: %v", f.Name, path, err)
			}
			keep(f.Name, r)
		}
		return files
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatalf("read %s: %v", path, err)
		}
		keep(h.Name, archive)
	}
}

// machine is the kind of program that a file holds.
func machine(program []byte) string {
	r := bytes.NewReader(program)
	if f, err := elf.NewFile(r); err == nil {
		return "ELF " + f.Machine.String()
	}
	if f, err := macho.NewFile(r); err == nil {
		return "Mach-O " + f.Cpu.String()
	}
	if f, err := pe.NewFile(r); err == nil {
		return fmt.Sprintf("PE %x", f.Machine)
	}
	return "no program"
}

// A release has the sources, wheels and programs for each platform, with licences and checksums. To build for all of them takes
// minutes: otherwise their sources are type-checked only (internal/testenv/platforms).
func TestRelease(t *testing.T) {
	if os.Getenv("VIGIL_TEST_LONG") == "" {
		t.Skip("all platforms are built where VIGIL_TEST_LONG is set")
	}
	t.Parallel()
	version := packageVersion(t)
	out := filepath.Join(t.TempDir(), "release")
	if o := run(t, testenv.Root(), nil, testenv.Python(t), "scripts/release.py", out); o.code != 0 {
		t.Fatalf("release.py ended with %d: %s%s", o.code, o.stdout, o.stderr)
	}
	program := "vigil-" + version + "-"
	wheel := "vigil_ml-" + version + "-py3-none-manylinux_2_17_"
	names := []string{"vigil_ml-" + version + ".tar.gz"}
	for _, tt := range []struct{ file, inside, machine, tells string }{
		{wheel + "x86_64.manylinux2014_x86_64.whl", "vigil/bin/vigil", "ELF EM_X86_64", ""},
		{wheel + "aarch64.manylinux2014_aarch64.whl", "vigil/bin/vigil", "ELF EM_AARCH64", ""},
		{program + "linux-amd64.tar.gz", "vigil", "ELF EM_X86_64", "vigil run"},
		{program + "linux-arm64.tar.gz", "vigil", "ELF EM_AARCH64", "vigil run"},
		{program + "darwin-arm64.tar.gz", "vigil", "Mach-O CpuArm64", "not possible on this system"},
		{program + "windows-amd64.zip", "vigil.exe", "PE 8664", "not possible on this system"},
	} {
		names = append(names, tt.file)
		files := unpacked(t, filepath.Join(out, tt.file))
		folder, licences := "", "vigil/licenses/"
		if tt.tells != "" {
			folder = strings.TrimSuffix(strings.TrimSuffix(tt.file, ".tar.gz"), ".zip") + "/"
			licences = folder
			if about := string(files[folder+"README.txt"]); !strings.Contains(about, tt.tells) || !strings.Contains(about, version) {
				t.Errorf("%s: README.txt does not tell %q: %s", tt.file, tt.tells, about)
			}
		}
		if got := machine(files[folder+tt.inside]); got != tt.machine {
			t.Errorf("%s: %s is %s, want %s", tt.file, tt.inside, got, tt.machine)
		}
		if helper := files[folder+tt.inside+"-nvml"]; strings.HasPrefix(tt.machine, "ELF") && machine(helper) != tt.machine {
			t.Errorf("%s: the program that reads GPUs is %s, want %s", tt.file, machine(helper), tt.machine)
		}
		for name, holds := range map[string]string{"LICENSE": "Apache License", "uPlot.LICENSE": "Leon Sorokin", "THIRD_PARTY_LICENSES": "github.com/alecthomas/kong "} {
			if !bytes.Contains(files[licences+name], []byte(holds)) {
				t.Errorf("%s: there is no %s that has %q in it", tt.file, licences+name, holds)
			}
		}
	}
	sums := map[string]string{}
	for line := range strings.Lines(read(t, filepath.Join(out, "SHA256SUMS"))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "SHA256SUMS" {
			continue
		}
		if !slices.Contains(names, e.Name()) {
			t.Errorf("%s is not expected in a release", e.Name())
		}
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, filepath.Join(out, e.Name()))))); got != sums[e.Name()] {
			t.Errorf("%s has the checksum %s, SHA256SUMS says %q", e.Name(), got, sums[e.Name()])
		}
	}
	if len(entries) != len(names)+1 || len(sums) != len(names) {
		t.Errorf("%d files and %d checksums, want %d", len(entries)-1, len(sums), len(names))
	}
	if o := run(t, testenv.Root(), nil, testenv.Python(t), "scripts/release.py", out); o.code != 1 || !strings.Contains(o.stderr, "is not empty") {
		t.Errorf("a second release into the same directory ended with %d: %s", o.code, o.stderr)
	}
}
