package admin

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/runs"
)

func TestAStoredTextIsShownWithoutTheExecutor(t *testing.T) {
	s := newSite(t)
	id := s.run(s.createJob(""), xxladapter.ResultOK)
	path := fmt.Sprintf("/api/v1/runs/%d/log", id)
	s.executors.fail = errors.New("connection refused")
	status, body := s.do("GET", path, testToken, "")
	require.Equal(t, 502, status, body)
	asked := len(s.executors.asked)

	require.NoError(t, s.store.SaveTexts(t.Context(), []xxladapter.RunText{{LogID: id, Text: "one\ntwo\nthree\n", Size: 14, Complete: true}}))
	for query, want := range map[string]string{
		"":        `{"fromLineNum":1,"toLineNum":3,"logContent":"one\ntwo\nthree\n","isEnd":true,"stored":true,"size":14}`,
		"?from=3": `{"fromLineNum":3,"toLineNum":3,"logContent":"three\n","isEnd":true,"stored":true,"size":14}`,
		"?from=4": `{"fromLineNum":4,"toLineNum":3,"logContent":"","isEnd":true,"stored":true,"size":14}`,
	} {
		status, body := s.do("GET", path+query, testToken, "")
		require.Equal(t, 200, status, body)
		require.JSONEq(t, want, body, query)
	}
	require.Len(t, s.executors.asked, asked)

	// The scheduler has given up, and the executor may be back.
	require.NoError(t, s.store.SaveTexts(t.Context(), []xxladapter.RunText{{LogID: id, Note: "given up"}}))
	_, body = s.do("GET", path, testToken, "")
	require.JSONEq(t, `{"fromLineNum":1,"toLineNum":0,"logContent":"","isEnd":true,"stored":true,"note":"given up"}`, body)
	var last runs.TailForm
	s.stream(strings.TrimSuffix(path, "log")+"tail", "").next(&last)
	require.Equal(t, runs.TailForm{End: true, Status: xxladapter.LogRunning, Note: "given up"}, last)
	s.executors.fail = nil
	_, body = s.do("GET", path, testToken, "")
	require.JSONEq(t, `{"fromLineNum":1,"toLineNum":2,"logContent":"one\ntwo\n","isEnd":false}`, body)
}
