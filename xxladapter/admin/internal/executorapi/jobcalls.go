package executorapi

import (
	"context"
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// jobCallRate is how many job calls a process accepts per second, and jobCallWait how long a call
// waits for its turn. They are those of OpenApiController in XXL-JOB 3.5.
const (
	jobCallRate = 100
	jobCallWait = time.Second
)

// errTooMany refuses a job call that would have to wait for too long. The reply has the code
// [wire.CodeTooMany].
var errTooMany = xxladapter.Refusef(xxladapter.CodeTooMany, errorrule.TooManyCalls, wire.MsgTooMany)

// jobCall turns a handler for a decoded body into an operation. Upstream treats every caller as an
// administrator; here a caller may only touch the jobs of the apps for which it acts. What the
// operation changes is audited.
func jobCall[B any](op string, do func(Jobs, context.Context, access.Caller, B) (any, error)) operation {
	return func(s *Server, ctx context.Context, by access.Caller, body []byte) (any, error) {
		if err := s.awaitJobCall(ctx); err != nil {
			return nil, err
		}
		var form B
		if err := decodeBody(body, &form); err != nil {
			return nil, err
		}
		called := xxladapter.WithCall(xxladapter.ForUser(ctx), http.MethodPost+" "+wire.AdminPath+op)
		return do(s.opts.Jobs, called, by, form)
	}
}

// awaitJobCall waits until a job call may begin. It returns errTooMany at once if that would take
// longer than jobCallWait.
func (s *Server) awaitJobCall(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, jobCallWait)
	defer cancel()
	if err := s.JobCalls.Wait(waiting); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errTooMany
	}
	return nil
}

// declare lets an executor declare jobs, at the rate of job calls.
func (s *Server) declare(ctx context.Context, by access.Caller, body []byte) (any, error) {
	if err := s.awaitJobCall(ctx); err != nil {
		return nil, err
	}
	return s.opts.Jobs.Declare(ctx, by, body)
}
