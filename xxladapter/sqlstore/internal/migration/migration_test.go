package migration

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestStepsFromAVersion(t *testing.T) {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"migrations/00014_tables.sql":       "all tables",
		"migrations/00015_next.sql":         "one more",
		"migrations/before/00014_group.sql": "a column",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	s := Schema{Files: files}
	for has, want := range map[int64][]Step{
		0:  {{14, "all tables"}, {15, "one more"}},
		13: {{14, "a column"}, {15, "one more"}},
		14: {{15, "one more"}},
		15: {},
	} {
		steps, err := s.StepsFrom(has)
		require.NoError(t, err)
		require.Equal(t, want, steps, "from %d", has)
	}
	_, err := s.StepsFrom(12)
	require.EqualError(t, err, "its tables have version 12, the oldest that can be upgraded is 13")
	_, err = s.StepsFrom(16)
	require.EqualError(t, err, "was written by a newer release, its tables have version 16 and this one knows 15")
}
