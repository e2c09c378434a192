package main

import (
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// javaToken is the token of a Java admin's own settings.
const javaToken = "default_token"

// A javaAdmin is a whole Java admin in a process of its own.
type javaAdmin struct {
	address string // host:port
	cmd     *exec.Cmd
}

// adminPath is where a Java admin serves: its default up to release 3.3.2, and a setting in later
// ones.
const adminPath = "/xxl-job-admin"

// base returns the address that executors are given.
func (a javaAdmin) base() string { return "http://" + a.address + adminPath }

// newJavaAdmin chooses an address for a Java admin that is not started yet.
func newJavaAdmin(t *testing.T) *javaAdmin {
	t.Helper()
	return &javaAdmin{address: "127.0.0.1:" + testserver.FreePort(t)}
}

// start starts the program on the database at store. When the test ends it is killed.
func (a *javaAdmin) start(t *testing.T, jar, store string) {
	t.Helper()
	u, err := url.Parse(store)
	require.NoError(t, err)
	password, _ := u.User.Password()
	_, port, err := net.SplitHostPort(a.address)
	require.NoError(t, err)
	a.cmd = exec.Command("java", "-Duser.timezone=UTC", "-jar", jar,
		"--server.address=127.0.0.1", "--server.port="+port, "--server.servlet.context-path="+adminPath,
		"--xxl.job.accessToken="+javaToken, "--xxl.job.i18n=en", "--xxl.job.timeout=30", "--logging.level.root=error",
		"--spring.datasource.username="+u.User.Username(), "--spring.datasource.password="+password,
		"--spring.datasource.url=jdbc:mysql://"+u.Host+u.Path+
			"?useUnicode=true&characterEncoding=UTF-8&serverTimezone=UTC")
	a.cmd.Dir = t.TempDir() // for its logs
	a.cmd.Stderr = t.Output()
	require.NoError(t, a.cmd.Start())
	t.Cleanup(func() {
		_ = a.cmd.Process.Kill() // a test may have stopped it
		_ = a.cmd.Wait()
	})
}

// A person is signed in at a Java admin.
type person struct {
	t      *testing.T
	base   string
	client *http.Client
}

func signIn(t *testing.T, admin *javaAdmin, release string) person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	p := person{t, admin.base(), &http.Client{Jar: jar, Timeout: time.Minute}}
	if strings.HasPrefix(release, "2.") {
		p.post("/login", "userName=md5", "password=a+password")
	} else {
		p.post("/auth/doLogin", "userName=sha256", "password=a+password")
	}
	return p
}

// post sends a form and returns the answer, whose code must be 200.
func (p person) post(path string, fields ...string) (answer string) {
	p.t.Helper()
	form := strings.NewReader(strings.Join(fields, "&"))
	resp, err := p.client.Post(p.base+path, "application/x-www-form-urlencoded", form)
	require.NoError(p.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(p.t, err)
	require.Contains(p.t, string(body), `"code":200`, path)
	return string(body)
}

// logRows are the rows of xxl_job_log.
type logRows struct {
	t  *testing.T
	db *sql.DB
}

func rowsOf(t *testing.T, store string) logRows {
	t.Helper()
	u, err := url.Parse(store)
	require.NoError(t, err)
	db, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)%s", u.User, u.Host, u.Path))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return logRows{t, db}
}

// until waits for a row.
func (r logRows) until(where string, id int64) {
	r.t.Helper()
	testserver.Eventually(r.t, 3*time.Minute, where, func() bool {
		n := 0
		require.NoError(r.t, r.db.QueryRow("SELECT COUNT(*) FROM xxl_job_log WHERE "+where, id).Scan(&n))
		return n > 0
	})
}
