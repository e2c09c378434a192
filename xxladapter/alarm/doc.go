// Package alarm tells people of failed runs: by mail, webhook, DingTalk, Feishu,
// WeCom and Slack, at once or by a rule of the job, and once although several
// schedulers look and any of them may die.
//
// The rule (rule.go) and the pace (pace.go) are functions of their arguments. A
// [Monitor] reads the store, asks them, and hands what they say to the
// [Channel]s. What has been told stands in the store alone; DESIGN.md says how
// that survives a crash, and where its limit is.
package alarm
