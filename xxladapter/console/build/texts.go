package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// locales are the languages of the console, in the order that i18n.ts knows.
var locales = []string{"en", "zh-CN"}

// texts is the module "texts": the locales joined, so that each key stands once in the bundle.
func texts(web string) api.Plugin {
	return api.Plugin{Name: "texts", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: "^texts$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "texts", Namespace: "texts"}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: "^texts$", Namespace: "texts"}, func(api.OnLoadArgs) (no api.OnLoadResult, err error) {
			joined, err := join(filepath.Join(web, "locales"))
			return api.OnLoadResult{Contents: &joined, Loader: api.LoaderJSON}, err
		})
	}}
}

// between separates the texts of a key; no text contains it.
const between = "|"

// join returns a JSON object that has for each key its texts in the order of locales, joined by
// between: a list for each key would make the bundle 3 KB larger. What stands before the first period
// of keys stands once: it is the key of an object with the others.
func join(dir string) (string, error) {
	joined := map[string][]string{}
	for i, locale := range locales {
		data, err := os.ReadFile(filepath.Join(dir, locale+".json"))
		if err != nil {
			return "", err
		}
		var own map[string]string
		if err := json.Unmarshal(data, &own); err != nil {
			return "", fmt.Errorf("%s.json: %w", locale, err)
		}
		for key, text := range own {
			if len(joined[key]) != i {
				return "", fmt.Errorf("%s.json has the key %s, which must be in all locales", locale, key)
			}
			if strings.Contains(text, between) {
				return "", fmt.Errorf("%s.json: %s is %q, must not contain %q", locale, key, text, between)
			}
			joined[key] = append(joined[key], text)
		}
	}
	for key, all := range joined {
		if len(all) != len(locales) {
			return "", fmt.Errorf("%s is missing in %s.json, must be in all locales", key, locales[len(all)])
		}
	}
	nested := map[string]map[string]string{}
	for key, all := range joined {
		group, rest, _ := strings.Cut(key, ".")
		if nested[group] == nil {
			nested[group] = map[string]string{}
		}
		nested[group][rest] = strings.Join(all, between)
	}
	data, err := json.Marshal(nested) // keys are sorted, so that the bytes are always the same
	return string(data), err
}
