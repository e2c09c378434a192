package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A question is a request to the API that a Java admin has for executors, by the name of its
// recording.
type question struct{ name, method, operation, token, body string }

const (
	goodRegistry = `{"registryGroup":"EXECUTOR","registryKey":"some-app","registryValue":"http://10.0.0.7:9999/"}`
	goodCallback = `[{"logId":999999,"logDateTim":1767225600123,"handleCode":200}]`
)

var adminQuestions = []question{
	{"registry", "POST", "registry", javaToken, goodRegistry},
	{"registry-no-token", "POST", "registry", "", goodRegistry},
	{"registry-wrong-token", "POST", "registry", "wrong", goodRegistry},
	{"registry-empty", "POST", "registry", javaToken, ""},
	{"registry-malformed", "POST", "registry", javaToken, `{"registryGroup":`},
	{"registry-null", "POST", "registry", javaToken, `null`},
	{"registry-list", "POST", "registry", javaToken, `[]`},
	{"registry-no-fields", "POST", "registry", javaToken, `{}`},
	{"registry-blank-app", "POST", "registry", javaToken, strings.Replace(goodRegistry, "some-app", " ", 1)},
	{"registry-unknown-field", "POST", "registry", javaToken, strings.Replace(goodRegistry, "{", `{"more":1,`, 1)},
	{"registry-unknown-app", "POST", "registry", javaToken, strings.Replace(goodRegistry, "some", "no-such", 1)},
	{"registry-get", "GET", "registry", javaToken, ""},
	{"registryRemove", "POST", "registryRemove", javaToken, goodRegistry},
	{"registryRemove-again", "POST", "registryRemove", javaToken, goodRegistry},
	{"registryRemove-wrong-token", "POST", "registryRemove", "wrong", goodRegistry},
	{"registryRemove-malformed", "POST", "registryRemove", javaToken, `{"registryGroup":`},
	{"callback-unknown-run", "POST", "callback", javaToken, goodCallback},
	{"callback-none", "POST", "callback", javaToken, `[]`},
	{"callback-no-token", "POST", "callback", "", goodCallback},
	{"callback-wrong-token", "POST", "callback", "wrong", goodCallback},
	{"callback-malformed", "POST", "callback", javaToken, `[{"logId":`},
	{"callback-object", "POST", "callback", javaToken, `{"callbackList":` + goodCallback + `}`},
	{"callback-no-number", "POST", "callback", javaToken, `[{"logId":"abc"}]`},
	{"unknown-operation", "POST", "nosuch", javaToken, `{}`},
	{"unknown-operation-wrong-token", "POST", "nosuch", "wrong", `{}`},
}

// ask sends the question and returns the bytes of the request and of the reply.
func (q question) ask(t *testing.T, address string) (exchange []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	var request bytes.Buffer
	fmt.Fprintf(&request, "%s /xxl-job-admin/api/%s HTTP/1.1\r\nHost: %s\r\n", q.method, q.operation, address)
	if q.token != "" {
		fmt.Fprintf(&request, "XXL-JOB-ACCESS-TOKEN: %s\r\n", q.token)
	}
	fmt.Fprintf(&request, "Content-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		wire.ContentType, len(q.body), q.body)
	_, err = conn.Write(request.Bytes())
	require.NoError(t, err)
	reply, err := io.ReadAll(conn)
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(reply)), nil)
	require.NoError(t, err, q.name)
	require.NoError(t, resp.Body.Close())
	return append(request.Bytes(), reply...)
}
