package alarm

import (
	"bytes"
	"context"
	"strings"
)

// Slack writes to a channel through an incoming webhook, whose URL is the secret. Services that
// accept Slack's format, such as Mattermost, work too.
type Slack struct{ *poster }

// NewSlack checks the target; its URL is the incoming webhook.
func NewSlack(t Target) (*Slack, error) {
	p, err := newPoster("slack", t)
	if err != nil {
		return nil, err
	}
	return &Slack{p}, nil
}

// slackLimit limits the text, in bytes. It is well below the 40000 characters at which Slack
// truncates.
const slackLimit = 12000

// slackEscape replaces the characters that Slack requires to be escaped. Without angle brackets
// nothing is a link or mentions anybody.
var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Send implements [Channel]. Only the title is marked up.
func (s *Slack) Send(ctx context.Context, a *Alarm) error {
	title := strings.ReplaceAll(slackEscape.Replace(a.Title()), "*", "∗")
	text := slackEscape.Replace(strings.ReplaceAll(plainForm.write(a), "```", "'''"))
	body := map[string]any{
		"text": "*" + title + "*\n```\n" + cutText(text, slackLimit) + "\n```", "unfurl_links": false,
	}
	return s.post(ctx, body, nil, func(reply []byte) error {
		if string(bytes.TrimSpace(reply)) != "ok" {
			return finalf(`answer is not "ok": %s`, excerpt(reply))
		}
		return nil
	})
}
