package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Base is the prefix of the paths of the management API.
const Base = "/api/v1"

// A methodError refuses a method that a path does not have.
type methodError struct {
	method, path string
	allowed      []string
}

func (e *methodError) Error() string {
	return fmt.Sprintf("method is %s, must be one of %s for %s", e.method, strings.Join(e.allowed, ", "), e.path)
}

// Register registers calls, and the answer to requests below the prefix that are none of them.
func (a *Answerer) Register(mux *http.ServeMux, calls []Call) {
	for _, c := range calls {
		mux.Handle(c.Method+" "+c.Path, a.handler(c.Need, c.Serve))
	}
	mux.Handle(Base+"/", a.handler(Anyone, func(r *http.Request) (any, error) { return nil, noCall(mux, r) }))
}

// noCall returns the error for a request below the prefix that is not a call.
func noCall(mux *http.ServeMux, r *http.Request) error {
	var allowed []string
	for _, method := range []string{
		http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
	} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != Base+"/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		return &methodError{r.Method, r.URL.Path, allowed}
	}
	return xxladapter.NotFoundf(errorrule.NoCall, "no call %s %s", r.Method, r.URL.Path)
}
