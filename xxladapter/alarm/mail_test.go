package alarm

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A mailServer speaks real SMTP and keeps what it receives.
type mailServer struct {
	host  string
	port  int
	roots *x509.CertPool

	mu       sync.Mutex
	mails    []mailed
	logins   []string
	refuse   map[string][]error // by receiver, one for each attempt
	sessions int
}

type mailed struct {
	from, to, data string
	tls            bool
}

const mailUser, mailPassword = "alarms", "pa55word-of-the-relay"

// serveMail starts a server. With implicit it speaks TLS from the first byte, and with starttls it
// offers STARTTLS.
func serveMail(t *testing.T, starttls, implicit bool) *mailServer {
	t.Helper()
	certified := httptest.NewTLSServer(nil) // for its certificate of 127.0.0.1
	t.Cleanup(certified.Close)
	s := &mailServer{host: "127.0.0.1", roots: x509.NewCertPool(), refuse: map[string][]error{}}
	s.roots.AddCert(certified.Certificate())
	tlsConfig := &tls.Config{Certificates: certified.TLS.Certificates}

	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sessions++
		return &mailSession{server: s, conn: c}, nil
	}))
	server.Domain = "mail.test"
	server.AllowInsecureAuth = true
	server.ErrorLog = discard{}
	if starttls {
		server.TLSConfig = tlsConfig
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.port = ln.Addr().(*net.TCPAddr).Port
	if implicit {
		ln = tls.NewListener(ln, tlsConfig)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ln) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return s
}

type discard struct{}

func (discard) Printf(string, ...any) {}
func (discard) Println(...any)        {}

func (s *mailServer) options(policy TLSPolicy) MailOptions {
	return MailOptions{Host: s.host, Port: s.port, TLS: policy, From: "Alarms <alarms@example.org>", RootCAs: s.roots}
}

func (s *mailServer) received() []mailed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

type mailSession struct {
	server   *mailServer
	conn     *smtp.Conn
	from, to string
}

func (c *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (c *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		c.server.mu.Lock()
		defer c.server.mu.Unlock()
		c.server.logins = append(c.server.logins, user)
		if user != mailUser || password != mailPassword {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "no entry with " + password}
		}
		return nil
	}), nil
}

func (c *mailSession) Reset()        {}
func (c *mailSession) Logout() error { return nil }

func (c *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	c.from = from
	return nil
}

func (c *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.to = to
	if errs := c.server.refuse[to]; len(errs) > 0 {
		c.server.refuse[to] = errs[1:]
		return errs[0]
	}
	return nil
}

func (c *mailSession) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	_, secure := c.conn.TLSConnectionState()
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.mails = append(c.server.mails, mailed{from: c.from, to: c.to, data: string(data), tls: secure})
	return nil
}

func TestMailSpeaksSMTP(t *testing.T) {
	for _, tt := range []struct {
		policy             TLSPolicy
		starttls, implicit bool
		secure             bool
	}{
		{TLSStartTLS, true, false, true},
		{TLSOpportunistic, true, false, true},
		{TLSOpportunistic, false, false, false},
		{TLSImplicit, false, true, true},
		{TLSNone, true, false, false},
	} {
		t.Run(string(tt.policy), func(t *testing.T) {
			s := serveMail(t, tt.starttls, tt.implicit)
			opts := s.options(tt.policy)
			opts.Username, opts.Password = mailUser, mailPassword
			opts.To = []string{"ops@example.org", "b@example.org"}
			m, err := NewMail(opts)
			require.NoError(t, err)
			a := hostile()
			a.Emails = []string{"a@example.org", "ops@example.org"}
			require.NoError(t, m.Send(t.Context(), a))
			require.Equal(t, []string{mailUser}, s.logins)
			var to []string
			for _, mail := range s.received() {
				to = append(to, mail.to)
				require.Equal(t, "alarms@example.org", mail.from)
				require.Equal(t, tt.secure, mail.tls)
			}
			require.Equal(t, []string{"ops@example.org", "b@example.org", "a@example.org"}, to, "each one once, over one connection")
			require.Equal(t, 1, s.sessionsWithoutTLS(tt.starttls && tt.secure))
		})
	}
}

// sessionsWithoutTLS counts connections: the server starts a second session on a connection when
// that changes to TLS.
func (s *mailServer) sessionsWithoutTLS(upgraded bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if upgraded {
		return s.sessions - 1
	}
	return s.sessions
}

func TestAMailIsPlainTextAndHTMLWithEverythingEscaped(t *testing.T) {
	s := serveMail(t, false, false)
	m, err := NewMail(s.options(TLSNone))
	require.NoError(t, err)
	require.NoError(t, m.Send(t.Context(), hostile()))
	raw := s.received()[0].data
	msg, err := netmail.ReadMessage(strings.NewReader(raw))
	require.NoError(t, err)
	require.Empty(t, msg.Header.Get("Bcc"), "the job's name is no header")
	require.Equal(t, "<a@example.org>", msg.Header.Get("To"))
	require.Equal(t, `"Alarms" <alarms@example.org>`, msg.Header.Get("From"))
	require.Equal(t, "auto-generated", msg.Header.Get("Auto-Submitted"))
	require.NotEmpty(t, msg.Header.Get("Message-Id"))
	require.Contains(t, msg.Header.Get("Subject"), "[xxlwheel] job 3 ")

	_, boundary, _ := strings.Cut(msg.Header.Get("Content-Type"), "boundary=")
	parts := multipart.NewReader(msg.Body, strings.Trim(boundary, "\"\r\n"))
	var texts []string
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		require.NoError(t, err)
		texts = append(texts, part.Header.Get("Content-Type")+"\n"+string(text))
	}
	require.Len(t, texts, 2)
	plain, page := texts[0], texts[1]
	require.True(t, strings.HasPrefix(plain, "text/plain; charset=UTF-8"))
	require.Contains(t, plain, "failed in a row: 4")
	require.Contains(t, plain, "and 57 more")
	require.True(t, strings.HasPrefix(page, "text/html; charset=UTF-8"))
	require.Contains(t, page, "&lt;script&gt;")
	require.Contains(t, page, "&lt;at user_id=")
	for _, raw := range []string{"<script>", "<!channel>", "<@everyone>", "<at "} {
		require.NotContains(t, page, raw)
	}
}

func TestMailErrors(t *testing.T) {
	quick(t)
	t.Run("no STARTTLS, no mail and no password", func(t *testing.T) {
		s := serveMail(t, false, false)
		opts := s.options(TLSStartTLS)
		opts.Username, opts.Password = mailUser, mailPassword
		m, err := NewMail(opts)
		require.NoError(t, err)
		require.ErrorContains(t, m.Send(t.Context(), hostile()), "STARTTLS")
		require.Empty(t, s.received())
		require.Empty(t, s.logins)
	})
	t.Run("a certificate that nobody knows", func(t *testing.T) {
		s := serveMail(t, true, false)
		opts := s.options(TLSStartTLS)
		opts.RootCAs = nil
		m, err := NewMail(opts)
		require.NoError(t, err)
		require.ErrorContains(t, m.Send(t.Context(), hostile()), "certificate")
	})
	t.Run("a wrong password, once, and not shown", func(t *testing.T) {
		s := serveMail(t, true, false)
		opts := s.options(TLSStartTLS)
		opts.Username, opts.Password = mailUser, "the-wrong-password"
		m, err := NewMail(opts)
		require.NoError(t, err)
		err = m.Send(t.Context(), hostile())
		require.ErrorContains(t, err, "no entry with ***")
		require.NotContains(t, err.Error(), "the-wrong-password")
		require.Len(t, s.logins, 1)
	})
	t.Run("one receiver is refused, the others have their mail once", func(t *testing.T) {
		s := serveMail(t, false, false)
		s.refuse["gone@example.org"] = slices.Repeat([]error{&smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}}, 9)
		s.refuse["grey@example.org"] = []error{&smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "come back later"}}
		m, err := NewMail(s.options(TLSNone))
		require.NoError(t, err)
		a := hostile()
		a.Emails = []string{"a@example.org", "gone@example.org", "not an address", "grey@example.org", "b@example.org"}
		err = m.Send(t.Context(), a)
		require.ErrorContains(t, err, "mail to gone@example.org")
		require.ErrorContains(t, err, "no such user")
		require.ErrorIs(t, err, ErrPartly)
		require.NotContains(t, err.Error(), "\n")
		var to []string
		for _, mail := range s.received() {
			to = append(to, mail.to)
		}
		require.Equal(t, []string{"a@example.org", "b@example.org", "grey@example.org"}, to)
		require.Len(t, s.refuse["gone@example.org"], 8, "who is refused for good is asked for once")
	})
	t.Run("who is refused is named beside who is put off", func(t *testing.T) {
		s := serveMail(t, false, false)
		s.refuse["gone@example.org"] = []error{&smtp.SMTPError{Code: 550, Message: "no such user"}}
		s.refuse["grey@example.org"] = slices.Repeat([]error{&smtp.SMTPError{Code: 451, Message: "come back later"}}, 9)
		m, err := NewMail(s.options(TLSNone))
		require.NoError(t, err)
		a := hostile()
		a.Emails = []string{"a@example.org", "gone@example.org", "grey@example.org"}
		err = m.Send(t.Context(), a)
		require.ErrorContains(t, err, "come back later")
		require.ErrorContains(t, err, "mail to gone@example.org")
	})
	t.Run("nobody", func(t *testing.T) {
		m, err := NewMail(MailOptions{Host: "127.0.0.1", From: "a@example.org"})
		require.NoError(t, err)
		require.ErrorIs(t, m.Send(t.Context(), &Alarm{}), ErrNobody)
		require.ErrorContains(t, m.Send(t.Context(), &Alarm{Emails: []string{"x"}}), `mail receiver is "x"`)
	})
	t.Run("nobody listens", func(t *testing.T) {
		host, port, err := net.SplitHostPort(testserver.Refuses)
		require.NoError(t, err)
		number, err := strconv.Atoi(port)
		require.NoError(t, err)
		m, err := NewMail(MailOptions{Host: host, Port: number, From: "a@example.org"})
		require.NoError(t, err)
		err = m.Send(t.Context(), hostile())
		require.ErrorContains(t, err, "connection refused")
		require.NotErrorIs(t, err, ErrPartly)
	})
}

// TestAMailThatReachedSomeIsNotRepeated has the mail as the only channel, and a receiver whom the
// server refuses for good. The other receiver would get each repetition.
func TestAMailThatReachedSomeIsNotRepeated(t *testing.T) {
	s := serveMail(t, false, false)
	s.refuse["gone@example.org"] = []error{&smtp.SMTPError{Code: 550, Message: "no such user"}}
	mail, err := NewMail(s.options(TLSNone))
	require.NoError(t, err)
	m, err := NewMonitor(Options{Store: memstore.New(time.Now), Node: "n", Channels: []Channel{mail}, Logger: quiet})
	require.NoError(t, err)
	status, done := m.deliver(t.Context(), &Alarm{Kind: Failed, Emails: []string{"a@example.org", "gone@example.org"}})
	require.Len(t, s.received(), 1)
	require.True(t, done)
	require.Equal(t, xxladapter.AlarmFailed, status)
}

// TestNoMailServerBringsThePasswordBack talks to a server that repeats the login that it got, as it
// was sent and decoded.
func TestNoMailServerBringsThePasswordBack(t *testing.T) {
	quick(t)
	for _, password := range []string{"a s3cret of mine", "s3c", "two  blanks\tand a tab"} {
		for _, methods := range []string{"PLAIN", "LOGIN"} {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			var served sync.WaitGroup
			served.Go(func() { repeatLogin(ln, methods) })
			m, err := NewMail(MailOptions{
				Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, TLS: TLSNone, From: "a@example.org", Username: "bob", Password: password,
			})
			require.NoError(t, err)
			err = m.Send(t.Context(), hostile())
			require.ErrorContains(t, err, "535", methods)
			require.ErrorContains(t, err, "***", methods)
			require.NoError(t, ln.Close())
			served.Wait()
			encode := base64.StdEncoding.EncodeToString
			for _, part := range []string{password, encode([]byte(password)), encode([]byte("\x00bob\x00" + password))} {
				require.NotContains(t, err.Error(), part)
			}
		}
	}
}

// repeatLogin serves mail: it refuses every login, and repeats it in its answer.
func repeatLogin(ln net.Listener, methods string) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
		say("220 here")
		in := bufio.NewScanner(conn)
		asked := 0 // prompts of LOGIN
		for in.Scan() {
			switch line := in.Text(); {
			case strings.HasPrefix(line, "EHLO"):
				say("250-here\r\n250 AUTH " + methods)
			case strings.HasPrefix(line, "AUTH PLAIN "):
				text, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(line, "AUTH PLAIN "))
				say("535 5.7.8 " + line + " is " + strings.ReplaceAll(string(text), "\x00", " "))
			case line == "AUTH LOGIN":
				asked = 1
				say("334 VXNlcm5hbWU6")
			case asked == 1:
				asked = 2
				say("334 UGFzc3dvcmQ6")
			case asked == 2:
				asked = 0
				say("535 5.7.8 not with " + line)
			case line == "QUIT":
				say("221 bye")
			default:
				say("250 well")
			}
		}
		_ = conn.Close()
	}
}

// TestAMailServerThatHangsIsLeft checks that the attempt ends with its context whatever the server
// does.
func TestAMailServerThatHangsIsLeft(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				_, _ = io.WriteString(conn, "220 tarpit\r\n")
				_, _ = io.Copy(io.Discard, conn) // reads forever and never answers
				_ = conn.Close()
			})
		}
	})
	m, err := NewMail(MailOptions{Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, TLS: TLSNone, From: "a@example.org"})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	require.Error(t, m.Send(ctx, hostile()))
	require.Less(t, time.Since(start), 3*time.Second)
	require.NoError(t, ln.Close())
	conns.Wait()
}

func TestWrongMailOptions(t *testing.T) {
	good := MailOptions{Host: "mail.example.org", From: "a@example.org"}
	for _, tt := range []struct {
		change func(*MailOptions)
		err    string
	}{
		{func(o *MailOptions) { o.TLS = "ssl" }, `mail TLS policy is "ssl", must be one of starttls, opportunistic, implicit, none`},
		{func(o *MailOptions) { o.Host = "" }, "mail server is empty"},
		{func(o *MailOptions) { o.Port = 70000 }, "port is 70000"},
		{func(o *MailOptions) { o.From = "nobody" }, `mail sender is "nobody"`},
		{func(o *MailOptions) { o.Username = "u" }, "user and password must be given together"},
		{func(o *MailOptions) { o.To = []string{"a@example.org", "b"} }, `mail receiver is "b"`},
	} {
		opts := good
		tt.change(&opts)
		_, err := NewMail(opts)
		require.ErrorContains(t, err, tt.err)
		var invalid *xxladapter.Error
		require.ErrorAs(t, err, &invalid)
	}
	for policy, port := range map[TLSPolicy]int{"": 587, TLSStartTLS: 587, TLSImplicit: 465, TLSNone: 25} {
		opts := good
		opts.TLS = policy
		m, err := NewMail(opts)
		require.NoError(t, err)
		require.Equal(t, port, m.opts.Port)
	}
}

func TestSplitEmails(t *testing.T) {
	require.Equal(t, []string{"a@x.org", "b@x.org", "c@x.org", "d@x.org"}, SplitEmails(" a@x.org,b@x.org;c@x.org， d@x.org,,"))
	require.Empty(t, SplitEmails(" , "))
}
