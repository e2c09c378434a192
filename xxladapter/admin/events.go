package admin

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/events"
)

// An eventForm is a change as the management API shows it.
type eventForm struct {
	Topic events.Topic `json:"topic" doc:"The kind of thing that has changed; all means that events are missing, and everything that is shown has to be read again."`
	ID    int64        `json:"id" doc:"The id of the thing; 0 means any of its topic."`
}

type eventQuery struct {
	Last string `header:"Last-Event-ID" doc:"The id of the last event that was received. The events since then are sent again, or one of topic all if this server does not know the id."`
}

// listen streams events of the caller's groups until the caller leaves or falls behind, the stream
// has lasted for [api.StreamLife], or the server ends its streams.
func (s *Server) listen(ctx context.Context, q eventQuery) (no api.Stream, err error) {
	l, err := s.hub.Listen(events.ParsePosition(q.Last))
	if err != nil {
		return no, err
	}
	return api.Stream{Kind: api.EventStream, Release: l.Leave, Write: func(w *api.StreamWriter) error {
		ctx, cancel := context.WithTimeout(ctx, api.StreamLife)
		defer cancel()
		ticker := time.NewTicker(api.Heartbeat)
		defer ticker.Stop()
		for {
			var err error
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-ticker.C:
				err = w.Beat()
			case e, open := <-l.Events:
				if !open {
					return nil
				}
				if e.GroupID != 0 && !api.Sees(ctx, e.GroupID) {
					continue
				}
				err = w.Event("", e.Position.String(), eventForm{e.Topic, e.ID})
			}
			if err != nil {
				return err
			}
		}
	}}, nil
}

// EndStreams ends all streams. [http.Server.Shutdown] waits for streams, and does not end them, so
// EndStreams has to be registered by [http.Server.RegisterOnShutdown].
func (s *Server) EndStreams() {
	s.end()
	s.hub.Close()
}
