package alarm

import (
	"context"
	"strings"
)

// WeCom writes to a group of WeCom (WeChat Work) through a group robot. Its requests have no
// signature; the key in the URL is the secret.
type WeCom struct{ *poster }

// NewWeCom checks the target; its URL is the robot's webhook.
func NewWeCom(t Target) (*WeCom, error) {
	p, err := newPoster("wecom", t)
	if err != nil {
		return nil, err
	}
	return &WeCom{p}, nil
}

// weComLimit is the longest message that the robot accepts, in bytes.
const weComLimit = 4096

// weComBusy is the error code for too many messages in a minute.
const weComBusy = 45009

// weComForm escapes with similar-looking characters: the robot shows backslashes and entities as
// they are, and takes <@name> as a mention.
var weComForm = markdown(strings.NewReplacer("<", "‹", ">", "›", "`", "'", "[", "［", "]", "］", "*", "∗").Replace)

// Send implements [Channel].
func (w *WeCom) Send(ctx context.Context, a *Alarm) error {
	text := weComForm.heading(a.Title()) + "\n\n" + weComForm.write(a)
	body := map[string]any{"msgtype": "markdown", "markdown": map[string]string{"content": cutText(text, weComLimit)}}
	return w.post(ctx, body, nil, func(reply []byte) error { return checkErrCode(reply, platformBusy, weComBusy) })
}
