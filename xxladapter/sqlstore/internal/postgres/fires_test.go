package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
)

func TestAGroupDoesWhatItsCallsDoOnPostgreSQL(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 23, 59, 58, 0, time.UTC)
	clock := func() time.Time { return at }
	one, grouped := openPostgresCopy(t, clock), openPostgresCopy(t, clock)
	defer func() { require.NoError(t, errors.Join(one.Close(), grouped.Close())) }()
	fixture.GroupsDoWhatTheirCallsDo(t, one, grouped, &at)
}
