package declare

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const schemaFile = "../docs/declarations.schema.json"

// TestTheSchemaIsThatOfTheTypes compares the schema file that editors read with the schema of the
// types. WRITE_SCHEMA=1 writes the file.
func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	want, err := Schema()
	require.NoError(t, err)
	if os.Getenv("WRITE_SCHEMA") != "" {
		require.NoError(t, os.WriteFile(schemaFile, want, 0o644))
	}
	is, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	require.Equal(t, string(want), string(is), "write it with WRITE_SCHEMA=1 go test ./xxladapter/declare")
}

func TestTheSchemaAcceptsWhatIsRead(t *testing.T) {
	text, err := Schema()
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource(SchemaURL, doc))
	schema, err := compiler.Compile(SchemaURL)
	require.NoError(t, err)
	check := func(text []byte) error {
		var value any
		require.NoError(t, yaml.Unmarshal(text, &value))
		data, err := json.Marshal(value)
		require.NoError(t, err)
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err)
		return schema.Validate(instance)
	}
	file, err := stored().Export(Export{}).YAML()
	require.NoError(t, err)
	require.NoError(t, check(file))
	example, err := os.ReadFile("../docs/declared/jobs.yaml")
	require.NoError(t, err)
	require.NoError(t, check(example))
	require.Error(t, check([]byte("jobs: [{appName: x, key: y}]")), "no author")
	require.Error(t, check([]byte("job: []")))
	require.Error(t, check([]byte("jobs: [{appName: x, key: y, author: z, scheduleType: LUNAR}]")))
}
