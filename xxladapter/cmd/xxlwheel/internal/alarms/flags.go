package alarms

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

// Flags configure the channels through which failed runs are reported.
type Flags struct {
	SMTP             string   `name:"smtp" placeholder:"HOST[:PORT]" help:"Mail server for alarms (default port: 587 with starttls, 465 with implicit, else 25)."`
	SMTPUser         string   `name:"smtp-user" placeholder:"NAME" help:"User name for the login at the mail server (default: no login)."`
	SMTPPasswordFile string   `predictor:"file" name:"smtp-password-file" placeholder:"FILE" help:"File that contains the password of --alarm-smtp-user."`
	SMTPFrom         string   `name:"smtp-from" placeholder:"ADDRESS" help:"Sender of alarm mails."`
	SMTPTLS          string   `name:"smtp-tls" default:"starttls" enum:"starttls,opportunistic,implicit,none" placeholder:"POLICY" help:"TLS policy: starttls (default), opportunistic, implicit or none."`
	MailTo           []string `placeholder:"ADDRESS" help:"Receivers of every alarm mail, in addition to those of the job."`

	Webhook  []string `sep:"none" placeholder:"URL" help:"URL to post alarms to as JSON. The value is \"URL\", \"URL SECRET\" to sign, or @FILE with one of these on each line, as for the channels below; WeCom and Slack take no SECRET. May be repeated."`
	Dingtalk []string `sep:"none" placeholder:"URL" help:"Webhook of a DingTalk robot to post alarms to."`
	Feishu   []string `sep:"none" placeholder:"URL" help:"Webhook of a Feishu or Lark robot to post alarms to."`
	Wecom    []string `sep:"none" placeholder:"URL" help:"Webhook of a WeCom robot to post alarms to."`
	Slack    []string `sep:"none" placeholder:"URL" help:"Incoming webhook of Slack to post alarms to."`

	AllowHost    []string `placeholder:"HOST" help:"Only hosts allowed in these URLs, for example *.example.org (default: any)."`
	AllowNet     []string `placeholder:"NETWORK" help:"Non-public networks that these URLs may lead to, for example 10.1.0.0/16."`
	AllowPrivate bool     `help:"Allow these URLs to lead to this machine and to private networks."`
}

// Channels returns the channels that the flags describe, none if no channel is given.
func (f *Flags) Channels() ([]alarm.Channel, error) {
	var channels []alarm.Channel
	if f.SMTP != "" {
		mail, err := f.mail()
		if err != nil {
			return nil, err
		}
		channels = append(channels, mail)
	}
	for _, needs := range []struct {
		flag  string
		given bool
	}{
		{"smtp-user", f.SMTPUser != ""}, {"smtp-password-file", f.SMTPPasswordFile != ""},
		{"smtp-from", f.SMTPFrom != ""}, {"mail-to", len(f.MailTo) > 0},
	} {
		if needs.given && f.SMTP == "" {
			return nil, command.Usagef("--alarm-%s needs --alarm-smtp", needs.flag)
		}
	}
	nets, err := access.ParsePrefixes(f.AllowNet)
	if err != nil {
		return nil, command.Usagef("--alarm-allow-net: %v", err)
	}
	guard := alarm.Guard{Hosts: f.AllowHost, Nets: nets, Private: f.AllowPrivate}
	for _, kind := range []struct {
		name   string
		values []string
		signs  bool
		open   func(alarm.Target) (alarm.Channel, error)
	}{
		{"webhook", f.Webhook, true, func(t alarm.Target) (alarm.Channel, error) { return alarm.NewWebhook(t) }},
		{"dingtalk", f.Dingtalk, true, func(t alarm.Target) (alarm.Channel, error) { return alarm.NewDingTalk(t) }},
		{"feishu", f.Feishu, true, func(t alarm.Target) (alarm.Channel, error) { return alarm.NewFeishu(t) }},
		{"wecom", f.Wecom, false, func(t alarm.Target) (alarm.Channel, error) { return alarm.NewWeCom(t) }},
		{"slack", f.Slack, false, func(t alarm.Target) (alarm.Channel, error) { return alarm.NewSlack(t) }},
	} {
		flag := "--alarm-" + kind.name
		targets, err := readTargets(flag, kind.values)
		if err != nil {
			return nil, err
		}
		for i, target := range targets {
			if target.Secret != "" && !kind.signs {
				return nil, command.Usagef("%s has a secret after the URL, must be the URL alone", flag)
			}
			target.Guard, target.Name = guard, kind.name
			if i > 0 {
				target.Name = fmt.Sprintf("%s-%d", kind.name, i+1)
			}
			channel, err := kind.open(target)
			if err != nil {
				return nil, command.Usagef("%s: %v", flag, err)
			}
			channels = append(channels, channel)
		}
	}
	return channels, nil
}

func (f *Flags) mail() (*alarm.Mail, error) {
	opts := alarm.MailOptions{
		Host: f.SMTP, TLS: alarm.TLSPolicy(f.SMTPTLS), Username: f.SMTPUser, From: f.SMTPFrom, To: f.MailTo,
	}
	if host, port, err := net.SplitHostPort(f.SMTP); err == nil {
		opts.Host = host
		if opts.Port, err = strconv.Atoi(port); err != nil || opts.Port < 1 || opts.Port > 65535 {
			return nil, command.Usagef(
				"--alarm-smtp is %q, must be HOST or HOST:PORT with a port of 1 to 65535", shownHost(f.SMTP),
			)
		}
	} else if strings.Contains(f.SMTP, ":") && net.ParseIP(f.SMTP) == nil || strings.Contains(f.SMTP, "/") {
		return nil, command.Usagef("--alarm-smtp is %q, must be HOST or HOST:PORT", shownHost(f.SMTP))
	}
	switch {
	case f.SMTPFrom == "":
		return nil, command.Usagef("--alarm-smtp-from is empty, must be the sender's address")
	case f.SMTPUser != "" && f.SMTPPasswordFile == "":
		return nil, command.Usagef("--alarm-smtp-password-file is empty, must be given with --alarm-smtp-user")
	case f.SMTPUser == "" && f.SMTPPasswordFile != "":
		return nil, command.Usagef("--alarm-smtp-user is empty, must be given with --alarm-smtp-password-file")
	}
	if f.SMTPPasswordFile != "" {
		text, err := readSecret("--alarm-smtp-password-file", f.SMTPPasswordFile)
		if err != nil {
			return nil, err
		}
		if opts.Password = strings.TrimRight(text, "\r\n"); opts.Password == "" {
			return nil, command.Usagef("--alarm-smtp-password-file is %s, which is empty", f.SMTPPasswordFile)
		}
	}
	mail, err := alarm.NewMail(opts)
	var invalid *xxladapter.Error
	if errors.As(err, &invalid) {
		return nil, command.Usagef("--alarm-smtp: %s", invalid.Message)
	}
	return mail, err
}

// shownHost returns the value of a host flag without the part before an @, where people write a
// name and a password.
func shownHost(value string) string {
	if at := strings.LastIndexByte(value, '@'); at >= 0 {
		return "..." + value[at:]
	}
	return value
}

// readTargets reads the values of a flag that takes URLs. Its errors never show a URL.
func readTargets(flag string, values []string) ([]alarm.Target, error) {
	var targets []alarm.Target
	for _, value := range values {
		lines := []string{value}
		if file, isFile := strings.CutPrefix(value, "@"); isFile {
			text, err := readSecret(flag, file)
			if err != nil {
				return nil, err
			}
			lines = strings.Split(text, "\n")
		}
		found := false
		for _, line := range lines {
			fields := strings.Fields(line)
			if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
				continue
			}
			if len(fields) > 2 {
				return nil, command.Usagef(
					"%s has a line of %d words, must be a URL, optionally followed by a secret", flag, len(fields),
				)
			}
			target := alarm.Target{URL: fields[0]}
			if len(fields) == 2 {
				target.Secret = fields[1]
			}
			targets, found = append(targets, target), true
		}
		if !found {
			return nil, command.Usagef("%s has no URL, must have one", flag)
		}
	}
	return targets, nil
}

// readSecret reads the file that a flag names. Every user of the machine can see flags, but not a
// file that is protected.
func readSecret(flag, file string) (string, error) {
	text, err := flags.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	return text, nil
}
