package alarm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/textproto"
	"slices"
	"strings"

	"github.com/wneessen/go-mail"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A TLSPolicy says how to use TLS with a mail server.
type TLSPolicy string

const (
	TLSStartTLS      TLSPolicy = "starttls"      // STARTTLS, or no mail is sent
	TLSOpportunistic TLSPolicy = "opportunistic" // STARTTLS if the server offers it
	TLSImplicit      TLSPolicy = "implicit"      // TLS from the first byte
	TLSNone          TLSPolicy = "none"          // plain text
)

// Values lists all policies.
func (TLSPolicy) Values() []TLSPolicy {
	return []TLSPolicy{TLSStartTLS, TLSOpportunistic, TLSImplicit, TLSNone}
}

// tlsPorts are the ports of servers whose port is not given.
var tlsPorts = map[TLSPolicy]int{TLSStartTLS: 587, TLSOpportunistic: 25, TLSImplicit: 465, TLSNone: 25}

// MailOptions configures a [Mail].
type MailOptions struct {
	Host string    // must be set
	Port int       // 1 to 65535; 0 means 587 with TLSStartTLS, 465 with TLSImplicit, otherwise 25
	TLS  TLSPolicy // empty means TLSStartTLS
	// Username and Password are for the login; either without the other is refused. The password is
	// sent only over TLS, in a form that does not reveal it, or to this machine. Empty means no
	// login.
	Username, Password string
	From               string         // an address, with or without a name; must be set
	To                 []string       // receivers of all alarms, in addition to those of the jobs
	RootCAs            *x509.CertPool // nil means the system's
}

// Mail sends alarms to the addresses that jobs name in alarm_email, and to some that get every
// alarm. Each receiver gets a separate mail, so that receivers do not see each other, and a refused
// one does not stop the mails to the others.
type Mail struct {
	opts MailOptions
	to   []string
}

// NewMail checks the options, and connects to nothing. The error is an [xxladapter.Error] about the
// first option that makes no sense.
func NewMail(opts MailOptions) (*Mail, error) {
	if opts.TLS == "" {
		opts.TLS = TLSStartTLS
	}
	if err := xxladapter.CheckOneOf("mail TLS policy", opts.TLS); err != nil {
		return nil, err
	}
	if opts.Port == 0 {
		opts.Port = tlsPorts[opts.TLS]
	}
	_, fromErr := netmail.ParseAddress(opts.From)
	switch {
	case opts.Host == "":
		return nil, xxladapter.Invalidf(errorrule.Missing, "%s is empty, must be a host name", "mail server")
	case opts.Port < 1 || opts.Port > 65535:
		return nil, xxladapter.Invalidf(errorrule.Range, "%s is %d, must be %d to %d",
			"mail server's port", opts.Port, 1, 65535)
	case fromErr != nil:
		return nil, xxladapter.Invalidf(errorrule.Email, "%s is %q, must be an address such as alarms@example.org",
			"mail sender", opts.From)
	case (opts.Username == "") != (opts.Password == ""):
		return nil, xxladapter.Invalidf(errorrule.BothOrNeither, "%s must be given together",
			errorrule.And{"mail user", "password"})
	}
	to, wrong := addresses(opts.To)
	if len(wrong) > 0 {
		return nil, xxladapter.Invalidf(errorrule.Email, "%s is %q, must be an address such as ops@example.org",
			"mail receiver", wrong[0])
	}
	return &Mail{opts: opts, to: to}, nil
}

// Name implements [Channel].
func (m *Mail) Name() string { return "mail" }

// SplitEmails splits a job's alarm_email. Upstream separates by commas; people also use semicolons
// and spaces.
func SplitEmails(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(",;，； \t\r\n", r) })
}

// addresses separates the valid addresses, each once, from the invalid ones.
func addresses(list []string) (good, wrong []string) {
	for _, text := range list {
		addr, err := netmail.ParseAddress(text)
		switch {
		case err != nil:
			wrong = append(wrong, text)
		case !slices.Contains(good, addr.Address):
			good = append(good, addr.Address)
		}
	}
	return good, wrong
}

// Send implements [Channel]. It ignores invalid addresses of a job; if no receiver is left, the
// error names the first of them. The error wraps [ErrPartly] if the server has taken a mail.
func (m *Mail) Send(ctx context.Context, a *Alarm) error {
	left, wrong := addresses(append(slices.Clone(m.to), a.Emails...))
	switch {
	case len(left) == 0 && len(wrong) > 0:
		return finalf("mail receiver is %q, must be an address", wrong[0])
	case len(left) == 0:
		return ErrNobody
	}
	all := len(left)
	var refused []error
	err := retry(ctx, func(ctx context.Context) error {
		var err error
		left, refused, err = m.attempt(ctx, a, left, refused)
		return err
	})
	switch {
	case err == nil && len(refused) > 0:
		err = &finalError{errors.Join(refused...)}
	case len(refused) > 0:
		err = errors.Join(append(refused, err)...)
	}
	switch {
	case err == nil:
		return nil
	case len(left)+len(refused) < all:
		return fmt.Errorf("%w: %w", ErrPartly, m.conceal(err))
	}
	return m.conceal(err)
}

// attempt mails, over one connection, to the receivers in left. It returns those that may be tried
// again, with the reason, and the errors of those that were refused for good.
func (m *Mail) attempt(ctx context.Context, a *Alarm, left []string, refused []error) ([]string, []error, error) {
	client, err := m.client(ctx)
	if err != nil {
		return left, refused, &finalError{err}
	}
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return left, refused, finalIfRefused(err)
	}
	defer func() { _ = client.CloseWithSMTPClient(conn) }() // nothing is left to say by then
	var again []string
	var reason error
	for _, to := range left {
		msg, err := m.message(a, to)
		if err != nil {
			refused = append(refused, fmt.Errorf("mail to %s: %w", to, err))
			continue
		}
		err = client.SendWithSMTPClient(conn, msg)
		if err == nil || msg.IsDelivered() {
			continue
		}
		err = fmt.Errorf("mail to %s: %w", to, err)
		var final *finalError
		if errors.As(finalIfRefused(err), &final) {
			refused = append(refused, err)
			continue
		}
		again, reason = append(again, to), err
	}
	return again, refused, reason
}

// finalIfRefused marks the server's 5xx answers as final.
func finalIfRefused(err error) error {
	var send *mail.SendError
	var login *textproto.Error
	if errors.As(err, &send) && send.ErrorCode() >= 500 || errors.As(err, &login) && login.Code >= 500 {
		return &finalError{err}
	}
	return err
}

// client returns a client for a single connection, which ends with ctx whatever the server does.
func (m *Mail) client(ctx context.Context) (*mail.Client, error) {
	tlsConfig := &tls.Config{ServerName: m.opts.Host, RootCAs: m.opts.RootCAs, MinVersion: tls.VersionTLS12}
	opts := []mail.Option{
		mail.WithPort(m.opts.Port), mail.WithTimeout(attemptLimit), mail.WithTLSConfig(tlsConfig),
		mail.WithDialContextFunc(func(_ context.Context, network, addr string) (net.Conn, error) {
			var conn net.Conn
			var err error
			if m.opts.TLS == TLSImplicit {
				conn, err = (&tls.Dialer{Config: tlsConfig}).DialContext(ctx, network, addr)
			} else {
				conn, err = new(net.Dialer).DialContext(ctx, network, addr)
			}
			if err == nil {
				context.AfterFunc(ctx, func() { _ = conn.Close() })
			}
			return conn, err
		}),
	}
	switch m.opts.TLS {
	case TLSStartTLS:
		opts = append(opts, mail.WithTLSPolicy(mail.TLSMandatory))
	case TLSOpportunistic:
		opts = append(opts, mail.WithTLSPolicy(mail.TLSOpportunistic))
	case TLSImplicit:
		opts = append(opts, mail.WithSSL())
	case TLSNone:
		opts = append(opts, mail.WithTLSPolicy(mail.NoTLS))
	}
	if m.opts.Username != "" {
		// PLAIN and LOGIN themselves refuse to send a password to another machine in plain text.
		opts = append(opts, mail.WithUsername(m.opts.Username), mail.WithPassword(m.opts.Password),
			mail.WithOpportunisticSMTPAuth(mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthSCRAMSHA1, mail.SMTPAuthCramMD5,
				mail.SMTPAuthPlain, mail.SMTPAuthLogin))
	}
	return mail.NewClient(m.opts.Host, opts...)
}

func (m *Mail) message(a *Alarm, to string) (*mail.Msg, error) {
	msg := mail.NewMsg()
	if err := errors.Join(msg.From(m.opts.From), msg.To(to)); err != nil {
		return nil, err
	}
	title := a.Title()
	msg.Subject("[xxlwheel] " + title)
	msg.SetDate()
	msg.SetMessageID()
	// Asks for no out-of-office replies to a robot (RFC 3834).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, title+"\n\n"+plainForm.write(a)+"\n")
	msg.AddAlternativeString(mail.TypeTextHTML,
		"<!DOCTYPE html>\n<html><body>\n<h3>"+htmlForm.heading(title)+"</h3>\n<div>"+htmlForm.write(a)+
			"</div>\n</body></html>\n")
	return msg, nil
}

// conceal returns the error without the password, which a server may repeat in plain text or
// encoded as it was sent.
func (m *Mail) conceal(err error) error {
	sent := base64.StdEncoding
	text := oneLine(concealed(err.Error(), []string{
		m.opts.Password,
		sent.EncodeToString([]byte(m.opts.Password)),                                     // LOGIN
		sent.EncodeToString([]byte("\x00" + m.opts.Username + "\x00" + m.opts.Password)), // PLAIN
	}))
	text = fmt.Sprintf("mail server %s:%d: %s", m.opts.Host, m.opts.Port, text)
	var final *finalError
	if errors.As(err, &final) {
		return finalf("%s", text)
	}
	return errors.New(text)
}
