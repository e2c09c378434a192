package daemon

import (
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// TLSFlags belong to the commands that listen.
type TLSFlags struct {
	TLSCert string `predictor:"file" name:"tls-cert" placeholder:"FILE" help:"Certificate chain in PEM; with it the port serves https only (default: http). A changed file takes effect within a second."`
	TLSKey  string `predictor:"file" name:"tls-key" placeholder:"FILE" help:"Private key of --tls-cert in PEM."`
	TLSCA   string `predictor:"file" name:"tls-ca" placeholder:"FILE" help:"File of certificate authorities in PEM to trust in calls to https addresses, in addition to the system's."`
}

// Scheme returns the scheme of the served address.
func (f *TLSFlags) Scheme() string {
	if f.TLSCert != "" {
		return "https://"
	}
	return "http://"
}

// Check refuses files that cannot be used, before anything is opened.
func (f *TLSFlags) Check() error {
	if _, err := access.ServerTLS(f.TLSCert, f.TLSKey); err != nil {
		return command.Usagef("--tls-cert and --tls-key: %v", err)
	}
	if _, err := access.ClientTLS(f.TLSCA); err != nil {
		return command.Usagef("--tls-ca: %v", err)
	}
	return nil
}
