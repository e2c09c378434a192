package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// locales are the languages of the console, in the order that i18n.ts knows.
var locales = []string{"en", "zh-CN"}

// texts returns the plugin for the module "texts". It joins the locales, so that the bundle
// contains each key once. Keys that the sources contain in full are replaced by short ones in the
// sources and in the module, to make the bundle smaller.
func texts(web string) api.Plugin {
	return api.Plugin{Name: "texts", Setup: func(b api.PluginBuild) {
		short, failed := shorten(web)
		b.OnResolve(api.OnResolveOptions{Filter: "^texts$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "texts", Namespace: "texts"}, failed
		})
		b.OnLoad(api.OnLoadOptions{
			Filter: "^texts$", Namespace: "texts",
		}, func(api.OnLoadArgs) (no api.OnLoadResult, err error) {
			joined, err := join(filepath.Join(web, "locales"), short)
			return api.OnLoadResult{Contents: &joined, Loader: api.LoaderJSON}, err
		})
		b.OnLoad(api.OnLoadOptions{Filter: `\.tsx?$`}, func(a api.OnLoadArgs) (no api.OnLoadResult, err error) {
			data, err := os.ReadFile(a.Path)
			source := literalKey.ReplaceAllStringFunc(string(data), func(quoted string) string {
				if name := short[strings.Trim(quoted, `"`)]; name != "" {
					return `"` + name + `"`
				}
				return quoted
			}) + elements
			return api.OnLoadResult{Contents: &source, Loader: api.LoaderTSX}, err
		})
	}}
}

// elements ends each source: it imports what JSX becomes. h("p", null, text) is shorter than what
// the automatic transform makes, jsx("p", {children: text}). No source has a name of its own like
// these, which would hide them. The bundler drops the import of a source without JSX.
const elements = "\nimport { h as jsxElement, Fragment as jsxFragment } from \"preact\";\n"

// literalKey finds literals that may be keys. madeKey finds the beginnings of keys that are
// composed from a value, as in t(`status.${is}`), word("status", is) and "error." + code.
var (
	literalKey = regexp.MustCompile(`"[a-zA-Z][a-zA-Z0-9]*(?:\.[a-zA-Z0-9_]+)+"`)
	madeKey    = regexp.MustCompile(
		"`([a-zA-Z]+(?:\\.[a-zA-Z]+)*\\.)\\$\\{|\\bword\\(\"([a-zA-Z.]+)\"|\"([a-zA-Z.]+\\.)\" \\+",
	)
)

// shorten returns short names for the keys that the sources contain in full and never compose.
// Short names have no period, so they differ from all keys. Keys with the same texts in all
// languages share a name.
func shorten(web string) (map[string]string, error) {
	texts := map[string]string{} // in all languages, by key
	for _, name := range locales {
		own, err := locale(filepath.Join(web, "locales"), name)
		if err != nil {
			return nil, err
		}
		for key, text := range own {
			texts[key] += text + between
		}
	}
	var made []string
	named := map[string]bool{}
	err := filepath.WalkDir(web, func(file string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(file); err != nil || ext != ".ts" && ext != ".tsx" {
			return err
		}
		source, err := os.ReadFile(file)
		for _, m := range madeKey.FindAllStringSubmatch(string(source), -1) {
			made = append(made, strings.TrimSuffix(m[1]+m[2]+m[3], ".")+".")
		}
		for _, quoted := range literalKey.FindAllString(string(source), -1) {
			named[strings.Trim(quoted, `"`)] = true
		}
		return err
	})
	short, byTexts := map[string]string{}, map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if !named[key] || slices.ContainsFunc(made, func(p string) bool { return strings.HasPrefix(key, p) }) {
			continue
		}
		if byTexts[texts[key]] == "" {
			byTexts[texts[key]] = strconv.FormatInt(int64(len(byTexts)), 36)
		}
		short[key] = byTexts[texts[key]]
	}
	return short, err
}

// locale returns the texts of a language by their keys.
func locale(dir, name string) (texts map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &texts); err != nil {
		return nil, fmt.Errorf("%s.json: %w", name, err)
	}
	return texts, nil
}

// The constant between separates the texts of a key, and the constant line separates keys; no text
// contains either.
const (
	between = "|"
	line    = "\n"
)

// join returns a JSON object with the texts of each key, in the order of locales and joined by
// between, because a list for each key would make the bundle larger. Keys are split at their first
// period: the first part is the key of an object that has the rest as its keys. The texts of short
// names are the lines of one text, in the order of the names, under the key "" of the object "".
// The names themselves are left out to save space.
func join(dir string, short map[string]string) (string, error) {
	joined := map[string][]string{}
	for i, name := range locales {
		own, err := locale(dir, name)
		if err != nil {
			return "", err
		}
		for key, text := range own {
			if len(joined[key]) != i {
				return "", fmt.Errorf("%s.json has the key %s, which must be in all locales", name, key)
			}
			if strings.ContainsAny(text, between+line) {
				return "", fmt.Errorf("%s.json: %s is %q, must not contain %q or %q", name, key, text, between, line)
			}
			joined[key] = append(joined[key], text)
		}
	}
	for key, all := range joined {
		if len(all) != len(locales) {
			return "", fmt.Errorf("%s is missing in %s.json, must be in all locales", key, locales[len(all)])
		}
	}
	names := map[string]bool{}
	for _, name := range short {
		names[name] = true
	}
	lines := make([]string, len(names))
	nested := map[string]map[string]string{}
	for key, all := range joined {
		if name := short[key]; name != "" {
			n, err := strconv.ParseInt(name, 36, 0)
			if err != nil {
				return "", err
			}
			lines[n] = strings.Join(all, between)
			continue
		}
		group, rest, _ := strings.Cut(key, ".")
		if nested[group] == nil {
			nested[group] = map[string]string{}
		}
		nested[group][rest] = strings.Join(all, between)
	}
	nested[""] = map[string]string{"": strings.Join(lines, line)}
	data, err := json.Marshal(nested) // keys are sorted, so that the bytes are always the same
	return string(data), err
}
