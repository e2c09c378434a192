package admin

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// contents returns everything that the site's store holds, as a text: what a refused call must
// leave as it is.
func (s *site) contents() string {
	var b strings.Builder
	write(&b, reflect.ValueOf(s.store))
	return b.String()
}

// noContents are types that hold nothing that is stored.
var noContents = []reflect.Type{reflect.TypeFor[sync.Mutex](), reflect.TypeFor[*time.Location]()}

// write writes a value and all that it refers to, with its unexported fields. Maps are in the order
// of their texts. Functions and channels are left out.
//
// REQUIRES: the value does not refer to itself.
func write(b *strings.Builder, v reflect.Value) {
	if v.IsValid() && slices.Contains(noContents, v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Func, reflect.Chan:
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		write(b, v.Elem())
	case reflect.Struct:
		b.WriteByte('{')
		for i := range v.NumField() {
			fmt.Fprintf(b, "%s:", v.Type().Field(i).Name)
			write(b, v.Field(i))
			b.WriteByte(' ')
		}
		b.WriteByte('}')
	case reflect.Map:
		var entries []string
		for of := v.MapRange(); of.Next(); {
			var entry strings.Builder
			write(&entry, of.Key())
			entry.WriteByte('=')
			write(&entry, of.Value())
			entries = append(entries, entry.String())
		}
		slices.Sort(entries)
		fmt.Fprintf(b, "map%q", entries)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			fmt.Fprintf(b, "%x", v)
			return
		}
		b.WriteByte('[')
		for i := range v.Len() {
			write(b, v.Index(i))
			b.WriteByte(' ')
		}
		b.WriteByte(']')
	default:
		fmt.Fprintf(b, "%v", v)
	}
}

// TestContentsShowEachKindOfChange changes one part of the store after the other, and checks that
// contents differ each time.
func TestContentsShowEachKindOfChange(t *testing.T) {
	s := auditSite(t, false, nil)
	ctx := t.Context()
	require.Equal(t, s.contents(), s.contents())
	for name, change := range map[string]func() error{
		"a field of a job": func() error {
			j, err := s.store.Job(ctx, 1)
			require.NoError(t, err)
			j.Author += "!"
			return xxladapter.UpdateJob(ctx, s.store, j, false)
		},
		"a calendar": func() error {
			_, err := s.store.SaveCalendar(ctx, &xxladapter.Calendar{Name: "new"}, time.Time{})
			return err
		},
		"a registration": func() error { return s.store.Register(ctx, "some-app", "http://new/") },
		"a pause":        func() error { _, err := s.store.CreatePause(ctx, xxladapter.Pause{Note: "n"}); return err },
		"a drain":        func() error { return s.store.DrainExecutor(ctx, 1, xxladapter.Drain{Address: "http://a/"}) },
		"a user":         func() error { _, err := s.store.CreateUser(ctx, &xxladapter.User{Name: "new"}, false); return err },
		"a zone":         func() error { _, err := s.store.AgreeZone(ctx, "UTC"); return err },
	} {
		before := s.contents()
		require.NoError(t, change(), name)
		require.NotEqual(t, before, s.contents(), name)
	}
}
