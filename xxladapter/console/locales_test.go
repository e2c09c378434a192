package console

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
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

// TestEveryKindOfTheAuditHasAWord compares the words of the audit's filter with the kinds of rows.
func TestEveryKindOfTheAuditHasAWord(t *testing.T) {
	var named []string
	for key := range locale(t, "en") {
		if kind, is := strings.CutPrefix(key, "auditKind."); is {
			named = append(named, kind)
		}
	}
	require.ElementsMatch(t, xxladapter.AuditKinds(), named)
}

// TestEveryValueHasAWord checks that each value that pages show has a word.
func TestEveryValueHasAWord(t *testing.T) {
	en := locale(t, "en")
	requireWords(t, en, "triggerType", xxladapter.TriggerType("").Values())
	requireWords(t, en, "scheduleType", xxladapter.ScheduleType("").Values())
	requireWords(t, en, "misfireStrategy", xxladapter.MisfireStrategy("").Values())
	requireWords(t, en, "executorRouteStrategy", xxladapter.RouteStrategy("").Values())
	requireWords(t, en, "executorBlockStrategy", xxladapter.BlockStrategy("").Values())
	requireWords(t, en, "role", xxladapter.Role("").Values())
	requireWords(t, en, "ambiguous", xxladapter.AmbiguousStrategy("").Values())
	requireWords(t, en, "alarmOn", xxladapter.AlarmRule("").Values())
	requireWords(t, en, "keepLogs", xxladapter.LogPolicy("").Values())
	requireWords(t, en, "move", xxladapter.MoveCause("").Values())
}

func requireWords[T ~string](t *testing.T, texts map[string]string, group string, values []T) {
	t.Helper()
	require.NotEmpty(t, values, group)
	for _, value := range values {
		require.NotEmpty(t, texts[group+"."+string(value)], "%s.%s", group, value)
	}
}

// TestEveryKeyIsUsedAndKnown searches the sources for keys. A key is a literal, or begins with a
// literal, as in t(`status.${is}`) and word("status", is).
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

// TestEveryFieldOfTheAuditHasAWord compares the words of fields with the fields of all objects that
// people change, and with the settings of a job, which the audit shows one by one.
func TestEveryFieldOfTheAuditHasAWord(t *testing.T) {
	at := time.Unix(1, 0)
	param := "{}"
	names := map[string]bool{}
	for _, fields := range []xxladapter.Fields{
		(&xxladapter.Job{}).Fields(), (&xxladapter.Group{AddressType: xxladapter.AddressManual, Drains: []xxladapter.Drain{{}}}).Fields(),
		(&xxladapter.Calendar{}).Fields(), (&xxladapter.Pause{Until: at}).Fields(), (&xxladapter.User{}).Fields(), (&xxladapter.Credential{Kind: xxladapter.CredentialToken, Expires: at}).Fields(),
		xxladapter.LogPurge{}.Fields(), xxladapter.LogPurge{JobID: 1, GroupID: 1, Before: at, KeepNewest: 1}.Fields(), (&xxladapter.Backfill{BackfillProgress: xxladapter.BackfillProgress{Param: &param}}).Fields(),
		(&xxladapter.Order{}).Fields(&xxladapter.Fire{Param: &param, Addresses: []string{""}}), xxladapter.JobKey{}.Fields(),
	} {
		for _, f := range fields {
			names[f.Name] = true
		}
	}
	for f := range reflect.TypeFor[xxladapter.Settings]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	en := locale(t, "en")
	delete(names, "years") // the page shows the days of each year
	for name := range names {
		require.NotEmpty(t, en["field."+name], name)
	}
}
