package main

// clientFlags are those of every command that calls a running scheduler.
type clientFlags struct {
	Server      string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"The running scheduler (default ${default})."`
	AccessToken secret `placeholder:"TOKEN" help:"Secret of the scheduler, or @FILE with it."`
	TLSCA       string `name:"tls-ca" placeholder:"FILE" help:"Authorities in PEM to trust where the scheduler serves https, beside those of the system."`
	Output      string `short:"o" default:"table" enum:"table,json," placeholder:"FORMAT" help:"table (default), or json: each entry as the API has it, on a line of its own."`
	Quiet       bool   `short:"q" help:"Print nothing but ids."`
}

func (c *clientFlags) api() apiClient {
	return apiClient{server: c.Server, token: string(c.AccessToken), ca: c.TLSCA}
}

func (c *clientFlags) json() bool { return c.Output == "json" }
