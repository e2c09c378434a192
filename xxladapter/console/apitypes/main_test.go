package main

import (
	"encoding/json"
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

func TestHeadersAreNoParameters(t *testing.T) {
	const header, query, path = `{"name":"X-Some","in":"header"}`,
		`{"name":"limit","in":"query","schema":{"type":"integer"}}`,
		`{"name":"id","in":"path","required":true,"schema":{"type":"string"}}`
	for list, want := range map[string]string{
		"":                                "{ }",
		header:                            "{ }",
		query:                             "{ limit?: number }",
		header + "," + query + "," + path: "{ limit?: number; id: string }",
		query + "," + header + "," + path: "{ limit?: number; id: string }",
		query + "," + path + "," + header: "{ limit?: number; id: string }",
	} {
		var o operation
		require.NoError(t, json.Unmarshal([]byte(`{"parameters":[`+list+`]}`), &o))
		require.Equal(t, want, o.params())
	}
}
