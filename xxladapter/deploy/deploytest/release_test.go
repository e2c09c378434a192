//go:build amd64 || arm64

package deploytest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestReleaseFilesExist checks that the files of a release are where goreleaser looks for them. The
// rest of goreleaser's configuration is checked by "goreleaser check".
func TestReleaseFilesExist(t *testing.T) {
	text, err := os.ReadFile("../../../.goreleaser.yaml")
	require.NoError(t, err)
	var config struct {
		Builds   []struct{ Main string }
		Archives []struct{ Files []struct{ Src string } }
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	require.Len(t, config.Builds, 1)
	require.FileExists(t, filepath.Join("../../..", config.Builds[0].Main, "main.go"))
	require.Len(t, config.Archives, 1)
	require.Greater(t, len(config.Archives[0].Files), 5)
	for _, file := range config.Archives[0].Files {
		found, err := filepath.Glob(filepath.Join("../../..", file.Src))
		require.NoError(t, err)
		require.NotEmpty(t, found, file.Src)
	}
}
