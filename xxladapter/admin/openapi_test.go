package admin

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// loadDocument loads the description that a server serves.
func loadDocument(t *testing.T, s *site) api.Object {
	t.Helper()
	status, body := s.do("GET", "/api/v1/openapi.json", testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	var doc api.Object
	require.NoError(t, json.Unmarshal([]byte(body), &doc))
	return doc
}

// at descends into nested objects.
func at(t *testing.T, v any, keys ...string) any {
	t.Helper()
	for _, key := range keys {
		in, ok := v.(api.Object)
		require.True(t, ok, "%s of %v", key, keys)
		require.Contains(t, in, key, "%v", keys)
		v = in[key]
	}
	return v
}

// TestEveryRouteIsDescribed asks the mux itself which pattern serves each described operation, and
// checks that each call of the management API is described.
func TestEveryRouteIsDescribed(t *testing.T) {
	s := newSite(t)
	doc := loadDocument(t, s)
	require.Equal(t, "3.1.0", doc["openapi"])
	server := s.server
	described := 0
	ids := map[any]bool{}
	for path, item := range at(t, doc, "paths").(api.Object) {
		for method, operation := range item.(api.Object) {
			described++
			r := httptest.NewRequest(strings.ToUpper(method), regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "1"), nil)
			_, pattern := server.mux.Handler(r)
			require.Equal(t, r.Method+" "+path, pattern)
			id := at(t, operation, "operationId")
			require.False(t, ids[id], "%s names two operations", id)
			ids[id] = true
			for i, p := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				require.Equal(t, p[1], at(t, operation, "parameters").([]any)[i].(api.Object)["name"])
			}
		}
	}
	require.Equal(t, len(server.calls()), described)
	for _, c := range server.calls() {
		require.True(t, strings.HasPrefix(c.Path, api.Base+"/"), c.Path)
		require.NotEmpty(t, c.Summary)
		require.NotContains(t, c.Summary, ". ", "a summary is one sentence, and the others are notes")
		require.LessOrEqual(t, len(c.Summary), 110, c.Summary)
		operation := at(t, doc, "paths", c.Path, strings.ToLower(c.Method)).(api.Object)
		require.Equal(t, c.Summary, operation["summary"])
		if c.Notes == "" {
			require.NotContains(t, operation, "description")
		} else {
			require.Equal(t, c.Notes, operation["description"])
		}
	}
}

// TestEveryFieldOfEverySchemaIsTheGoStructs encodes a filled value of each input and output type,
// and compares the keys.
func TestEveryFieldOfEverySchemaIsTheGoStructs(t *testing.T) {
	s := newSite(t)
	schemas := at(t, loadDocument(t, s), "components", "schemas").(api.Object)
	server := s.server
	seen := map[string]bool{}
	var check func(reflect.Type)
	check = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ.PkgPath() == "time" || seen[api.SchemaName(typ)] {
			return
		}
		seen[api.SchemaName(typ)] = true
		value := reflect.New(typ).Elem()
		fill(value)
		data, err := json.Marshal(value.Interface())
		require.NoError(t, err)
		var encoded map[string]any
		require.NoError(t, json.Unmarshal(data, &encoded))
		properties := at(t, schemas, api.SchemaName(typ), "properties").(api.Object)
		for key := range encoded {
			require.Contains(t, properties, key, "%s", typ)
		}
		require.Len(t, properties, len(encoded), "%s", typ)
		for _, f := range api.JSONFields(typ) {
			check(f.Type)
		}
	}
	for _, c := range server.calls() {
		check(c.Answer)
		if c.Body != nil {
			check(c.Body)
		}
	}
	check(reflect.TypeFor[api.Error]())
	require.Len(t, schemas, len(seen))
}

// fill sets every field to a value that omitempty keeps.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() || v.Type().Field(i).Anonymous {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte("1"))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	}
}

// TestEnumsAreTheDomains checks that the enumerations are those that the domain's own check names.
func TestEnumsAreTheDomains(t *testing.T) {
	job := xxladapter.Job{Name: "n", Author: "a", Handler: "h", ScheduleType: "NONE", Misfire: "DO_NOTHING", Route: "FIRST", Block: "SERIAL_EXECUTION", GlueType: "BEAN"}
	for typ, breakIt := range map[reflect.Type]func(*xxladapter.Job){
		reflect.TypeFor[xxladapter.ScheduleType]():      func(j *xxladapter.Job) { j.ScheduleType = "?" },
		reflect.TypeFor[xxladapter.MisfireStrategy]():   func(j *xxladapter.Job) { j.Misfire = "?" },
		reflect.TypeFor[xxladapter.RouteStrategy]():     func(j *xxladapter.Job) { j.Route = "?" },
		reflect.TypeFor[xxladapter.BlockStrategy]():     func(j *xxladapter.Job) { j.Block = "?" },
		reflect.TypeFor[xxladapter.GlueType]():          func(j *xxladapter.Job) { j.GlueType = "?" },
		reflect.TypeFor[xxladapter.AmbiguousStrategy](): func(j *xxladapter.Job) { j.Settings.Ambiguous = "?" },
		reflect.TypeFor[xxladapter.AlarmRule]():         func(j *xxladapter.Job) { j.Settings.AlarmOn = "?" },
		reflect.TypeFor[xxladapter.LogPolicy]():         func(j *xxladapter.Job) { j.Settings.KeepLogs = "?" },
	} {
		broken := job
		breakIt(&broken)
		err := broken.Validate()
		require.Error(t, err)
		_, names, found := strings.Cut(err.Error(), "must be one of ")
		require.True(t, found, err)
		var want []any
		for name := range strings.SplitSeq(names, ", ") {
			want = append(want, reflect.ValueOf(name).Convert(typ).Interface())
		}
		require.Equal(t, want, api.EnumValues(typ))
	}
}

// A validator checks bodies against the schemas of a document.
type validator struct {
	t        *testing.T
	doc      api.Object
	compiler *jsonschema.Compiler
}

func newValidator(t *testing.T, doc api.Object) *validator {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020) // OpenAPI 3.1 uses JSON Schema 2020-12
	c.AssertFormat()
	data, err := json.Marshal(doc)
	require.NoError(t, err)
	resource, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	require.NoError(t, c.AddResource("api.json", resource))
	return &validator{t, doc, c}
}

// answer checks the body of one answer. path is the one in the document, with its parameters in
// braces.
func (v *validator) answer(method, path string, status int, body string) {
	v.t.Helper()
	key := "200"
	if status != http.StatusOK {
		key = "default"
	}
	at(v.t, v.doc, "paths", path, method, "responses", key, "content", "application/json", "schema")
	pointer := "/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method + "/responses/" + key + "/content/application~1json/schema"
	schema, err := v.compiler.Compile("api.json#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
	require.NoError(v.t, err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	require.NoError(v.t, err)
	require.NoError(v.t, schema.Validate(value), "%s %s: %s", method, path, body)
}

// TestAnswersAreAsDescribed makes every call once and checks the answer.
func TestAnswersAreAsDescribed(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.TakeOver = takesOver })
	doc := loadDocument(t, s)
	v := newValidator(t, doc)
	job := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?","settings":{"zone":"Europe/Berlin"}`)
	require.Equal(t, int64(1), job)
	status, _ := s.do("PUT", "/api/v1/jobs/1", testToken, `{"glueSource":"echo"}`)
	require.Equal(t, http.StatusOK, status)
	s.run(job, xxladapter.ResultOK)
	require.NoError(t, s.store.Register(t.Context(), "some-app", "http://10.0.0.7:9999/"))
	s.lease("node-1", "node-2")
	session := s.people()
	bodies := map[string]string{
		"post /api/v1/jobs/{id}/backfill": `{"from":"2026-01-01T00:00:00Z","to":"2026-01-03T00:00:00Z"}`,

		"post /api/v1/runs/clear":          `{"keepNewest":1000}`,
		"post /api/v1/groups":              `{"appName":"another-app","addressType":1,"addressList":["http://10.0.0.9:9999/"]}`,
		"post /api/v1/groups/{id}/drain":   `{"address":"http://10.0.0.7:9999/"}`,
		"post /api/v1/groups/{id}/undrain": `{"address":"http://10.0.0.7:9999/"}`,
		"post /api/v1/nodes/drain":         `{"node":"node-1"}`,
		"post /api/v1/jobs":                `{"appName":"some-app","name":"n","author":"a","executorHandler":"h"}`,
		"put /api/v1/groups/{id}":          `{"title":"renamed","accessToken":"a-token-of-its-own"}`,
		"put /api/v1/jobs/{id}":            `{"name":"renamed"}`,
		"put /api/v1/jobs/{id}/glue":       `{"glueType":"GLUE_SHELL","glueSource":"echo","glueRemark":"new source"}`,
		"post /api/v1/jobs/{id}/trigger":   `{"executorParam":"p"}`,
		"post /api/v1/apply":               `{"files":[{"name":"jobs.json","text":"{\"jobs\":[{\"appName\":\"some-app\",\"key\":\"k\",\"author\":\"a\",\"executorHandler\":\"h\"}]}"}]}`,
	}
	parameters := map[string]string{
		"/api/v1/cron/next":        "?expr=0+0+2+*+*+%3F&count=2",
		"/api/v1/forecast":         "?at=" + time.Now().UTC().Format(time.RFC3339),
		"/api/v1/graph":            "?job=1",
		"/api/v1/schedule/preview": "?scheduleConf=0+30+2+*+*+%3F&zone=Europe/Berlin&months=12",
	}
	var last []api.Call // calls that remove what others need
	done := 0
	run := func(c api.Call) {
		done++
		if c.Stream != "" {
			return // it has a test of its own
		}
		path, send := pathFor(c)+parameters[c.Path], bodies[strings.ToLower(c.Method)+" "+c.Path]
		if send == "" {
			send = goodBodies[c.Method+" "+c.Path]
		}
		var status int
		var body string
		if forUsers(c) {
			status, body, _ = s.doAs(session, c.Method, path, send)
		} else {
			status, body = s.do(c.Method, path, testToken, send)
		}
		if strings.HasSuffix(c.Path, "/first") { // there are users
			require.Equal(t, http.StatusUnauthorized, status, body)
			v.answer(strings.ToLower(c.Method), c.Path, status, body)
			return
		}
		require.Equal(t, http.StatusOK, status, "%s %s: %s", c.Method, c.Path, body)
		if len(c.Produces) == 0 {
			v.answer(strings.ToLower(c.Method), c.Path, status, body)
		}
		if c.Need.Public {
			return
		}
		status, body = s.do(c.Method, path, "wrong", "")
		require.Equal(t, http.StatusUnauthorized, status)
		v.answer(strings.ToLower(c.Method), c.Path, status, body)
	}
	calls := s.server.calls()
	for _, c := range calls {
		if c.Redirects { // nowhere, without a provider
			done++
			continue
		}
		if c.Method == http.MethodDelete || strings.HasSuffix(c.Path, "/kill") {
			last = append([]api.Call{c}, last...)
			continue
		}
		run(c)
	}
	for _, c := range last {
		if c.Method != http.MethodDelete {
			run(c)
		}
	}
	for _, path := range []string{
		"/api/v1/jobs/{id}", "/api/v1/groups/{id}", // the jobs go before their group
		"/api/v1/calendars/{name}", "/api/v1/tokens/{id}", "/api/v1/users/{id}", "/api/v1/me/sessions/{id}", "/api/v1/session",
	} {
		for _, c := range last {
			if c.Method == http.MethodDelete && c.Path == path {
				if path == "/api/v1/groups/{id}" {
					s.removeJobs()
				}
				run(c)
			}
		}
	}
	require.Equal(t, len(calls), done)
}

func (s *site) removeJobs() {
	s.t.Helper()
	jobs, err := s.store.Jobs(s.t.Context(), xxladapter.JobFilter{})
	require.NoError(s.t, err)
	for _, j := range jobs {
		require.NoError(s.t, xxladapter.RemoveJob(s.t.Context(), s.store, j.ID))
	}
}

// TestExamplesAndFormatsAreTaken checks that the examples create a job, and that the formats in the
// description of scheduleConf are accepted.
func TestExamplesAndFormatsAreTaken(t *testing.T) {
	s := newSite(t)
	doc := loadDocument(t, s)
	properties := at(t, doc, "components", "schemas", "Job", "properties").(api.Object)
	body := api.Object{}
	for name, property := range properties {
		require.NotEmpty(t, property.(api.Object)["description"], name)
		if examples, ok := property.(api.Object)["examples"].([]any); ok {
			body[name] = examples[0]
		}
	}
	status, answer := s.do("POST", "/api/v1/groups", testToken, `{"appName":"billing"}`)
	require.Equal(t, http.StatusOK, status, answer)
	post := func() (int, string) {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		return s.do("POST", "/api/v1/jobs", testToken, string(data))
	}
	status, answer = post()
	require.Equal(t, http.StatusOK, status, answer)

	formats := regexp.MustCompile(`([A-Z_]+): [^.]*?, such as (.+?)\.(?: |$)`).FindAllStringSubmatch(properties["scheduleConf"].(api.Object)["description"].(string), -1)
	require.Len(t, formats, len(xxladapter.ScheduleType("").Values())-1, "all but NONE")
	for _, format := range formats {
		body["scheduleType"], body["scheduleConf"] = format[1], format[2]
		status, answer = post()
		require.Equal(t, http.StatusOK, status, "%v: %s", format, answer)
	}
}

// TestRequiredFieldsAreRequired checks that the fields that a body must have are those that the
// code requires.
func TestRequiredFieldsAreRequired(t *testing.T) {
	s := newSite(t)
	full := map[string]api.Object{
		"/api/v1/groups": {"appName": "billing"},
		"/api/v1/jobs":   {"name": "n", "author": "a", "appName": "billing", "executorHandler": "h"},
	}
	for _, path := range []string{"/api/v1/groups", "/api/v1/jobs"} {
		schema := at(t, loadDocument(t, s), "paths", path, "post", "requestBody", "content", "application/json", "schema").(api.Object)
		required := schema["allOf"].([]any)[1].(api.Object)["required"].([]any)
		require.NotEmpty(t, required)
		for _, missing := range required {
			body := maps.Clone(full[path])
			delete(body, missing.(string))
			data, err := json.Marshal(body)
			require.NoError(t, err)
			status, answer := s.do("POST", path, testToken, string(data))
			require.Equal(t, http.StatusBadRequest, status, answer)
			require.Contains(t, answer, missing)
		}
		data, err := json.Marshal(full[path])
		require.NoError(t, err)
		status, answer := s.do("POST", path, testToken, string(data))
		require.Equal(t, http.StatusOK, status, answer)
	}
}

func TestAllBrokenRulesAreReportedTogether(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	_, body := s.do("PUT", "/api/v1/jobs/1", testToken, `{"name":"","executorRouteStrategy":"BEST","executorFailRetryCount":-1,"settings":{"alarmAfter":-1}}`)
	for _, part := range []string{"name is empty", "executorRouteStrategy is ", "executorFailRetryCount is -1", "alarmAfter is -1"} {
		require.Contains(t, body, part)
	}
}
