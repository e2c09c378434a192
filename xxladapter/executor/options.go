package executor

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

// Options configures an [Executor]. Only AppName and Admins are usually set.
type Options struct {
	// Admins are the base URLs of the schedulers, for example
	// http://10.0.0.5:8080/xxl-job-admin; "api/registry" and the like are
	// appended. An element may also be a comma separated list. One admin that
	// answers is enough; the others are asked when it does not.
	// Empty: the executor does not register, and no result leaves it.
	Admins []string

	// AppName is the app name of the executor's group, 4 to 64 characters.
	// It may be empty without Admins.
	AppName string

	// AccessToken is what schedulers must send, and what is sent to them.
	// Empty: every request is taken, and therefore Listen must be an address that
	// other machines cannot reach.
	AccessToken string

	// AllowNoToken lets other machines in without AccessToken, and
	// AllowDefaultToken with the one that stands in every sample configuration of
	// XXL-JOB: for networks that let nobody in but schedulers. With NoListen
	// nothing is checked, since the server is the application's.
	AllowNoToken, AllowDefaultToken bool

	// RequireAppName also demands the header XXL-JOB-APPNAME on every request,
	// as executors of the unreleased 3.5 do. Without it only /trigger does.
	// It needs AccessToken and AppName.
	RequireAppName bool

	// AllowHosts are further names, without ports, by which schedulers call this
	// executor, for example that of a proxy. Without AccessToken a request must
	// name localhost, an address of this machine, the host of Listen or Address, or
	// one of these in its Host header, so that no page in a browser can pass its own
	// name off as this machine's. With AccessToken nothing is checked.
	AllowHosts []string
	// Listen is the host:port to listen on, ":9999" if empty. Port 0 takes any
	// free one. NoListen is for an application that serves the executor as an
	// [http.Handler] in a server of its own, and needs Address.
	Listen   string
	NoListen bool

	// TLSCert and TLSKey are files with the certificate chain and its key, in PEM;
	// empty: the executor serves http. They are read again when they change.
	// They have no meaning with NoListen.
	TLSCert, TLSKey string
	// TLSCA is a file with authorities, in PEM, that admins at https URLs are trusted
	// by, beside those of the system; empty: the system's only. It cannot be set
	// together with HTTPClient.
	TLSCA string
	// Address is the URL to register, exactly as schedulers shall see it.
	// Empty: http://host:port/, from Listen, with the first suitable network
	// interface in place of a host that is not specific.
	Address string

	// DataDir holds the journal and the run logs; "executor-logs" if empty.
	// It is made if it does not exist.
	DataDir string

	// Scripts lets jobs carry shell, Python, Node, PHP and PowerShell source,
	// which then runs with the rights of this process. Off by default, and only
	// with AccessToken: whoever holds the token can run anything here.
	Scripts bool

	// LogRetentionDays is how many days run logs are kept, 3 or more.
	// 0: 30 days. Negative: for ever.
	LogRetentionDays int

	// MaxRunLog is how many bytes of log lines one run may write; what comes
	// after is dropped with a note. 0: 64 MiB.
	MaxRunLog int64

	// MaxQueued is how many accepted runs may wait for their turn, over all
	// jobs; more are refused. 0: 100,000.
	MaxQueued int

	// BeatInterval is the time between two registrations; 0: 30 s, which is
	// what schedulers expect. After a failure the next attempt comes sooner.
	BeatInterval time.Duration

	// AdminTimeout bounds one call to one admin; 0: 3 s.
	AdminTimeout time.Duration

	// IdleAfter is how long a job may be without a run before its handler is
	// destroyed; the next run initialises it again. 0: 93 s, which is what
	// XXL-JOB's 31 empty polls of 3 s come to.
	IdleAfter time.Duration

	// StopGrace is how long running handlers may go on after Run's context has
	// ended, before their own contexts are cancelled. 0: 10 s; negative: none.
	StopGrace time.Duration

	// AbandonAfter is how long a cancelled handler may take to return. After
	// that it is reported as cancelled and the job's next run starts although
	// the handler still goes on. 0: 30 s; negative: it is waited for without
	// end, also when stopping.
	AbandonAfter time.Duration

	// SeenFor is how long log ids are remembered at least, so that one that
	// is sent again is refused. 0: 24 h. Beyond several million log ids older
	// ones may be forgotten earlier.
	SeenFor time.Duration

	// NoSync leaves flushing the journal to the operating system: what was
	// promised then holds when the process dies, but not when the machine does.
	NoSync bool

	// Logger gets what concerns the executor as a whole; [slog.Default] if nil.
	Logger *slog.Logger

	// HTTPClient calls the admins; nil: one of the executor's own. Its Timeout
	// is not used, and redirects are not followed unless its CheckRedirect does:
	// they would take the token to another host.
	HTTPClient *http.Client

	serverTLS *tls.Config // nil: http
}

// withDefaults returns a checked copy of o.
func (o Options) withDefaults() (Options, error) {
	if err := o.checkAdmins(); err != nil {
		return o, err
	}
	n := utf8.RuneCountInString(o.AppName)
	if (len(o.Admins) > 0 || n > 0) && (n < 4 || n > 64 || strings.TrimSpace(o.AppName) != o.AppName) {
		return o, invalid("AppName", o.AppName, "must have 4 to 64 characters and no space around them")
	}
	if o.RequireAppName && (strings.TrimSpace(o.AccessToken) == "" || o.AppName == "") {
		return o, invalid("RequireAppName", true, "needs AccessToken and AppName")
	}
	if strings.TrimSpace(o.AccessToken) == "" {
		o.AccessToken = "" // XXL-JOB: a blank token is none
	}
	if o.Scripts && o.AccessToken == "" {
		return o, invalid("Scripts", true, "needs AccessToken")
	}
	if o.Address != "" && (!isURL(o.Address) || len(o.Address) > 255) {
		return o, invalid("Address", o.Address, "must be an http or https URL of at most 255 characters without a comma")
	}
	if o.NoListen && o.Address == "" && len(o.Admins) > 0 {
		return o, invalid("Address", o.Address, "must be set with NoListen")
	}
	setZero(&o.Listen, ":9999")
	if _, port, err := net.SplitHostPort(o.Listen); err != nil {
		return o, invalid("Listen", o.Listen, "must be host:port")
	} else if _, err := net.LookupPort("tcp", port); err != nil {
		return o, invalid("Listen", o.Listen, "must have a port from 0 to 65535")
	}
	setZero(&o.DataDir, "executor-logs")
	if o.LogRetentionDays == 1 || o.LogRetentionDays == 2 {
		return o, invalid("LogRetentionDays", o.LogRetentionDays, "must be 3 or more, 0 for 30, or negative for no cleaning")
	}
	setZero(&o.LogRetentionDays, 30)

	if o.MaxRunLog < 0 {
		return o, invalid("MaxRunLog", o.MaxRunLog, "must not be negative")
	}
	setZero(&o.MaxRunLog, 64<<20)
	if o.MaxQueued < 0 {
		return o, invalid("MaxQueued", o.MaxQueued, "must not be negative")
	}
	setZero(&o.MaxQueued, 100_000)
	for _, d := range []struct {
		name  string
		field *time.Duration
		def   time.Duration
	}{
		{"BeatInterval", &o.BeatInterval, 30 * time.Second},
		{"AdminTimeout", &o.AdminTimeout, 3 * time.Second},
		{"IdleAfter", &o.IdleAfter, 93 * time.Second},
		{"SeenFor", &o.SeenFor, 24 * time.Hour},
	} {
		if *d.field < 0 {
			return o, invalid(d.name, *d.field, "must not be negative")
		}
		setZero(d.field, d.def)
	}
	setZero(&o.StopGrace, 10*time.Second)
	setZero(&o.AbandonAfter, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o, o.readTLS()
}

// readTLS makes the configurations, and the client that uses one.
func (o *Options) readTLS() error {
	var err error
	if o.serverTLS, err = access.ServerTLS(o.TLSCert, o.TLSKey); err != nil {
		return fmt.Errorf("executor: Options.TLSCert and TLSKey: %w", err)
	}
	trust, err := access.ClientTLS(o.TLSCA)
	if err != nil {
		return fmt.Errorf("executor: Options.TLSCA: %w", err)
	}
	if trust != nil {
		if o.HTTPClient != nil {
			return invalid("TLSCA", o.TLSCA, "cannot be set with HTTPClient")
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = trust
		o.HTTPClient = &http.Client{Transport: transport}
	}
	o.HTTPClient = withoutRedirects(o.HTTPClient)
	return nil
}

// withoutRedirects is client, or a new one for nil, with redirects that are
// answers, unless it has a rule of its own. Followed, a call would become a GET
// without its body, and take its token to whatever host was named.
func withoutRedirects(client *http.Client) *http.Client {
	var c http.Client
	if client != nil {
		c = *client
	}
	if c.CheckRedirect == nil {
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return &c
}

// checkListener refuses to let other machines in without a secret: whoever can
// reach an executor can run its handlers.
func (o *Options) checkListener() error {
	if o.NoListen || o.AccessToken == "" && o.AllowNoToken {
		return nil
	}
	err := access.CheckListener(o.Listen, o.AllowDefaultToken, access.Secret{Setting: "Options.AccessToken", Token: o.AccessToken})
	if err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	return nil
}

// checkAdmins replaces Admins by the single addresses in it.
func (o *Options) checkAdmins() error {
	var admins []string
	for _, list := range o.Admins {
		for admin := range strings.SplitSeq(list, ",") {
			admin = strings.TrimSpace(admin)
			if admin == "" {
				continue
			}
			if !isURL(admin) {
				return invalid("Admins", access.Shown(admin), "must be http or https URLs")
			}
			if !strings.HasSuffix(admin, "/") {
				admin += "/"
			}
			admins = append(admins, admin)
		}
	}
	o.Admins = admins
	return nil
}

// isURL reports whether text is an http or https URL with a host, and can stand
// in the comma separated address list of a group.
func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		u.RawQuery == "" && u.Fragment == "" && !strings.ContainsAny(text, ", \t\r\n")
}

// hostNames are the names by which schedulers may call, beside that of Listen.
func (o *Options) hostNames() []string {
	names := slices.Clone(o.AllowHosts)
	if u, err := url.Parse(o.Address); err == nil && u.Host != "" {
		names = append(names, u.Host)
	}
	return names
}

func setZero[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func invalid(field string, value any, rule string) error {
	if s, ok := value.(string); ok {
		value = fmt.Sprintf("%q", s)
	}
	return fmt.Errorf("executor: Options.%s is %v, %s", field, value, rule)
}
