package alarm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Feishu writes to a group of Feishu or Lark through a custom robot. If there is a secret it signs
// its messages, for the robot's "signature verification".
type Feishu struct{ *poster }

// NewFeishu checks the target; its URL is the robot's webhook.
func NewFeishu(t Target) (*Feishu, error) {
	p, err := newPoster("feishu", t)
	if err != nil {
		return nil, err
	}
	return &Feishu{p}, nil
}

// feishuLimit limits the lines, as JSON. With the title and the JSON around it, the message is
// within Feishu's 20 KB.
const feishuLimit = 17000

// feishuLine is what each line adds to the JSON.
const feishuLine = `[{"tag":"text","text":""}],`

// feishuBusy lists the error codes for too many messages in a second or a minute.
var feishuBusy = []int{9499, 11232}

// Send implements [Channel]. Feishu shows the text elements of a post as they are, so that nothing
// in them mentions a person or becomes a link.
func (f *Feishu) Send(ctx context.Context, a *Alarm) error {
	type element struct {
		Tag  string `json:"tag"`
		Text string `json:"text"`
	}
	var lines [][]element
	for line := range strings.SplitSeq(cutJSON(plainForm.write(a), feishuLimit, len(feishuLine)), "\n") {
		lines = append(lines, []element{{"text", line}})
	}
	body := map[string]any{
		"msg_type": "post",
		"content": map[string]any{
			"post": map[string]any{"zh_cn": map[string]any{"title": a.Title(), "content": lines}},
		},
	}
	if f.secret != "" {
		timestamp := strconv.FormatInt(time.Now().Unix(), 10)
		body["timestamp"], body["sign"] = timestamp, feishuSign(timestamp, f.secret)
	}
	return f.post(ctx, body, nil, checkFeishu)
}

// feishuSign returns the HMAC-SHA256 of the empty text, keyed by time in seconds, line feed and
// secret.
func feishuSign(timestamp, secret string) string {
	return base64.StdEncoding.EncodeToString(hmacSHA256(timestamp+"\n"+secret, ""))
}

// checkFeishu checks the answer, which has its code under one of two names.
func checkFeishu(reply []byte) error {
	var r struct {
		Code   *int   `json:"code"`
		Msg    string `json:"msg"`
		Status *int   `json:"StatusCode"`
		Text   string `json:"StatusMessage"`
	}
	err := json.Unmarshal(reply, &r)
	switch {
	case err == nil && r.Code != nil:
		return checkCode("code", *r.Code, r.Msg, feishuBusy)
	case err == nil && r.Status != nil:
		return checkCode("StatusCode", *r.Status, r.Text, feishuBusy)
	}
	return finalf("answer has no code: %s", excerpt(reply))
}
