package alarm

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// here lets channels reach this machine, where the receivers of the tests are.
var here = Guard{Private: true}

// A receiver is what a channel posts to. It keeps the requests and gives the configured answers.
type receiver struct {
	*httptest.Server
	requests []*http.Request
	bodies   [][]byte
}

func receive(t *testing.T, answers ...func(w http.ResponseWriter)) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		answer := answers[min(len(r.requests), len(answers)-1)]
		r.requests, r.bodies = append(r.requests, req), append(r.bodies, body)
		answer(w)
	}))
	t.Cleanup(r.Close)
	return r
}

func says(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// quick shortens the pauses between attempts to a millisecond.
func quick(t *testing.T) {
	before := backoff
	backoff = []time.Duration{time.Millisecond, time.Millisecond}
	t.Cleanup(func() { backoff = before })
}

// hostile returns an alarm in which everything that others may write is an attack on some markup.
func hostile() *Alarm {
	return &Alarm{
		ID: "failed-7", Kind: Failed, At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Source: "node-1",
		Emails: []string{"a@example.org"},
		Jobs: []Job{{
			ID: 3, Name: "<script>alert(1)</script>\nBcc: x@example.org", App: "<!channel>", Author: "**a**", InARow: 4,
			Runs: []Run{{
				LogID: 7, At: time.Date(2026, 3, 1, 11, 59, 58, 0, time.UTC), Address: "http://exec/", Code: 500,
				Param: "`[click](http://evil.example)`", Reason: "<@everyone> & ```\n<at user_id=\"all\"></at>\n# big",
			}},
		}},
		MoreRuns: 57,
	}
}

func mac(key, text string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(text))
	return h.Sum(nil)
}

func near(t *testing.T, seconds int64) {
	t.Helper()
	require.InDelta(t, time.Now().Unix(), seconds, 5)
}

func TestWebhook(t *testing.T) {
	r := receive(t, says(204, ""))
	w, err := NewWebhook(Target{URL: r.URL + "/hook?key=v", Secret: "s3cret-of-mine", Guard: here})
	require.NoError(t, err)
	require.Equal(t, "webhook", w.Name())
	require.NoError(t, w.Send(t.Context(), hostile()))
	req := r.requests[0]
	require.Equal(t, "POST", req.Method)
	require.Equal(t, "/hook?key=v", req.RequestURI)
	require.Equal(t, "application/json; charset=utf-8", req.Header.Get("Content-Type"))
	timestamp := req.Header.Get("X-Xxlwheel-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	require.NoError(t, err)
	near(t, seconds)
	require.Equal(t, "sha256="+hex.EncodeToString(mac("s3cret-of-mine", timestamp+"."+string(r.bodies[0]))), req.Header.Get("X-Xxlwheel-Signature"))

	var got struct {
		ID, Kind, Source, Title, Text string
		At                            time.Time
		MoreRuns                      int
		Jobs                          []struct {
			ID     int64
			Name   string
			InARow int
			Runs   []struct {
				LogID int64
				Code  int
			}
		}
	}
	require.NoError(t, json.Unmarshal(r.bodies[0], &got))
	require.Equal(t, "failed-7", got.ID)
	require.Equal(t, "failed", got.Kind)
	require.Equal(t, 57, got.MoreRuns)
	require.Equal(t, hostile().Jobs[0].Name, got.Jobs[0].Name, "JSON needs no other escaping")
	require.Equal(t, int64(7), got.Jobs[0].Runs[0].LogID)
	require.Contains(t, got.Title, "58 runs")
	require.Contains(t, got.Text, "and 57 more")
	require.NotContains(t, string(r.bodies[0]), "a@example.org", "no channel but mail shows the receivers of mails")

	plain, err := NewWebhook(Target{Name: "other", URL: r.URL, Guard: here})
	require.NoError(t, err)
	require.Equal(t, "other", plain.Name())
	require.NoError(t, plain.Send(t.Context(), hostile()))
	require.Empty(t, r.requests[1].Header.Get("X-Xxlwheel-Signature"))
}

func TestDingTalk(t *testing.T) {
	// Computed independently of this code: openssl dgst -sha256 -hmac.
	require.Equal(t, "jcUpW0QmtKduN03n4JqQ0PBosVjqnM8gU7fIIvsDmCM=", dingTalkSign("1700000000000", "SECabc"))

	r := receive(t, says(200, `{"errcode":0,"errmsg":"ok"}`))
	d, err := NewDingTalk(Target{URL: r.URL + "/robot/send?access_token=abcdef0123", Secret: "SECabc", Guard: here})
	require.NoError(t, err)
	require.NoError(t, d.Send(t.Context(), hostile()))
	query := r.requests[0].URL.Query()
	require.Equal(t, "abcdef0123", query.Get("access_token"))
	ms, err := strconv.ParseInt(query.Get("timestamp"), 10, 64)
	require.NoError(t, err)
	near(t, ms/1000)
	require.Equal(t, base64.StdEncoding.EncodeToString(mac("SECabc", query.Get("timestamp")+"\nSECabc")), query.Get("sign"))
	require.NotContains(t, r.requests[0].URL.RawQuery, "=="+"&", "the signature is escaped")

	var body struct {
		MsgType  string
		Markdown struct{ Title, Text string }
	}
	require.NoError(t, json.Unmarshal(r.bodies[0], &body))
	require.Equal(t, "markdown", body.MsgType)
	require.Contains(t, body.Markdown.Text, "and 57 more")
	for _, raw := range []string{"<script>", "<@", "click](http", "**a**", "\n# big", "\n> # big"} {
		require.NotContains(t, body.Markdown.Text, raw)
	}
	require.LessOrEqual(t, len(r.bodies[0]), 20000)
}

func TestFeishu(t *testing.T) {
	// Computed independently of this code: openssl dgst -sha256 -hmac, of an empty text.
	require.Equal(t, "VIS10b0EBvzzSdFnuk4tznEmK5wHaruvf/WnViv2yR4=", feishuSign("1700000000", "abc"))

	for _, answer := range []string{`{"code":0,"msg":"success","data":{}}`, `{"StatusCode":0,"StatusMessage":"success"}`} {
		r := receive(t, says(200, answer))
		f, err := NewFeishu(Target{URL: r.URL + "/open-apis/bot/v2/hook/0123-4567", Secret: "abc", Guard: here})
		require.NoError(t, err)
		require.NoError(t, f.Send(t.Context(), hostile()))
		var body struct {
			Timestamp, Sign string
			MsgType         string `json:"msg_type"`
			Content         struct {
				Post map[string]struct {
					Title   string
					Content [][]struct{ Tag, Text string }
				}
			}
		}
		require.NoError(t, json.Unmarshal(r.bodies[0], &body))
		require.Equal(t, "post", body.MsgType)
		seconds, err := strconv.ParseInt(body.Timestamp, 10, 64)
		require.NoError(t, err)
		near(t, seconds)
		require.Equal(t, base64.StdEncoding.EncodeToString(mac(body.Timestamp+"\nabc", "")), body.Sign)
		require.Contains(t, body.Content.Post["zh_cn"].Title, "58 runs")
		for _, line := range body.Content.Post["zh_cn"].Content {
			require.Equal(t, "text", line[0].Tag, "nothing that calls anybody")
		}
	}
}

func TestWeCom(t *testing.T) {
	r := receive(t, says(200, `{"errcode":0,"errmsg":"ok"}`))
	w, err := NewWeCom(Target{URL: r.URL + "/cgi-bin/webhook/send?key=0123-4567", Guard: here})
	require.NoError(t, err)
	a := hostile()
	a.Jobs[0].Runs[0].Reason += strings.Repeat("長", 5000)
	require.NoError(t, w.Send(t.Context(), a))
	var body struct {
		MsgType  string
		Markdown struct{ Content string }
	}
	require.NoError(t, json.Unmarshal(r.bodies[0], &body))
	require.Equal(t, "markdown", body.MsgType)
	require.LessOrEqual(t, len(body.Markdown.Content), 4096)
	require.NotContains(t, body.Markdown.Content, "<")
	require.NotContains(t, body.Markdown.Content, "\uFFFD")
}

func TestSlack(t *testing.T) {
	r := receive(t, says(200, "ok"))
	s, err := NewSlack(Target{URL: r.URL + "/services/T/B/xyz", Guard: here})
	require.NoError(t, err)
	require.NoError(t, s.Send(t.Context(), hostile()))
	var body struct{ Text string }
	require.NoError(t, json.Unmarshal(r.bodies[0], &body))
	require.NotContains(t, body.Text, "<")
	require.Contains(t, body.Text, "&lt;!channel&gt;")
	require.Equal(t, 2, strings.Count(body.Text, "```"), "nothing gets out of the block")
}

// TestAnswersAreRead checks what each answer means: robots may refuse with status 200.
func TestAnswersAreRead(t *testing.T) {
	quick(t)
	channels := map[string]func(Target) (Channel, error){
		"webhook":  func(t Target) (Channel, error) { return NewWebhook(t) },
		"dingtalk": func(t Target) (Channel, error) { return NewDingTalk(t) },
		"feishu":   func(t Target) (Channel, error) { return NewFeishu(t) },
		"wecom":    func(t Target) (Channel, error) { return NewWeCom(t) },
		"slack":    func(t Target) (Channel, error) { return NewSlack(t) },
	}
	const secret, token = "the-secret-of-the-robot", "the-token-in-the-url"
	for _, tt := range []struct {
		kind     string
		status   int
		answer   string
		err      string // empty means that it was accepted
		attempts int
	}{
		{"webhook", 200, "", "", 1},
		{"webhook", 500, "oops", "answer 500 Internal Server Error: oops", 3},
		{"webhook", 429, "", "answer 429", 3},
		{"webhook", 404, "no such hook " + token, "answer 404 Not Found: no such hook ***", 1},
		{"webhook", 401, "not signed with " + secret, "not signed with ***", 1},
		{"webhook", 302, "", "redirects are not followed", 1},
		{"dingtalk", 200, `{"errcode":310000,"errmsg":"sign not match\nmore"}`, "answer has errcode 310000: sign not match more", 1},
		{"dingtalk", 200, `{"errcode":130101,"errmsg":"send too fast"}`, "130101", 3},
		{"dingtalk", 200, `{}`, "answer has no errcode: {}", 1},
		{"dingtalk", 200, `<html>`, "answer has no errcode: <html>", 1},
		{"dingtalk", 500, `{"errcode":0}`, "answer 500", 3},
		{"feishu", 200, `{"code":19021,"msg":"sign match fail"}`, "answer has code 19021: sign match fail", 1},
		{"feishu", 200, `{"code":11232,"msg":"frequency limited"}`, "11232", 3},
		{"feishu", 200, `{"StatusCode":5,"StatusMessage":"no"}`, "answer has StatusCode 5: no", 1},
		{"feishu", 200, `null`, "answer has no code: null", 1},
		{"wecom", 200, `{"errcode":93000,"errmsg":"invalid webhook url"}`, "93000", 1},
		{"wecom", 200, `{"errcode":45009,"errmsg":"api freq out of limit"}`, "45009", 3},
		{"slack", 200, "invalid_payload", `answer is not "ok": invalid_payload`, 1},
		{"slack", 403, "invalid_token", "answer 403 Forbidden: invalid_token", 1},
		{"slack", 200, "ok\n", "", 1},
	} {
		t.Run(tt.kind+" "+strconv.Itoa(tt.status)+" "+tt.answer, func(t *testing.T) {
			r := receive(t, func(w http.ResponseWriter) {
				w.Header().Set("Location", "/elsewhere")
				says(tt.status, tt.answer)(w)
			})
			channel, err := channels[tt.kind](Target{URL: r.URL + "/hook/" + token + "?token=" + token, Secret: secret, Guard: here})
			require.NoError(t, err)
			err = channel.Send(t.Context(), hostile())
			require.Len(t, r.requests, tt.attempts)
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.err)
			require.NotContains(t, err.Error(), token)
			require.NotContains(t, err.Error(), secret)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// TestNoAnswerBringsASecretBack posts to a target that repeats what it was sent: whole, in parts,
// as sent on the wire, or where the text is truncated.
func TestNoAnswerBringsASecretBack(t *testing.T) {
	quick(t)
	const secret, short, token = "the-secret-of-the-robot", "s3c", "the token/in the-url"
	const query, name = "a query/with it", "one-without-a-value"
	escaped := url.PathEscape(token)
	var answer func(http.ResponseWriter)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
	defer srv.Close()
	at := strings.Replace(srv.URL, "http://", "http://bob:the-password@", 1) + "/hook/" + escaped + "?key=" + url.QueryEscape(query) + "&" + name
	for sign, parts := range map[string][]string{
		secret: {"the-secr"}, short: {short},
		"the-password-and-more": {"and-more"}, // another secret is part of it
	} {
		d, err := NewDingTalk(Target{URL: at, Secret: sign, Guard: here})
		require.NoError(t, err)
		parts = append(parts, "the-pass", "the token", "in the-u", "the%20", "in%20", "a query", "a+que", "one-with")
		for _, text := range []string{
			sign, token, escaped, query, url.QueryEscape(query), name, "key=" + url.QueryEscape(query), "/hook/" + escaped, "bob:the-password", "the-password",
			`{"errcode":1,"errmsg":"` + token + `"}`,
		} {
			for _, fill := range []int{0, 170, 190, 270, 290, maxReason, maxReply - 10} {
				for _, status := range []int{200, 404} {
					answer = says(status, strings.Repeat("x", fill)+text)
					err := d.Send(t.Context(), hostile())
					require.Error(t, err)
					for _, part := range parts {
						require.NotContains(t, err.Error(), part, "%d %d %s", status, fill, text)
					}
					require.LessOrEqual(t, len(err.Error()), maxReason+len("post to 255.255.255.255:65535: "))
				}
			}
		}
	}
}

func TestAnotherAttemptMaySucceed(t *testing.T) {
	quick(t)
	r := receive(t, says(503, ""), says(200, `{"errcode":130101,"errmsg":"fast"}`), says(200, `{"errcode":0}`))
	d, err := NewDingTalk(Target{URL: r.URL, Guard: here})
	require.NoError(t, err)
	require.NoError(t, d.Send(t.Context(), hostile()))
	require.Len(t, r.requests, 3)
}

func TestAnUnreachableTargetIsNamedWithoutItsSecrets(t *testing.T) {
	quick(t)
	const addr = testserver.Refuses
	s, err := NewSlack(Target{URL: "http://user:password@" + addr + "/services/T0000/B0000/XXXXXXXX", Guard: here})
	require.NoError(t, err)
	err = s.Send(t.Context(), hostile())
	require.ErrorContains(t, err, addr)
	require.ErrorContains(t, err, "connection refused")
	for _, secret := range []string{"services", "XXXXXXXX", "password"} {
		require.NotContains(t, err.Error(), secret)
	}
}

func TestWrongTargets(t *testing.T) {
	for _, tt := range []struct {
		url   string
		guard Guard
		err   string
	}{
		{"", Guard{}, "slack URL is empty, must be set"},
		{"hooks.slack.com/services/secret", Guard{}, "slack URL has no scheme, must begin with http:// or https://"},
		{"ftp://example.org/secret", Guard{}, `slack URL begins with "ftp:"`},
		{"https:///secret", Guard{}, "slack URL has no host"},
		{"https://example.org/%zz-secret", Guard{}, "slack URL cannot be read"},
		{"https://example.org/secret", Guard{Hosts: []string{"hooks.slack.com"}}, "host example.org is not among the allowed hosts"},
	} {
		_, err := NewSlack(Target{URL: tt.url, Guard: tt.guard})
		require.ErrorContains(t, err, tt.err)
		require.NotContains(t, err.Error(), "secret")
		var invalid *xxladapter.Error
		require.ErrorAs(t, err, &invalid)
	}
}

func TestGuardAddresses(t *testing.T) {
	private := Guard{Private: true}
	some := Guard{Nets: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::ffff:169.254.10.0/120")}}
	for _, tt := range []struct {
		addr                   string
		public, private, named bool
	}{
		{"93.184.216.34", true, true, true},
		{"2606:2800:220:1::1", true, true, true},
		{"8.8.8.8", true, true, true},

		{"127.0.0.1", false, true, false},
		{"::1", false, true, false},
		{"10.2.3.4", false, true, false},
		{"10.1.3.4", false, true, true},
		{"172.31.0.1", false, true, false},
		{"172.32.0.1", true, true, true},
		{"192.168.1.1", false, true, false},
		{"100.64.0.1", false, true, false},
		{"fd12::1", false, true, false},

		{"169.254.169.254", false, false, false},
		{"169.254.10.1", false, false, true},
		{"fe80::1", false, false, false},
		{"fe80::1%eth0", false, false, false},
		{"fd00:ec2::254", false, false, false},
		{"fd00:ec2::23", false, false, false},
		{"fd20:ce::254", false, false, false},
		{"fd00:c1::a9fe:a9fe", false, false, false},
		{"fd00:42::42", false, false, false},
		{"100.100.100.200", false, false, false},
		{"168.63.129.16", false, false, false},
		{"192.0.0.192", false, false, false},
		{"0.0.0.0", false, false, false},
		{"::", false, false, false},
		{"224.0.0.1", false, false, false},
		{"255.255.255.255", false, false, false},
		{"ff02::1", false, false, false},

		// The same addresses in disguise.
		{"::ffff:169.254.169.254", false, false, false},
		{"::ffff:127.0.0.1", false, true, false},
		{"64:ff9b::a9fe:a9fe", false, false, false},
		{"64:ff9b::808:808", true, true, true},
		{"64:ff9b:1::808:808", true, true, true},
		{"64:ff9b:1:808:8:800::", true, true, true},
		{"64:ff9b:1:7f00:0:100:808:808", false, true, false},
		{"64:ff9b:1:a9fe:a9:fe00:808:808", false, false, false},
		{"64:ff9b:1:0:a9:fea9:fe08:808", false, false, false},
		{"2002:7f00:1::", false, true, false},
		{"2002:a9fe:a9fe::1", false, false, false},
		{"::7f00:1", false, true, false},
	} {
		addr := netip.MustParseAddr(tt.addr)
		for guard, allowed := range map[*Guard]bool{{}: tt.public, &private: tt.private, &some: tt.named} {
			require.Equal(t, allowed, guard.checkAddr(addr) == nil, "%s %+v", tt.addr, guard)
		}
	}
}

func TestGuardHosts(t *testing.T) {
	g := Guard{Hosts: []string{"Hooks.example.org", "*.example.com"}}
	for host, allowed := range map[string]bool{
		"hooks.example.org": true, "HOOKS.example.org.": true, "a.example.com": true, "a.b.example.com": true,
		"example.com": false, "example.org": false, "badexample.com": false, "hooks.example.org.evil.net": false,
	} {
		require.Equal(t, allowed, g.checkHost(host) == nil, host)
	}
}

// TestTheGuardSitsInTheDialer checks that a name that resolves to this machine is refused at once,
// although nothing in the URL shows it.
func TestTheGuardSitsInTheDialer(t *testing.T) {
	r := receive(t, says(200, "ok"))
	u, err := url.Parse(r.URL)
	require.NoError(t, err)
	for _, host := range []string{"127.0.0.1", "localhost"} {
		w, err := NewWebhook(Target{URL: "http://" + net.JoinHostPort(host, u.Port())})
		require.NoError(t, err)
		start := time.Now()
		err = w.Send(t.Context(), hostile())
		require.ErrorContains(t, err, "is loopback or private: not allowed")
		require.Less(t, time.Since(start), backoff[0], "no second attempt")
	}
	require.Empty(t, r.requests)
}

func TestARedirectIsNotFollowed(t *testing.T) {
	inner := receive(t, says(200, "ok"))
	outer := receive(t, func(w http.ResponseWriter) {
		w.Header().Set("Location", inner.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	w, err := NewWebhook(Target{URL: outer.URL, Guard: here})
	require.NoError(t, err)
	require.ErrorContains(t, w.Send(t.Context(), hostile()), "redirects are not followed")
	require.Empty(t, inner.requests)
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	g := Guard{}
	require.Nil(t, g.client().Transport.(*http.Transport).Proxy)
}

func TestAnEndlessAnswerIsCut(t *testing.T) {
	const most = 256 << 20
	var written atomic.Int64
	r := receive(t, func(w http.ResponseWriter) {
		_, _ = w.Write([]byte(`{"errcode":1,"errmsg":"`))
		for chunk := bytes.Repeat([]byte("x"), 1<<16); written.Load() < most; {
			n, err := w.Write(chunk)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	d, err := NewDingTalk(Target{URL: r.URL, Guard: here})
	require.NoError(t, err)
	err = d.Send(t.Context(), hostile())
	require.ErrorContains(t, err, "answer has no errcode")
	require.Less(t, len(err.Error()), 400)
	r.Close() // waits for the handler
	require.Less(t, written.Load(), int64(most), "it was cut off")
}

func TestRetryPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		err := retry(t.Context(), func(ctx context.Context) error {
			at = append(at, time.Since(start))
			deadline, ok := ctx.Deadline()
			require.True(t, ok)
			require.Equal(t, attemptLimit, time.Until(deadline))
			return errDown
		})
		require.ErrorIs(t, err, errDown)
		require.Equal(t, []time.Duration{0, backoff[0], backoff[0] + backoff[1]}, at)

		ctx, cancel := context.WithTimeout(t.Context(), backoff[0]/2)
		defer cancel()
		start = time.Now()
		require.ErrorIs(t, retry(ctx, func(context.Context) error { return errDown }), errDown)
		require.Equal(t, backoff[0]/2, time.Since(start))
	})
}

func TestTheLongestSendFitsIntoItsLimits(t *testing.T) {
	longest := attemptLimit
	for _, pause := range backoff {
		longest += pause + attemptLimit
	}
	require.LessOrEqual(t, longest, sendLimit)
	require.LessOrEqual(t, 2*sendLimit+storeLimit, notifyLimit, "a failure and its recovery")
	require.Less(t, notifyLimit, claimLife)
}

// TestAMessageFitsWhateverIsInIt sends texts that JSON makes much longer: short lines, of which
// each is an element of its own for Feishu, and characters that are escaped.
func TestAMessageFitsWhateverIsInIt(t *testing.T) {
	const limit = 20000
	for _, reason := range []string{"1\n", "<", "\"\n", "長", "\t"} {
		a := hostile()
		a.Jobs[0].Name = strings.Repeat("<", 255)
		a.Jobs[0].Runs[0].Reason = strings.Repeat(reason, 1500/len(reason))
		for range jobsShown - 1 {
			a.Jobs = append(a.Jobs, a.Jobs[0])
		}
		r := receive(t, says(200, `{"errcode":0,"code":0}`))
		d, err := NewDingTalk(Target{URL: r.URL, Guard: here})
		require.NoError(t, err)
		require.NoError(t, d.Send(t.Context(), a))
		f, err := NewFeishu(Target{URL: r.URL, Secret: "abc", Guard: here})
		require.NoError(t, err)
		require.NoError(t, f.Send(t.Context(), a))
		for i, body := range r.bodies {
			require.LessOrEqual(t, len(body), limit, "message %d with %q", i, reason)
			require.Greater(t, len(body), limit*3/4, "message %d with %q", i, reason)
		}
	}
}
