package main

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

// TestSecretsComeFromFiles reads every token, and the store with its password, from a file.
func TestSecretsComeFromFiles(t *testing.T) {
	dir := t.TempDir()
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "@"+writeFile(t, "sqlite:"+dir+"/x.db\n"),
		"--access-token", "@"+writeFile(t, planted+"-executor\r\n"), "--operator-token", "@"+writeFile(t, planted+"-one"),
		"--operator-token", "@"+writeFile(t, planted+"-two\n"), "--read-token", "@"+writeFile(t, planted+"-reader\n\n"))
	fields := strings.Fields(serve.line("serves on"))
	server := strings.TrimSuffix(fields[3], ",")
	require.Equal(t, "sqlite:"+dir+"/x.db", fields[5])
	for token, may := range map[string]bool{"-one": true, "-two": true, "-reader": false, "-executor": false} {
		code, _, stderr := cli(t, "group", "add", "app"+token, "--server", server, "--access-token", "@"+writeFile(t, planted+token+"\n"),
			"--group-token", "@"+writeFile(t, planted+"-group"+token+"\n"))
		require.Equal(t, may, code == command.ExitOK, stderr)
		require.NotContains(t, stderr, planted)
	}
	t.Setenv("XXLWHEEL_ACCESS_TOKEN", "@"+writeFile(t, planted+"-reader\n"))
	require.Regexp(t, `app-\w+ +registered +its own`, mustCLI(t, "group", "list", "--server", server))
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "app-one", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(),
		"--access-token", "@"+writeFile(t, planted+"-group-one"))
	theirs.line("accepts runs at")
	require.Zero(t, theirs.terminate())
	require.Zero(t, serve.terminate())
	require.NotContains(t, serve.stderr.String()+theirs.stderr.String(), planted)
}

// TestASecretOfAFileThatIsWrong checks that the error shows the file and the rule, and nothing of
// the content.
func TestASecretOfAFileThatIsWrong(t *testing.T) {
	two := writeFile(t, planted+"\n"+planted+"\n")
	for _, args := range [][]string{
		{"serve", "--access-token"}, {"serve", "--operator-token"}, {"serve", "--read-token"}, {"serve", "--store"}, {"executor", "--access-token"},
		{"job", "list", "--access-token"}, {"group", "add", "app", "--group-token"}, {"migrate", "--store"}, {"backup", "to", "--store"},
	} {
		for file, says := range map[string]string{
			two:                 "has several lines, must have the secret as its only line",
			writeFile(t, "\n"):  "is empty, must have the secret as its only line",
			"/no/such/file":     `file "/no/such/file" cannot be read: no such file or directory`,
			t.TempDir() + "/./": "is a directory",
		} {
			code, _, stderr := cli(t, append(args, "@"+file)...)
			require.Equal(t, command.ExitUsage, code)
			require.Contains(t, stderr, args[len(args)-1]+": file ")
			require.Contains(t, stderr, says)
			require.NotContains(t, stderr, planted)
		}
	}
}

// TestEveryFlagForASecretTakesAFile finds the flags by their names, so that a new one cannot be
// forgotten.
func TestEveryFlagForASecretTakesAFile(t *testing.T) {
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	found := 0
	require.NoError(t, kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && (strings.HasSuffix(flag.Name, "-token") || flag.Name == "store") && !strings.HasPrefix(flag.Name, "allow-") {
			kind := flag.Target.Type()
			for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
				kind = kind.Elem()
			}
			require.Equal(t, reflect.TypeFor[flags.Secret](), kind, flag.Name)
			found++
		}
		return next(nil)
	}))
	require.Greater(t, found, 10)
	var _ encoding.TextUnmarshaler = new(flags.Secret)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %s %q", flags.Secret(planted), []flags.Secret{planted}, flags.Secret(planted), flags.Secret(planted), flags.Secret(planted)), planted)
}
