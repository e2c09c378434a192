package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A locked package is one line of vendor.lock: name, version and licence, the SHA-512 of npm's
// archive, and the SHA-256 of the files that are kept.
type locked struct {
	name, version, licence, archive, kept string
}

// folder returns where the files of a package are. esbuild and TypeScript look there by themselves.
func (p *locked) folder(dir string) string {
	return filepath.Join(dir, "web", "node_modules", filepath.FromSlash(p.name))
}

// readLock returns the packages of vendor.lock.
func readLock(dir string) (packages []locked, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "build", "vendor.lock"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) != 5 {
			return nil, fmt.Errorf(
				"vendor.lock has the line %q, must have name, version, licence, archive and kept",
				strings.TrimSpace(line),
			)
		}
		packages = append(packages, locked{
			name: f[0], version: f[1], licence: f[2], archive: f[3], kept: f[4],
		})
	}
	return packages, nil
}

// vendor fetches the packages of vendor.lock, replaces their folders, and writes the hashes of what
// it kept into the lock.
func vendor(dir string) error {
	packages, err := readLock(dir)
	if err != nil {
		return err
	}
	var lock strings.Builder
	lock.WriteString("# name version licence archive kept\n")
	for _, p := range packages {
		files, err := fetch(p.name, p.version, p.archive, func(name string) bool { return keep(p.name, name) })
		if err != nil {
			return err
		}
		if err := replace(p.folder(dir), files); err != nil {
			return err
		}
		kept, err := hashFolder(p.folder(dir))
		if err != nil {
			return err
		}
		fmt.Fprintln(&lock, p.name, p.version, p.licence, p.archive, kept)
	}
	return os.WriteFile(filepath.Join(dir, "build", "vendor.lock"), []byte(lock.String()), 0o644)
}

// scriptModes are the languages of scripts that @codemirror/legacy-modes has.
var scriptModes = []string{"groovy", "javascript", "powershell", "python", "shell"}

// keep reports whether a file of a package is needed: modules, type declarations, licences, and
// package.json, which names them.
func keep(pkg, name string) bool {
	part, _, nested := strings.Cut(name, "/")
	if nested && slices.Contains([]string{"compat", "debug", "devtools", "test-utils", "utils", "bin", "test"}, part) {
		return false
	}
	base := path.Base(name)
	if base == "package.json" || name == "LICENSE" {
		return true
	}
	if mode, _, _ := strings.Cut(base, "."); part == "mode" && !slices.Contains(scriptModes, mode) {
		return false
	}
	if strings.HasSuffix(base, ".d.ts") {
		return true
	}
	if pkg == "preact" || strings.HasPrefix(pkg, "@preact/") {
		return part == "dist" && strings.HasSuffix(base, ".module.js") || strings.HasSuffix(base, ".mjs")
	}
	return strings.HasSuffix(base, ".js") && (name == "index.js" || nested)
}

// fetch downloads a package from the npm registry, checks its SHA-512, and returns the files that
// are wanted, by their paths in the package.
func fetch(name, version, archive string, wanted func(name string) bool) (map[string][]byte, error) {
	registry := strings.TrimSuffix(os.Getenv("NPM_CONFIG_REGISTRY"), "/")
	if registry == "" {
		registry = "https://registry.npmjs.org"
	}
	url := fmt.Sprintf("%s/%s/-/%s-%s.tgz", registry, name, path.Base(name), version)
	client := http.Client{Timeout: 2 * time.Minute}
	answer, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", url, answer.Status)
	}
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	sum := sha512.Sum512(data)
	if is := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); is != archive {
		return nil, fmt.Errorf("%s has the hash %s, must be %s", url, is, archive)
	}
	return unpack(data, wanted)
}

// unpack returns the wanted files of an npm archive, whose paths begin with a folder of any name.
func unpack(data []byte, wanted func(name string) bool) (map[string][]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(plain); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		_, name, _ := strings.Cut(path.Clean(entry.Name), "/")
		if entry.Typeflag != tar.TypeReg || !filepath.IsLocal(name) || !wanted(name) {
			continue
		}
		if files[name], err = io.ReadAll(archive); err != nil {
			return nil, err
		}
	}
}

// hashFolder returns the SHA-256 over the names and contents of all files below dir.
func hashFolder(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		fmt.Fprintf(sum, "%s %d\n", filepath.ToSlash(rel), len(data))
		sum.Write(data)
		return err
	})
	return "sha256-" + hex.EncodeToString(sum.Sum(nil)), err
}
