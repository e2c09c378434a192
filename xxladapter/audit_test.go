package xxladapter_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// auditRow returns a row with a value in every field.
func auditRow(t *testing.T) xxladapter.AuditRow {
	t.Helper()
	ctx := xxladapter.WithCall(t.Context(), "PUT /x")
	ctx = xxladapter.WithActor(ctx, xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "ann", Address: "10.0.0.1"})
	return xxladapter.NewAuditRow(ctx, xxladapter.AuditPosition{ID: 6, Hash: "before"}, time.UnixMilli(1234).Add(999),
		xxladapter.AuditObject{Kind: "job", ID: 8, Name: "名", JobID: 9, GroupID: 10},
		xxladapter.DiffFields(xxladapter.Fields{{Name: "f", Value: "<a>"}}, xxladapter.Fields{{Name: "f", Value: 2}}))
}

// The hash is a promise to programs that check exports: it must not change between releases.
func TestADigestIsAsDescribed(t *testing.T) {
	row := auditRow(t)
	text := ""
	for _, field := range []string{
		"before", "7", "1234", "user", "ann", "10.0.0.1", "PUT /x", "job", "8", "名", "9", "10",
		`[{"field":"f","before":"\u003ca\u003e","after":2}]`,
	} {
		text += fmt.Sprintf("%d:%s,", len(field), field)
	}
	sum := sha256.Sum256([]byte(text))
	require.Equal(t, hex.EncodeToString(sum[:]), row.Hash)
	sum = sha256.Sum256([]byte("xxlwheel audit"))
	require.Equal(t, hex.EncodeToString(sum[:]), xxladapter.AuditGenesis)
}

func TestADigestCoversEveryField(t *testing.T) {
	for name, change := range map[string]func(*xxladapter.AuditRow){
		"id":       func(r *xxladapter.AuditRow) { r.ID++ },
		"time":     func(r *xxladapter.AuditRow) { r.At = r.At.Add(time.Millisecond) },
		"kind":     func(r *xxladapter.AuditRow) { r.Actor.Kind = xxladapter.ActorToken },
		"name":     func(r *xxladapter.AuditRow) { r.Actor.Name = "" },
		"address":  func(r *xxladapter.AuditRow) { r.Actor.Address = "" },
		"call":     func(r *xxladapter.AuditRow) { r.Call = "" },
		"object":   func(r *xxladapter.AuditRow) { r.Object.Kind = "" },
		"its id":   func(r *xxladapter.AuditRow) { r.Object.ID = 0 },
		"its name": func(r *xxladapter.AuditRow) { r.Object.Name = "" },
		"its job":  func(r *xxladapter.AuditRow) { r.Object.JobID, r.Object.GroupID = r.Object.GroupID, r.Object.JobID },
		"changes":  func(r *xxladapter.AuditRow) { r.Changes = nil },
		"before":   func(r *xxladapter.AuditRow) { r.Previous = "" },
	} {
		row := auditRow(t)
		require.Equal(t, row.Hash, row.Digest())
		change(&row)
		require.NotEqual(t, row.Hash, row.Digest(), name)
	}
}

func TestDiffFieldsComparesAndConceals(t *testing.T) {
	type fields = xxladapter.Fields
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	for _, c := range []struct {
		before, after fields
		want          []xxladapter.FieldChange
	}{
		{nil, nil, nil},
		{fields{{Name: "a", Value: []string{}}}, fields{{Name: "a", Value: []int64{}}}, nil},
		{fields{{Name: "a", Value: 1}, {Name: "b", Value: 2}}, fields{{Name: "b", Value: 3}, {Name: "c", Value: 4}}, []xxladapter.FieldChange{
			{Field: "b", Before: raw("2"), After: raw("3")}, {Field: "c", After: raw("4")}, {Field: "a", Before: raw("1")},
		}},
		{fields{{Name: "t", Value: "one", Secret: true}}, fields{{Name: "t", Value: "two", Secret: true}}, []xxladapter.FieldChange{
			{Field: "t", Before: raw(`"********"`), After: raw(`"********"`)},
		}},
		{fields{{Name: "t", Value: "one", Secret: true}}, fields{{Name: "t", Value: "", Secret: true}}, []xxladapter.FieldChange{
			{Field: "t", Before: raw(`"********"`), After: raw(`""`)},
		}},
	} {
		require.Equal(t, c.want, xxladapter.DiffFields(c.before, c.after))
	}
}

func TestWhatIsPurgedIsNamed(t *testing.T) {
	for _, p := range []xxladapter.LogPurge{{}, {JobID: 1}, {GroupID: 1}, {Before: time.Now()}, {KeepNewest: 1}} {
		require.Len(t, p.Fields(), 1, "%+v", p)
	}
}
