package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTypesAreThoseOfTheAPI(t *testing.T) {
	want, err := declarations()
	require.NoError(t, err)
	is, err := os.ReadFile("../web/types.ts")
	require.NoError(t, err)
	require.Equal(t, want, string(is), "run go generate ./xxladapter/console")
}
