package alarm

import (
	"context"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// A Webhook posts alarms as JSON: the fields of [Alarm], a title and a text. Any 2xx answer means
// that the alarm was accepted.
//
// If there is a secret, each request has X-Xxlwheel-Timestamp, in Unix seconds, and
// X-Xxlwheel-Signature: "sha256=" followed by the hexadecimal HMAC-SHA256 of timestamp, a dot and
// the body, keyed by the secret.
type Webhook struct{ *poster }

// NewWebhook checks the target.
func NewWebhook(t Target) (*Webhook, error) {
	p, err := newPoster("webhook", t)
	if err != nil {
		return nil, err
	}
	return &Webhook{p}, nil
}

// Send implements [Channel].
func (w *Webhook) Send(ctx context.Context, a *Alarm) error {
	body := struct {
		*Alarm
		Title string `json:"title"`
		Text  string `json:"text"`
	}{a, a.Title(), plainForm.write(a)}
	return w.post(ctx, body, w.sign, nil)
}

func (w *Webhook) sign(r *http.Request, body []byte) {
	if w.secret == "" {
		return
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("X-Xxlwheel-Timestamp", timestamp)
	r.Header.Set("X-Xxlwheel-Signature", "sha256="+hex.EncodeToString(hmacSHA256(w.secret, timestamp+"."+string(body))))
}
