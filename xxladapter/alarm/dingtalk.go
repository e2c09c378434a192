package alarm

import (
	"context"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"
)

// DingTalk writes to a group through a custom robot. If there is a secret it signs its requests,
// for the robot's "additional signature".
type DingTalk struct{ *poster }

// NewDingTalk checks the target; its URL is the robot's webhook.
func NewDingTalk(t Target) (*DingTalk, error) {
	p, err := newPoster("dingtalk", t)
	if err != nil {
		return nil, err
	}
	return &DingTalk{p}, nil
}

// dingTalkLimit limits the text, as JSON. With the title and the JSON around it, the message is
// within DingTalk's 20000 bytes.
const dingTalkLimit = 17000

// dingTalkBusy is the error code for too many messages in a minute.
const dingTalkBusy = 130101

var dingTalkForm = markdown(markup.Replace)

// Send implements [Channel].
func (d *DingTalk) Send(ctx context.Context, a *Alarm) error {
	title := a.Title()
	text := "### " + markup.Replace(title) + "\n\n" + dingTalkForm.write(a)
	body := map[string]any{
		"msgtype":  "markdown",
		"markdown": map[string]string{"title": title, "text": cutJSON(text, dingTalkLimit, len(`\n`))},
	}
	return d.post(
		ctx, body, d.sign, func(reply []byte) error { return checkErrCode(reply, platformBusy, dingTalkBusy) },
	)
}

// sign adds the time in milliseconds and the signature to the query.
func (d *DingTalk) sign(r *http.Request, _ []byte) {
	if d.secret == "" {
		return
	}
	timestamp := strconv.FormatInt(time.Now().UnixMilli(), 10)
	query := r.URL.Query()
	query.Set("timestamp", timestamp)
	query.Set("sign", dingTalkSign(timestamp, d.secret))
	r.URL.RawQuery = query.Encode()
}

// dingTalkSign returns the HMAC-SHA256 of time, line feed and secret, keyed by the secret.
func dingTalkSign(timestamp, secret string) string {
	return base64.StdEncoding.EncodeToString(hmacSHA256(secret, timestamp+"\n"+secret))
}
