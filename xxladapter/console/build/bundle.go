package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundle returns the content of dist: the page, its scripts and styles under names that contain a
// hash of their content, and the licences of what they contain. dir is the folder of the console.
// The same sources always give the same bytes.
func bundle(dir string) (map[string][]byte, error) {
	web := filepath.Join(dir, "web")
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: web,
		EntryPoints:   []string{"app.tsx", "theme.css"},
		Outdir:        filepath.Join(dir, "dist", "assets"),
		EntryNames:    "[name]-[hash]",
		ChunkNames:    "[name]-[hash]",
		Bundle:        true,
		Splitting:     true,
		Format:        api.FormatESModule,
		Engines: []api.Engine{ // the first releases with light-dark()
			{Name: api.EngineChrome, Version: "123"},
			{Name: api.EngineFirefox, Version: "120"},
			{Name: api.EngineSafari, Version: "17.5"},
		},
		MinifyWhitespace:  true,
		MinifySyntax:      true,
		MinifyIdentifiers: true,
		LegalComments:     api.LegalCommentsNone, // licences.txt has them in full
		Charset:           api.CharsetUTF8,
		JSX:               api.JSXTransform,
		JSXFactory:        "jsxElement", // see elements
		JSXFragment:       "jsxFragment",
		TsconfigRaw:       "{}", // tsconfig.json, which is for the type check, would override JSX
		LogLevel:          api.LogLevelSilent,
		Metafile:          true,
		Plugins:           []api.Plugin{texts(web)},
	})
	if len(result.Errors)+len(result.Warnings) > 0 {
		return nil, messages(append(result.Errors, result.Warnings...))
	}
	files := map[string][]byte{}
	var script, style, preload string // preload names the shared chunks
	for _, f := range result.OutputFiles {
		name := path.Join("assets", filepath.Base(f.Path))
		files[name] = f.Contents
		switch base := path.Base(name); {
		case strings.HasPrefix(base, "app-") && strings.HasSuffix(base, ".js"):
			script = name
		case strings.HasPrefix(base, "theme-") && strings.HasSuffix(base, ".css"):
			style = name
		}
	}
	if script == "" || style == "" {
		return nil, errors.New("the bundle has no app-*.js or no theme-*.css")
	}
	// Chunks that the first bundle imports are loaded along with it, not only after it is parsed.
	shared, err := importsOf(path.Base(script), result.Metafile)
	if err != nil {
		return nil, err
	}
	for _, chunk := range shared {
		preload += fmt.Sprintf("\n<link rel=\"modulepreload\" href=\"{base}assets/%s\">", chunk)
	}
	page, err := os.ReadFile(filepath.Join(web, "index.html"))
	if err != nil {
		return nil, err
	}
	page = bytes.ReplaceAll(page, []byte("{script}"), []byte(script))
	page = bytes.ReplaceAll(page, []byte("{preload}"), []byte(preload))
	files["index.html"] = bytes.ReplaceAll(page, []byte("{style}"), []byte(style))
	if files["icon.svg"], err = os.ReadFile(filepath.Join(web, "icon.svg")); err != nil {
		return nil, err
	}
	files["licences.txt"], err = licences(dir)
	return files, err
}

// importsOf returns the names of the chunks that a bundle imports before it runs, sorted.
func importsOf(bundle, metafile string) (chunks []string, err error) {
	var meta struct {
		Outputs map[string]struct {
			Imports []struct{ Path, Kind string }
		}
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	for name, output := range meta.Outputs {
		if path.Base(name) != bundle {
			continue
		}
		for _, i := range output.Imports {
			if i.Kind == "import-statement" {
				chunks = append(chunks, path.Base(i.Path))
			}
		}
	}
	slices.Sort(chunks)
	return chunks, nil
}

// messages returns esbuild's messages as one error.
func messages(list []api.Message) error {
	var all []error
	for _, text := range api.FormatMessages(list, api.FormatMessagesOptions{}) {
		all = append(all, errors.New(strings.TrimSpace(text)))
	}
	return errors.Join(all...)
}

// licences returns the licences of all vendored packages.
func licences(dir string) ([]byte, error) {
	packages, err := readLock(dir)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, p := range packages {
		licence, err := os.ReadFile(filepath.Join(p.folder(dir), "LICENSE"))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "%s %s\n\n%s\n\n", p.name, p.version, bytes.TrimSpace(licence))
	}
	return text.Bytes(), nil
}
