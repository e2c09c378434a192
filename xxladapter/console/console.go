// Package console serves the web console: pages in a browser that call the management API and
// nothing else. Its files are built from web and embedded, so that a binary needs no other file.
package console

//go:generate go run ./apitypes web/types.ts
//go:generate go run -C build .

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"os"
)

//go:embed dist
var dist embed.FS

// Base is the path below which the console is served.
const Base = "/console/"

// Options configures a [Console].
type Options struct {
	// Dir is a folder with the files of dist, which is read at each request, for work on the
	// console itself. Empty means the embedded files.
	Dir string
}

// A Console is the web console. Create it with [New]. Its methods may be called from any goroutine.
type Console struct {
	files *files
}

// New returns the console. It returns an error if Options.Dir has no index.html.
func New(opts Options) (*Console, error) {
	embedded, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, err
	}
	c := &Console{files: &files{from: embedded, keep: true}}
	if opts.Dir != "" {
		c.files = &files{from: os.DirFS(opts.Dir)}
	}
	if _, err := fs.Stat(c.files.from, page); err != nil {
		return nil, fmt.Errorf("console: Options.Dir is %q, must have index.html: %w", opts.Dir, err)
	}
	return c, nil
}

// Around returns a handler that answers the paths of the console, and redirects the root and the
// paths of XXL-JOB's own console to its pages. All other requests go to api.
func (c *Console) Around(api http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+Base, http.HandlerFunc(c.serve))
	for path, target := range legacy {
		mux.HandleFunc("GET "+path, redirect(target))
	}
	mux.Handle("/", api)
	return mux
}
