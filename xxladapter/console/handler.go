package console

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// page is the only document: its script shows the page that the address names.
const page = "index.html"

// serve answers a request below Base. A path that names no file is a page of the console.
func (c *Console) serve(w http.ResponseWriter, r *http.Request) {
	setPolicy(w.Header())
	name := strings.TrimPrefix(r.URL.Path, Base)
	asset := strings.HasPrefix(name, "assets/")
	if !asset && path.Ext(name) == "" {
		c.servePage(w, r, name)
		return
	}
	f, err := c.files.open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		http.NotFound(w, r)
		return
	case err != nil:
		http.Error(w, "the file cannot be read", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType(name))
	if asset && c.files.keep {
		// An asset's name contains a hash of its content, so changed content gets a new name.
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	w.Header().Set("Vary", "Accept-Encoding")
	body := f.plain
	if f.packed != nil && acceptsGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		body = f.packed
	}
	_, _ = w.Write(body) // the caller may be gone
}

// servePage answers with the document. Its links to assets are relative to the requested path, so
// that the console works below any prefix that a proxy removes.
func (c *Console) servePage(w http.ResponseWriter, r *http.Request, name string) {
	f, err := c.files.open(page)
	if err != nil {
		http.Error(w, "the page cannot be read", http.StatusInternalServerError)
		return
	}
	up := strings.Repeat("../", strings.Count(name, "/"))
	w.Header().Set("Content-Type", contentType(page))
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(bytes.ReplaceAll(f.plain, []byte("{base}"), []byte(up))) // the caller may be gone
}

// contentType returns the type of a file by its name, the same on every machine.
func contentType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	default:
		return mime.TypeByExtension(ext)
	}
}

// acceptsGzip reports whether the caller takes a compressed answer.
func acceptsGzip(r *http.Request) bool {
	for _, list := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(list, ",") {
			name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
			if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
				continue
			}
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
			return err != nil || q > 0 // without a quality it is 1
		}
	}
	return false
}

// files reads the files of a folder. If keep is set, it caches each file, with a compressed copy if
// that is shorter.
type files struct {
	from fs.FS
	keep bool // from never changes
	read sync.Map
}

// A file holds the bytes to send for one path.
type file struct {
	plain  []byte
	packed []byte // plain after gzip; nil if not cached or not shorter
}

// open returns a file. The error wraps [fs.ErrNotExist] if there is none, and [fs.ErrInvalid] if
// name is no valid path.
func (f *files) open(name string) (*file, error) {
	if kept, known := f.read.Load(name); known {
		return kept.(*file), nil
	}
	plain, err := fs.ReadFile(f.from, name)
	if err != nil {
		return nil, err
	}
	opened := &file{plain: plain}
	if !f.keep {
		return opened, nil
	}
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := writer.Write(plain); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	if packed.Len() < len(plain) {
		opened.packed = packed.Bytes()
	}
	kept, _ := f.read.LoadOrStore(name, opened)
	return kept.(*file), nil
}
