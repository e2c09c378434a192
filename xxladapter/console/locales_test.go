package console

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func locale(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile("web/locales/" + name + ".json")
	require.NoError(t, err)
	texts := map[string]string{}
	require.NoError(t, json.Unmarshal(data, &texts))
	return texts
}

// TestLocalesHaveTheSameKeysAndParameters compares the locales with each other.
func TestLocalesHaveTheSameKeysAndParameters(t *testing.T) {
	en, zh := locale(t, "en"), locale(t, "zh-CN")
	require.Equal(t, slices.Sorted(maps.Keys(en)), slices.Sorted(maps.Keys(zh)))
	param := regexp.MustCompile(`\{\w+\}`)
	for key, text := range en {
		require.NotEmpty(t, text, key)
		require.NotEmpty(t, zh[key], key)
		a, b := param.FindAllString(text, -1), param.FindAllString(zh[key], -1)
		slices.Sort(a)
		slices.Sort(b)
		require.Equal(t, a, b, "parameters of %s", key)
	}
}

// TestEveryKeyIsUsedAndKnown searches the sources for keys. A key is a literal, or begins with a
// literal that ends with a period, as in t(`status.${is}`) and word("status", is).
func TestEveryKeyIsUsedAndKnown(t *testing.T) {
	literal := regexp.MustCompile(`"([a-zA-Z][a-zA-Z0-9]*(?:\.[a-zA-Z0-9_]+)+)"`)
	prefix := regexp.MustCompile("`([a-zA-Z]+(?:\\.[a-zA-Z]+)*\\.)\\$\\{|\\bword\\(\"([a-zA-Z.]+)\"|\"([a-zA-Z.]+\\.)\" \\+")
	called := regexp.MustCompile(`\b(?:t|plural)\(\s*"([^"]+)"`)
	en := locale(t, "en")
	used := map[string]bool{}
	var prefixes []string
	err := filepath.WalkDir("web", func(file string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(file, ".ts") && !strings.HasSuffix(file, ".tsx") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = true
		}
		for _, m := range called.FindAllStringSubmatch(string(text), -1) {
			_, single := en[m[1]]
			_, many := en[m[1]+".other"]
			if !single && !many {
				t.Errorf("%s uses %s, which no locale has", file, m[1])
			}
		}
		for _, m := range prefix.FindAllStringSubmatch(string(text), -1) {
			prefixes = append(prefixes, strings.TrimSuffix(m[1]+m[2]+m[3], ".")+".")
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(used), 50)
	for key := range en {
		base := strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".other")
		if !used[key] && !used[base] && !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) }) {
			t.Errorf("no source uses %s", key)
		}
	}
}
