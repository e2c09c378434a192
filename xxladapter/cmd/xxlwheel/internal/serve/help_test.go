package serve

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// TestHelpNamesEveryValue compares the help texts, which explain the values of enumerations one by
// one, with the values that there are.
func TestHelpNamesEveryValue(t *testing.T) {
	texts, _ := reflect.TypeFor[logs]().FieldByName("StoreRunLogs")
	for _, value := range xxladapter.TextPolicy("").Values() {
		require.Regexp(t, `\b`+string(value)+`\b`, texts.Tag.Get("help"))
	}
	var accepted []xxladapter.TextPolicy
	for value := range strings.SplitSeq(texts.Tag.Get("enum"), ",") {
		accepted = append(accepted, xxladapter.TextPolicy(value))
	}
	require.Equal(t, xxladapter.TextPolicy("").Values(), accepted)
	profiles, _ := reflect.TypeFor[Cmd]().FieldByName("CronProfile")
	for _, p := range cron.Profile(0).Values() {
		require.Contains(t, profiles.Tag.Get("help"), strings.ToLower(p.String()))
	}
}
