package admin

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire/recorded"
)

// ownTexts are the questions that a Java admin answers with the text of an exception. Our answers
// differ from these in their texts alone.
var ownTexts = map[string]bool{
	"callback-malformed": true, "callback-no-number": true, "registry-list": true, "registry-malformed": true,
	"registry-null": true, "registryRemove-malformed": true,
}

// TestAnswersAreThoseOfJavaAdmins asks our admin what Java admins were asked (XXL-JOB 2.4.2,
// JobApiController.java; 3.3.2 and 3.4.2, OpenApiController.java). Status and code are the same,
// except that our admin also reads the callbacks of 3.5. A text is the same unless
// docs/differences.md says otherwise, and no field of theirs is missing.
func TestAnswersAreThoseOfJavaAdmins(t *testing.T) {
	asked := slices.DeleteFunc(recorded.All(t, "../wire/testdata/recorded"), func(e recorded.Exchange) bool {
		return e.Direction != "questions-to-admin"
	})
	require.Len(t, asked, 3*25)
	for _, theirs := range asked {
		t.Run(theirs.Release+" "+theirs.Kind, func(t *testing.T) {
			name := theirs.Kind
			var reply map[string]any
			require.NoError(t, json.Unmarshal(theirs.Reply, &reply))
			s := newSite(t)
			_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
			require.NoError(t, err)
			token := theirs.Request.Header.Get(wire.HeaderToken)
			if token == "default_token" { // the right one
				token = testToken
			}
			status, body := s.do(theirs.Request.Method, theirs.Request.URL.Path, token, string(theirs.Body))
			require.Equal(t, theirs.Status, status)
			var ours map[string]any
			require.NoError(t, json.Unmarshal([]byte(body), &ours), body)
			for field := range reply {
				require.Contains(t, ours, field)
			}
			if name == "callback-object" { // 3.5 sends it, and earlier admins cannot read it
				require.EqualValues(t, wire.CodeFail, reply["code"])
				require.EqualValues(t, wire.CodeOK, ours["code"])
				return
			}
			require.Equal(t, reply["code"], ours["code"])
			switch {
			case ownTexts[name], theirs.Release == "2.4.2" && name == "registry-empty":
				require.NotContains(t, ours["msg"], "java")
				require.NotEmpty(t, ours["msg"])
			case reply["msg"] == nil: // 2.4.2 has no text of success
				require.Equal(t, "Success", ours["msg"])
			default:
				require.Equal(t, reply["msg"], ours["msg"])
			}
		})
	}
}
