package alarm

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A Target is where a channel posts to.
type Target struct {
	// Name distinguishes several channels of a kind; empty means the kind.
	Name string
	// URL is http or https. Anybody who knows a robot's URL can write to its group, so the URL is a
	// secret, and errors show only its host.
	URL string
	// Secret signs the requests of [Webhook], [DingTalk] and [Feishu]; the others ignore it. Empty
	// means unsigned.
	Secret string
	Guard  Guard // the zero value allows every host with a public address
}

// maxReply limits how much of an answer is read, in bytes.
const maxReply = 64 << 10

// A poster posts JSON to one target.
type poster struct {
	name   string
	url    *url.URL
	secret string
	guard  Guard
	client *http.Client
}

// newPoster checks a target. The error names the kind and the fault, and shows nothing of a secret
// URL.
func newPoster(kind string, t Target) (*poster, error) {
	field := kind + " URL"
	u, err := url.Parse(t.URL)
	switch {
	case t.URL == "":
		return nil, xxladapter.Invalidf(errorrule.Missing, "%s is empty, must be set", field)
	case err != nil:
		return nil, xxladapter.Invalidf(errorrule.WebURL, "%s cannot be read, must be like https://example.org/path", field)
	case u.Scheme == "":
		return nil, xxladapter.Invalidf(errorrule.WebURL, "%s has no scheme, must begin with http:// or https://", field)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, xxladapter.Invalidf(errorrule.WebURL, "%s begins with %q, must begin with http:// or https://",
			field, u.Scheme+":")
	case u.Hostname() == "":
		return nil, xxladapter.Invalidf(errorrule.WebURL, "%s has no host, must be like https://example.org/path", field)
	}
	if err := t.Guard.checkHost(u.Hostname()); err != nil {
		return nil, xxladapter.Invalidf(errorrule.WebHost, "%s: %v", field, err)
	}
	if t.Name == "" {
		t.Name = kind
	}
	return &poster{name: t.Name, url: u, secret: t.Secret, guard: t.Guard, client: t.Guard.client()}, nil
}

// Name implements [Channel].
func (p *poster) Name() string { return p.name }

// post sends body in a request that sign may change, and passes the body of a 2xx answer to check.
// A nil sign or check is skipped.
func (p *poster) post(
	ctx context.Context, body any, sign func(r *http.Request, body []byte), check func(reply []byte) error,
) error {
	text, err := json.Marshal(body)
	if err != nil {
		return finalf("encode alarm: %w", err)
	}
	return retry(ctx, func(ctx context.Context) error {
		err := p.attempt(ctx, text, sign, check)
		if err == nil {
			return nil
		}
		return p.conceal(err)
	})
}

func (p *poster) attempt(
	ctx context.Context, body []byte, sign func(*http.Request, []byte), check func([]byte) error,
) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url.String(), bytes.NewReader(body))
	if err != nil {
		return &finalError{err}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "xxlwheel")
	if sign != nil {
		sign(req, body)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return finalf("answer %s: redirects are not followed", resp.Status)
	case resp.StatusCode == http.StatusRequestTimeout, resp.StatusCode == http.StatusTooEarly,
		resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode >= 500:
		return fmt.Errorf("answer %s: %s", resp.Status, excerpt(reply))
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		return finalf("answer %s: %s", resp.Status, excerpt(reply))
	case err != nil:
		return fmt.Errorf("read answer: %w", err)
	case check == nil:
		return nil
	}
	return check(reply)
}

// maxReason limits how much of an answer an error shows, in bytes.
const maxReason = 300

// excerpt returns an answer on one line. It does not truncate: conceal does so after it has
// replaced the secrets, since half a secret would not be found.
func excerpt(reply []byte) string {
	return oneLine(strings.ToValidUTF8(string(bytes.TrimSpace(reply)), "?"))
}

// conceal returns the error without the URL and the secret, which the HTTP client and the answer
// may have added to it.
func (p *poster) conceal(err error) error {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	text := cutText(concealed(err.Error(), p.secrets()), maxReason)
	var final *finalError
	if errors.As(err, &final) {
		return finalf("post to %s: %s", p.url.Host, text)
	}
	return fmt.Errorf("post to %s: %s", p.url.Host, text)
}

// secrets returns the texts that must not be shown: the signing secret, the login, and the parts of
// the URL, both decoded and as sent.
func (p *poster) secrets() []string {
	parts := append(strings.Split(p.url.Path, "/"), strings.Split(p.url.EscapedPath(), "/")...)
	parts = append(parts, p.url.RequestURI(), p.url.Path, p.url.RawQuery)
	for name, values := range p.url.Query() {
		parts = append(append(parts, name), values...)
	}
	for pair := range strings.SplitSeq(p.url.RawQuery, "&") {
		_, value, _ := strings.Cut(pair, "=")
		parts = append(parts, value)
	}
	// Short parts are not secret, and replacing them would garble every message.
	parts = slices.DeleteFunc(parts, func(s string) bool { return len(s) < 8 })
	all := append(parts, p.secret)
	if p.url.User != nil {
		password, _ := p.url.User.Password()
		all = append(all, p.url.User.String(), password)
	}
	return all
}

// concealed replaces each secret in text by ***, the longest first, because one may be part of
// another.
func concealed(text string, secrets []string) string {
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

func hmacSHA256(key, text string) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text)) // never fails
	return mac.Sum(nil)
}

// platformBusy is the error code of DingTalk and WeCom for a failure of the platform itself.
// Another attempt may succeed.
const platformBusy = -1

// checkErrCode checks the answer of the robots of DingTalk and WeCom. later lists the codes after
// which another attempt may succeed.
func checkErrCode(reply []byte, later ...int) error {
	var r struct {
		Code *int   `json:"errcode"`
		Msg  string `json:"errmsg"`
	}
	if err := json.Unmarshal(reply, &r); err != nil || r.Code == nil {
		return finalf("answer has no errcode: %s", excerpt(reply))
	}
	return checkCode("errcode", *r.Code, r.Msg, later)
}

func checkCode(field string, code int, msg string, later []int) error {
	if code == 0 {
		return nil
	}
	err := fmt.Errorf("answer has %s %d: %s", field, code, excerpt([]byte(msg)))
	if slices.Contains(later, code) {
		return err
	}
	return &finalError{err}
}
