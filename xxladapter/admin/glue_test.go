package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// shell creates a job of type GLUE_SHELL.
func (s *site) shell() int64 {
	return s.createJob(`,"glueType":"GLUE_SHELL","glueSource":"echo one","glueRemark":"first"`)
}

func TestTheSourceOfAJobChangesAndGoesBack(t *testing.T) {
	s := newSite(t)
	id := s.shell()
	path := fmt.Sprintf("/api/v1/jobs/%d", id)
	glue := func() (list glueList) {
		s.get(path+"/glue", &list)
		return list
	}
	put := func(body string) *xxladapter.Job {
		status, answer := s.do("PUT", path, testToken, body)
		require.Equal(t, http.StatusOK, status, answer)
		j, err := s.store.Job(t.Context(), id)
		require.NoError(t, err)
		return j
	}
	require.Empty(t, glue().Versions)
	before := put(`{"name":"another"}`)
	require.Empty(t, glue().Versions, "the source is as it was")

	second := put(`{"glueSource":"echo two\r\necho 2","glueRemark":"second"}`)
	require.Equal(t, "echo two\necho 2", second.GlueSource)
	require.Equal(t, "second", second.GlueRemark)
	require.True(t, second.GlueUpdated.After(before.GlueUpdated), "executors reload by it")
	list := glue().Versions
	require.Len(t, list, 2)
	require.Equal(t, []string{"second", "first"}, []string{list[0].Remark, list[1].Remark})
	require.Nil(t, list[0].Source)

	same := put(`{"glueType":"GLUE_SHELL","glueSource":"echo two\necho 2","glueRemark":"second"}`)
	require.Equal(t, second.GlueUpdated, same.GlueUpdated, "it is no new version")
	require.Equal(t, "GLUE_PYTHON", string(put(`{"glueType":"GLUE_PYTHON","glueSource":"print(3)"}`).GlueType))
	require.Empty(t, glue().Versions[0].Remark, "a remark is about its version")
	require.Len(t, glue().Versions, 3)

	var one glueForm
	s.get(fmt.Sprintf("%s/glue/%d", path, list[1].ID), &one)
	require.Equal(t, "echo one", *one.Source)
	status, body := s.do("POST", fmt.Sprintf("%s/glue/%d/restore", path, list[1].ID), testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	j, err := s.store.Job(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, []any{xxladapter.GlueShell, "echo one", "first"}, []any{j.GlueType, j.GlueSource, j.GlueRemark})
	require.True(t, j.GlueUpdated.After(second.GlueUpdated))
	require.Len(t, glue().Versions, 4)

	for _, call := range []string{"GET /api/v1/jobs/%d/glue/99", "POST /api/v1/jobs/%d/glue/99/restore", "GET /api/v1/jobs/7%d/glue"} {
		var method, path string
		_, err := fmt.Sscan(fmt.Sprintf(call, id), &method, &path)
		require.NoError(t, err)
		status, body := s.do(method, path, testToken, "")
		require.Equal(t, http.StatusNotFound, status, body)
	}
}

// TestASourceWithCarriageReturnsStaysAsItIs edits other fields of a script that another tool has
// stored with carriage returns. That takes no more than the role of an editor.
func TestASourceWithCarriageReturnsStaysAsItIs(t *testing.T) {
	s := newSite(t)
	j := *s.stored(s.shell())
	j.GlueSource = "echo one\r\n"
	id, err := xxladapter.CreateJob(t.Context(), s.store, &j)
	require.NoError(t, err)
	path := fmt.Sprintf("/api/v1/jobs/%d", id)
	edit := s.as(granted(1, xxladapter.RoleEditor))
	for _, body := range []string{`{"name":"another"}`, `{"author":"another","glueSource":"echo one\r\n"}`} {
		status, answer := edit("PUT", path, body)
		require.Equal(t, http.StatusOK, status, answer)
		require.Equal(t, "echo one\r\n", s.stored(id).GlueSource)
	}
	status, answer := edit("PUT", path, `{"glueSource":"echo one\n"}`)
	require.Equal(t, http.StatusForbidden, status, answer)
}

// TestASavedSourceIsNotTakenForThatOfAnother has somebody replace the source before each read of a
// call that saves it. The next change of that call's caller does not overwrite the other's.
func TestASavedSourceIsNotTakenForThatOfAnother(t *testing.T) {
	replaced := 0
	for read := 1; ; read++ {
		store := &changingStore{Store: memstore.New(nil), at: -1}
		s := siteWith(t, func(o *Options) { o.Store = store })
		s.store = store.Store
		path := fmt.Sprintf("/api/v1/jobs/%d/glue", s.shell())
		done := false
		store.reads, store.at = 0, read
		store.change = func() {
			done = true
			status, answer := s.do("PUT", path, testToken, `{"glueSource":"echo other","glueRemark":"of another"}`)
			require.Equal(t, http.StatusOK, status, answer)
		}
		var saved glueSaved
		status, answer := s.do("PUT", path, testToken, `{"glueSource":"echo mine","glueRemark":"mine"}`)
		require.Equal(t, http.StatusOK, status, answer)
		require.NoError(t, json.Unmarshal([]byte(answer), &saved))
		if !done {
			break
		}
		want := http.StatusOK
		if s.stored(1).GlueSource != "echo mine" {
			want = http.StatusConflict
			replaced++
		}
		next := fmt.Sprintf(`{"glueSource":"echo next","glueRemark":"next","ifUpdated":%q}`, saved.Updated.Format(time.RFC3339Nano))
		status, answer = s.do("PUT", path, testToken, next)
		require.Equal(t, want, status, answer)
	}
	require.NotZero(t, replaced)
}

// TestUpdateJobDoesNotPretendToChangeTheSource checks that updateJob refuses a glue field that
// differs from the job's: upstream reads it, keeps the old source and reports success.
func TestUpdateJobDoesNotPretendToChangeTheSource(t *testing.T) {
	s := newSite(t)
	s.shell()
	s.shell()
	body := func(glue string) string {
		return `{"id":1,"name":"n","author":"a","scheduleType":"NONE","misfireStrategy":"DO_NOTHING","executorRouteStrategy":"FIRST",
			"executorBlockStrategy":"SERIAL_EXECUTION"` + glue + `}`
	}
	update := func(glue string) reply { return s.call(wire.AdminPath+"updateJob", "", testToken, body(glue)) }
	for _, glue := range []string{"", `,"glueType":"","glueSource":"","glueRemark":""`, `,"glueType":"GLUE_SHELL","glueSource":"echo one","glueRemark":"other"`} {
		require.Equal(t, reply{Code: 200, Msg: "Success"}, update(glue), glue)
	}
	require.Equal(t, reply{Code: 500, Msg: "glueSource differs from the job's, must be omitted or the same: updateJob does not change it, PUT /api/v1/jobs/1 does"},
		update(`,"glueType":"GLUE_SHELL","glueSource":"echo two"`))
	require.Contains(t, update(`,"glueType":"BEAN"`).Msg, "glueType differs from the job's")
	j, err := s.store.Job(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "echo one", j.GlueSource)
	require.WithinDuration(t, time.Now(), j.GlueUpdated, time.Minute)
}
