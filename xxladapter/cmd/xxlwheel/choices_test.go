package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestHelpNamesEveryChoice checks that the help of a flag names all values that the API takes.
func TestHelpNamesEveryChoice(t *testing.T) {
	t.Parallel()
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	flags := map[string]string{} // help texts
	for _, leaf := range parser.Model.Leaves(true) {
		for _, f := range leaf.Flags {
			flags[strings.Join(strings.Fields(leaf.Path()), " ")+" "+f.Name] = f.Help
		}
	}
	for flag, choices := range map[string][]string{
		"run list trigger":     names(xxladapter.TriggerType("").Values()),
		"run list status":      names(xxladapter.LogStatus("").Values()),
		"job list type":        names(xxladapter.ScheduleType("").Values()),
		"job list sort":        names(xxladapter.JobSort("").Values()),
		"job list last-result": names(xxladapter.LastResult("").Values()),
		"job fires state":      names(xxladapter.FireState("").Values()),
		"audit list kind":      xxladapter.AuditKinds(),
	} {
		require.Contains(t, flags, flag)
		for _, choice := range choices {
			require.Regexp(t, `\b`+choice+`\b`, flags[flag], flag)
		}
	}
}

func names[T ~string](values []T) (texts []string) {
	for _, v := range values {
		texts = append(texts, string(v))
	}
	return texts
}
