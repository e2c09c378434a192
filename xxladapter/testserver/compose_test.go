//go:build unix

package testserver

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// A composed is a service of compose.yaml.
type composed struct {
	Image       string
	Environment map[string]string
	Command     []string
	Ports       []string
}

func compose(t *testing.T) map[string]composed {
	t.Helper()
	text, err := os.ReadFile("compose.yaml")
	require.NoError(t, err)
	var file struct{ Services map[string]composed }
	require.NoError(t, yaml.Unmarshal(text, &file))
	return file.Services
}

// TestTheVariablesOfMakeLeadToTheDatabasesOfCompose compares what make databases prints with the
// file that it starts: variables, users, passwords and ports.
func TestTheVariablesOfMakeLeadToTheDatabasesOfCompose(t *testing.T) {
	t.Parallel()
	services := compose(t)
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	require.Contains(t, string(makefile), "docker compose -f xxladapter/testserver/compose.yaml\n")
	wants := map[string]struct{ name, user, password, port string }{
		mysqlEnv:    {"mariadb", "root", "MARIADB_ROOT_PASSWORD", "3306"},
		postgresEnv: {"postgres", "postgres", "POSTGRES_PASSWORD", "5432"},
		redisEnv:    {"redis", "", "", "6379"},
	}
	exports := regexp.MustCompile(`"export (\w+)='(.*)'"`).FindAllStringSubmatch(string(makefile), -1)
	require.Len(t, exports, len(wants))
	require.Len(t, services, len(wants))
	for _, export := range exports {
		want, known := wants[export[1]]
		require.True(t, known, export[1])
		service := services[want.name]
		address, err := url.Parse(export[2])
		require.NoError(t, err)
		require.Equal(t, want.user, address.User.Username())
		password, _ := address.User.Password()
		require.Equal(t, service.Environment[want.password], password)
		require.Equal(t, "127.0.0.1", address.Hostname(), "everybody knows the password")
		require.Equal(t, []string{address.Host + ":" + want.port}, service.Ports)
		require.Regexp(t, `^`+want.name+`:\d+(\.\d+)?$`, service.Image)
	}
}

// TestServersKnowTheSettingsOfCompose starts servers of this machine with them.
func TestServersKnowTheSettingsOfCompose(t *testing.T) {
	t.Parallel()
	Long(t) // servers take their time
	services := compose(t)
	mariaDB := StartMariaDB(t, services["mariadb"].Command...)
	require.NoError(t, OrderMySQL(mariaDB.URL(""), "DO 1"))
	settings := slices.DeleteFunc(services["postgres"].Command, func(word string) bool { return word == "-c" })
	require.NotEmpty(t, settings)
	StartPostgres(t, settings...)
	var options []string
	for setting := range slices.Chunk(services["redis"].Command, 2) {
		options = append(options, strings.TrimPrefix(setting[0], "--")+" "+setting[1])
	}
	require.Contains(t, options, "appendfsync always", "stores behind Redis require it")
	StartRedis(t, options...)
}
