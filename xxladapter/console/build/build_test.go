package main

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDistIsWhatTheSourcesGive builds dist again and compares every byte.
func TestDistIsWhatTheSourcesGive(t *testing.T) {
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	want, err := bundle(dir)
	if err != nil {
		t.Fatal(err)
	}
	is := map[string][]byte{}
	dist := filepath.Join(dir, "dist")
	err = filepath.WalkDir(dist, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dist, file)
		if err != nil {
			return err
		}
		is[filepath.ToSlash(name)], err = os.ReadFile(file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range want {
		if !bytes.Equal(is[name], data) {
			t.Errorf("dist/%s is missing or not what web gives: run go generate ./xxladapter/console", name)
		}
	}
	for name := range is {
		if _, built := want[name]; !built {
			t.Errorf("dist/%s is not built from web: run go generate ./xxladapter/console", name)
		}
	}
}

// TestVendoredFilesAreTheLocked checks that nobody changed the vendored packages.
func TestVendoredFilesAreTheLocked(t *testing.T) {
	packages, err := readLock("..")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, p := range packages {
		kept, err := hashFolder(p.folder(".."))
		if err != nil {
			t.Fatal(err)
		}
		if kept != p.kept {
			t.Errorf("%s has the hash %s, must be %s as in vendor.lock", p.name, kept, p.kept)
		}
		known[strings.Split(p.name, "/")[0]] = true
	}
	entries, err := os.ReadDir(filepath.Join("..", "web", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[e.Name()] {
			t.Errorf("web/node_modules/%s is not in vendor.lock", e.Name())
		}
	}
}

// TestShortKeys checks that a key that the sources contain in full is shortened in the bundle, and
// that a key that is composed from a value is not.
func TestShortKeys(t *testing.T) {
	short, err := shorten(filepath.Join("..", "web"))
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{}
	for _, language := range locales {
		texts, err := locale(filepath.Join("..", "web", "locales"), language)
		if err != nil {
			t.Fatal(err)
		}
		for key, name := range short {
			if other := taken[name]; other != "" && texts[other] != texts[key] || strings.Contains(name, ".") {
				t.Errorf("%s is %q, as is %s with other texts", key, name, other)
			}
			taken[name] = key
		}
	}
	for key, want := range map[string]bool{"nav.jobs": true, "status.RUNNING": false, "error.forbidden": false, "scheduleType.CRON": false, "group.jobs.one": false} {
		if is := short[key] != ""; is != want {
			t.Errorf("%s is shortened: %v", key, is)
		}
	}
}

// The budgets of the console, in bytes. maxFirstVisit limits what a first visit to the list of jobs
// loads, compressed by gzip.
const (
	maxDist       = 260 << 10
	maxEditor     = 450 << 10
	maxFirstVisit = 90 << 10
	maxStyle      = 26 << 10
)

func TestBudgets(t *testing.T) {
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := bundle(dir)
	if err != nil {
		t.Fatal(err)
	}
	// The page that shows a script's source is in the editor's bundle.
	all, editor, first, style := 0, 0, 0, 0
	for name, data := range files {
		switch {
		case name == "licences.txt":
			continue
		case strings.HasPrefix(name, "assets/code-"):
			editor += len(data)
			continue
		case strings.HasSuffix(name, ".css"):
			style += len(data)
		}
		all += len(data)
		if name != "index.html" && !bytes.Contains(files["index.html"], []byte(name)) {
			continue // of pages that a first visit does not show
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(data) // a buffer takes everything
		_ = w.Close()
		first += packed.Len()
	}
	t.Logf("dist %d, editor %d, first visit %d, style %d bytes", all, editor, first, style)
	for _, budget := range []struct {
		what     string
		is, most int
	}{
		{"dist without the editor", all, maxDist}, {"the editor", editor, maxEditor},
		{"a first visit, compressed", first, maxFirstVisit}, {"the style", style, maxStyle},
	} {
		if budget.is > budget.most {
			t.Errorf("%s has %d bytes, must have at most %d", budget.what, budget.is, budget.most)
		}
	}
}
