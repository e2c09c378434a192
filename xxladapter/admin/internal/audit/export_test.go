package audit

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A purgedStore deletes its first rows after the first read.
type purgedStore struct {
	*memstore.Store
	purge int
}

func (s *purgedStore) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	rows, err := s.Store.AuditRows(ctx, f)
	if err != nil || s.purge == 0 {
		return rows, err
	}
	purge := s.purge
	s.purge = 0
	_, err = s.PurgeAudit(ctx, time.Now().Add(time.Hour), purge)
	return rows, err
}

// TestAnExportThatIsOvertakenByRetentionIsCutOff deletes rows between two pages of an export. The
// export stays whole if it has read all of them.
func TestAnExportThatIsOvertakenByRetentionIsCutOff(t *testing.T) {
	const rows = api.MaxPage + 5
	for _, c := range []struct {
		purge int
		cut   bool
	}{{api.MaxPage, false}, {api.MaxPage + 1, true}, {rows, true}} {
		store := &purgedStore{memstore.New(time.Now), c.purge}
		for range rows {
			require.NoError(t, appendRow(t.Context(), store.Store))
		}
		s := New(Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
		write, err := s.export(t.Context(), exportQuery{})
		require.NoError(t, err)
		w := httptest.NewRecorder()
		if c.cut {
			require.PanicsWithValue(t, http.ErrAbortHandler, func() { write(w) }, "%d rows deleted", c.purge)
			continue
		}
		write(w)
		require.Equal(t, rows, strings.Count(w.Body.String(), "\n"))
	}
}
