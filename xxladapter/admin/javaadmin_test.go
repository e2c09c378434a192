package admin

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A javaAnswer is what a Java admin answered to a request, as package wire recorded it.
type javaAnswer struct {
	request *http.Request
	body    string
	status  int
	reply   map[string]any
}

func readAnswer(t *testing.T, file string) javaAnswer {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	b := bufio.NewReader(bytes.NewReader(data))
	var a javaAnswer
	a.request, err = http.ReadRequest(b)
	require.NoError(t, err)
	body, err := io.ReadAll(a.request.Body)
	require.NoError(t, err)
	a.body = string(body)
	resp, err := http.ReadResponse(b, a.request)
	require.NoError(t, err)
	defer resp.Body.Close()
	a.status = resp.StatusCode
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&a.reply))
	return a
}

// ownTexts are the questions that a Java admin answers with the text of an exception. The rest of
// our answers is the same.
var ownTexts = map[string]bool{
	"callback-malformed": true, "callback-no-number": true, "registry-list": true, "registry-malformed": true,
	"registry-null": true, "registryRemove-malformed": true,
}

// TestAnswersAreThoseOfJavaAdmins asks our admin what Java admins were asked (XXL-JOB 2.4.2,
// JobApiController.java; 3.3.2 and 3.4.2, OpenApiController.java). Status and code are the same, a
// text too unless docs/differences.md says otherwise, and no field of theirs is missing.
func TestAnswersAreThoseOfJavaAdmins(t *testing.T) {
	files, err := filepath.Glob("../wire/testdata/recorded/*/questions-to-admin/*.http")
	require.NoError(t, err)
	require.Len(t, files, 3*25)
	for _, file := range files {
		release := filepath.Base(filepath.Dir(filepath.Dir(file)))
		name := strings.TrimSuffix(filepath.Base(file), ".http")
		t.Run(release+" "+name, func(t *testing.T) {
			theirs := readAnswer(t, file)
			s := newSite(t)
			_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
			require.NoError(t, err)
			token := theirs.request.Header.Get(wire.HeaderToken)
			if token == "default_token" { // the right one
				token = testToken
			}
			status, body := s.do(theirs.request.Method, theirs.request.URL.Path, token, theirs.body)
			require.Equal(t, theirs.status, status)
			var ours map[string]any
			require.NoError(t, json.Unmarshal([]byte(body), &ours), body)
			for field := range theirs.reply {
				require.Contains(t, ours, field)
			}
			if name == "callback-object" { // 3.5 sends it, and earlier admins cannot read it
				require.EqualValues(t, wire.CodeFail, theirs.reply["code"])
				require.EqualValues(t, wire.CodeOK, ours["code"])
				return
			}
			require.Equal(t, theirs.reply["code"], ours["code"])
			switch {
			case ownTexts[name], release == "2.4.2" && name == "registry-empty":
				require.NotContains(t, ours["msg"], "java")
				require.NotEmpty(t, ours["msg"])
			case theirs.reply["msg"] == nil: // 2.4.2 has no text of success
				require.Equal(t, "Success", ours["msg"])
			default:
				require.Equal(t, theirs.reply["msg"], ours["msg"])
			}
		})
	}
}
