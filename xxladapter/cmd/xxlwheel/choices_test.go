package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/completion"
)

// TestHelpNamesEveryChoice checks that the help of a flag names all values by which a shell
// completes it.
func TestHelpNamesEveryChoice(t *testing.T) {
	t.Parallel()
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	used := map[string]bool{}
	for _, leaf := range parser.Model.Leaves(true) {
		for _, f := range leaf.Flags {
			name := f.Tag.Get("predictor")
			used[name] = true
			require.Equal(t, f.PlaceHolder == "FILE", name == "file", "%s --%s", leaf.Path(), f.Name)
			for _, choice := range completion.Choices()[name] {
				require.Regexp(t, `\b`+choice+`\b`, f.Help, "%s --%s", leaf.Path(), f.Name)
			}
		}
	}
	for name := range completion.Predictors() {
		require.True(t, used[name], "no flag has the predictor %s", name)
	}
}
