package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

// page is the dashboard's page: index.html and the files that it loads.
type page struct {
	hash  string // of all files
	index []byte
	files map[string]asset
}

// asset is a file of the page. It never changes: its path has the page's hash.
type asset struct {
	media  string
	plain  []byte
	packed []byte // gzip; nil where that is not smaller
}

// newPage reads the page's files once and makes its index ready for a base path.
func newPage(app fs.FS, base string) (*page, error) {
	p := &page{files: map[string]asset{}}
	if app == nil {
		return p, nil
	}
	sum := sha256.New()
	var index []byte
	err := fs.WalkDir(app, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(app, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(b))
		sum.Write(b)
		if name == "index.html" {
			index = b
			return nil
		}
		p.files[name] = asset{mediaType(name), b, packed(b)}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	p.hash = hex.EncodeToString(sum.Sum(nil))[:16]
	p.index = p.place(index, base)
	return p, nil
}

var (
	baseTag = regexp.MustCompile(`<base href="[^"]*"\s*/?>`)
	fileRef = regexp.MustCompile(`\b(src|href)="([^"]*)"`)
)

// place writes into index.html where the page is and which one: the base path, and
// the hash, also in the path of each file of the page. The modules of the page are
// named in it, so that the browser asks for all of them at once.
func (p *page) place(index []byte, base string) []byte {
	var modules strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		if path.Ext(name) == ".js" && !strings.HasPrefix(name, "pages/") {
			fmt.Fprintf(&modules, "<link rel=\"modulepreload\" href=\"%s\">\n", html.EscapeString(name))
		}
	}
	index = bytes.Replace(index, []byte("<!-- preload -->\n"), []byte(modules.String()), 1)
	index = bytes.Replace(index, []byte(`<meta name="vigil-app" content="">`), []byte(`<meta name="vigil-app" content="`+p.hash+`">`), 1)
	index = fileRef.ReplaceAllFunc(index, func(b []byte) []byte {
		m := fileRef.FindSubmatch(b)
		name := path.Clean(strings.TrimPrefix(string(m[2]), "/"))
		if _, ok := p.files[name]; !ok {
			return b
		}
		return fmt.Appendf(nil, `%s="assets/%s/%s"`, m[1], p.hash, html.EscapeString(name))
	})
	return baseTag.ReplaceAllLiteral(index, []byte(`<base href="`+html.EscapeString(base+"/")+`">`))
}

// ServeHTTP answers every path that is not the API's.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, isAsset := strings.CutPrefix(r.URL.Path, "/assets/")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		writeProblem(w, http.StatusMethodNotAllowed, "the page can only be read")
	case isAsset:
		p.asset(w, r, rest)
	case r.URL.Path == "/favicon.ico" || r.URL.Path == "/robots.txt":
		writeProblem(w, http.StatusNotFound, "there is no such file")
	case p.index == nil:
		writeProblem(w, http.StatusNotFound, "this server has no page: it was built without one; the API is at "+apiPath)
	default:
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(p.index)
	}
}

// asset answers with one file of the page. A path with another hash is of an older
// page, whose files are gone.
func (p *page) asset(w http.ResponseWriter, r *http.Request, rest string) {
	hash, name, _ := strings.Cut(rest, "/")
	a, ok := p.files[name]
	if hash != p.hash || !ok {
		writeProblem(w, http.StatusNotFound, "the page has no such file; if it was open while the server was renewed, load it again")
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", a.media)
	h.Set("Vary", "Accept-Encoding")
	body := a.plain
	if a.packed != nil && accepts(r, "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.packed
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	_, _ = w.Write(body)
}

// accepts reports whether a client takes an encoding.
func accepts(r *http.Request, coding string) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			weight = strings.ReplaceAll(weight, " ", "")
			return weight != "q=0" && weight != "q=0.0"
		}
	}
	return false
}

// packed is gzip of b, or nil where that does not help.
func packed(b []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = z.Write(b)
	if z.Close() != nil || out.Len() >= len(b) {
		return nil
	}
	return out.Bytes()
}

// mediaType is that of a file of the page. The system's own table is not asked: it
// may be anything.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".woff2":
		return "font/woff2"
	case ".json", ".webmanifest":
		return "application/json"
	case "", ".txt", ".md":
		return "text/plain; charset=utf-8"
	}
	if t := mime.TypeByExtension(path.Ext(name)); strings.HasPrefix(t, "image/") || strings.HasPrefix(t, "font/") {
		return t
	}
	return "application/octet-stream"
}
