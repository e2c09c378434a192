package scheduler

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestAKeptFireIsWhole keeps an ordinary fire, and ones that differ from it in one field each.
func TestAKeptFireIsWhole(t *testing.T) {
	ordinary := xxladapter.Fire{
		ID: 1, JobID: 2, GroupID: 3, Due: time.Now(),
		Type: xxladapter.TriggerCron, State: xxladapter.FirePlanned, RetryCount: -1,
	}
	k := keep(ordinary)
	require.Equal(t, ordinary, k.fire())
	require.Nil(t, k.whole)
	for i := range reflect.TypeFor[xxladapter.Fire]().NumField() {
		f := ordinary
		field := reflect.ValueOf(&f).Elem().Field(i)
		switch field.Interface().(type) {
		case time.Time:
			field.Set(reflect.ValueOf(time.Now().Add(time.Hour)))
		case *string:
			field.Set(reflect.ValueOf(new("param")))
		case xxladapter.Term:
			field.Set(reflect.ValueOf(xxladapter.Term{Number: 7}))
		case []string:
			field.Set(reflect.ValueOf([]string{}))
		default:
			switch {
			case field.CanInt():
				field.SetInt(7)
			case field.CanUint():
				field.SetUint(7)
			default:
				field.SetString("other")
			}
		}
		k := keep(f)
		require.Equal(t, f, k.fire(), reflect.TypeFor[xxladapter.Fire]().Field(i).Name)
	}
}
