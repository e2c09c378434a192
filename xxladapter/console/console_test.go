package console

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// get sends a request to a console whose API answers everything with "the api".
func get(t *testing.T, opts Options, path string, headers ...string) *http.Response {
	t.Helper()
	c, err := New(opts)
	require.NoError(t, err)
	api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the api") })
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	c.Around(api).ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, answer *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(data)
}

func TestEachPageIsTheDocument(t *testing.T) {
	link := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	for path, up := range map[string]string{"/console/": "", "/console/jobs": "", "/console/jobs/1": "../", "/console/jobs/1/edit": "../../"} {
		answer := get(t, Options{}, path)
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Equal(t, "text/html; charset=utf-8", answer.Header.Get("Content-Type"))
		require.Equal(t, "no-cache", answer.Header.Get("Cache-Control"))
		body := text(t, answer)
		links := link.FindAllStringSubmatch(body, -1)
		require.Len(t, links, 5, body)
		for _, l := range links {
			rest, relative := strings.CutPrefix(l[1], up)
			require.True(t, relative, "%s: %s", path, l[1])
			require.Equal(t, http.StatusOK, get(t, Options{}, Base+rest).StatusCode)
		}
	}
}

func TestAssetsAreKeptForEver(t *testing.T) {
	files, err := filepath.Glob("dist/assets/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		path := Base + "assets/" + filepath.Base(file)
		want, err := os.ReadFile(file)
		require.NoError(t, err)

		answer := get(t, Options{}, path)
		require.Equal(t, "public, max-age=31536000, immutable", answer.Header.Get("Cache-Control"))
		require.Empty(t, answer.Header.Get("Content-Encoding"))
		require.Equal(t, string(want), text(t, answer))

		answer = get(t, Options{}, path, "Accept-Encoding", "br, gzip;q=0.8")
		require.Equal(t, "gzip", answer.Header.Get("Content-Encoding"))
		plain, err := gzip.NewReader(answer.Body)
		require.NoError(t, err)
		unpacked, err := io.ReadAll(plain)
		require.NoError(t, err)
		require.Equal(t, string(want), string(unpacked))

		for _, refusal := range []string{"gzip;q=0", "gzip; q=0.000", "br"} {
			require.Empty(t, get(t, Options{}, path, "Accept-Encoding", refusal).Header.Get("Content-Encoding"), refusal)
		}
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	for _, path := range []string{"/console/assets/app-OLD.js", "/console/none.svg", "/console/assets/", "/console/assets/../index.htm"} {
		answer := get(t, Options{}, path)
		require.NotEqual(t, http.StatusOK, answer.StatusCode, path)
	}
	for _, path := range []string{"/api/v1/jobs", "/xxl-job-admin/api/registry", "/healthz"} {
		require.Equal(t, "the api", text(t, get(t, Options{}, path)))
	}
}

func TestThePolicyIsOnEveryAnswer(t *testing.T) {
	for _, path := range []string{"/", "/console/", "/console/jobs/1", "/console/none.svg", "/console/icon.svg", "/jobinfo"} {
		h := get(t, Options{}, path).Header
		require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; style-src 'self';", path)
		require.Contains(t, h.Get("Content-Security-Policy"), "require-trusted-types-for 'script'; trusted-types 'none'")
		require.NotContains(t, h.Get("Content-Security-Policy"), "unsafe")
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
		require.Equal(t, "same-origin", h.Get("Cross-Origin-Opener-Policy"))
		require.Equal(t, "same-origin", h.Get("Referrer-Policy"))
	}
}

// TestOldPathsLeadToThePagesOfTheSamePurpose resolves each Location as a browser does, with and
// without a prefix that a proxy removes.
func TestOldPathsLeadToThePagesOfTheSamePurpose(t *testing.T) {
	for path, want := range map[string]string{
		"/":                      "/console/",
		"/console":               "/console/",
		"/xxl-job-admin/":        "/console/",
		"/xxl-job-admin/jobinfo": "/console/jobs",
		"/jobinfo?jobGroup=3":    "/console/jobs?group=3",
		"/jobinfo?jobGroup=-1":   "/console/jobs",
		"/xxl-job-admin/joblog?jobGroup=2&jobId=7":   "/console/runs?group=2&job=7",
		"/joblog?jobId=0":                            "/console/runs",
		"/xxl-job-admin/joblog/logDetailPage?id=123": "/console/runs/123",
		"/joblog/logDetailPage?id=../../evil":        "/console/runs",
		"/jobgroup":                                  "/console/executors",
		"/jobcode?jobId=9":                           "/console/jobs/9/code",
		"/user":                                      "/console/users",
		"/xxl-job-admin/toLogin":                     "/console/login",
		"/help":                                      "/console/help",
		"/joblog?jobId=%2F%2Fevil.example&jobGroup=x%0A": "/console/runs",
	} {
		for _, prefix := range []string{"", "/ops/xxl"} {
			answer := get(t, Options{}, path)
			require.Equal(t, http.StatusFound, answer.StatusCode, path)
			at, err := http.NewRequest("GET", "http://host"+prefix+path, nil)
			require.NoError(t, err)
			to, err := at.URL.Parse(answer.Header.Get("Location"))
			require.NoError(t, err)
			require.Equal(t, "http://host"+prefix+want, to.String(), path)
		}
	}
}

func TestAFolderTakesThePlaceOfTheEmbeddedFiles(t *testing.T) {
	dir := t.TempDir()
	_, err := New(Options{Dir: dir})
	require.ErrorContains(t, err, "must have index.html")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "index.html"), []byte("mine {base}x"), 0o600))
	answer := get(t, Options{Dir: dir}, "/console/jobs/1", "Accept-Encoding", "gzip")
	require.Equal(t, "mine ../x", text(t, answer))
}
