// Package alarm reports failed runs to people: by mail, webhook, DingTalk, Feishu, WeCom and Slack,
// at once or by a rule of the job. Each failure is reported once, although several schedulers poll
// for failures and any of them may die.
//
// The rule (rule.go) and the pace (pace.go) are functions of their arguments. A [Monitor] reads the
// store, applies them, and hands the resulting messages to the [Channel]s. Only the store records
// what has been reported; DESIGN.md says how that survives a crash, and when a message is sent
// twice.
package alarm
