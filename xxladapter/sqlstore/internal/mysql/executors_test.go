//go:build unix

package mysql

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// TestAGroupOfVeryManyExecutorsStaysUsable fills the column of a group's addresses, in which a
// server in strict mode would refuse more than fits.
func TestAGroupOfVeryManyExecutorsStaysUsable(t *testing.T) {
	t.Parallel()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	group, err := s.SaveGroup(t.Context(), &xxladapter.Group{AppName: "huge-app", Title: "huge"})
	require.NoError(t, err)
	name := "http://" + strings.Repeat("x", 230)
	for i := range 300 {
		require.NoError(t, s.Register(t.Context(), "huge-app", fmt.Sprintf("%s-%03d/", name, i)))
	}
	g, err := s.Group(t.Context(), group)
	require.NoError(t, err)
	require.Len(t, g.Addresses, (xxladapter.MaxRowText+1)/(len(name)+6))
}
