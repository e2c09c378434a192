package jobs

import (
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// TestHelpNamesEveryValue compares the help texts, which explain the values of enumerations one by
// one, with what the API accepts.
func TestHelpNamesEveryValue(t *testing.T) {
	flags := reflect.TypeFor[fieldFlags]()
	for name, values := range map[string]any{
		"Route": xxladapter.RouteStrategy("").Values(), "Block": xxladapter.BlockStrategy("").Values(),
		"GlueType": xxladapter.GlueType("").Values(), "Misfire": xxladapter.MisfireStrategy("").Values(),
		"Ambiguous": xxladapter.AmbiguousStrategy("").Values(), "AlarmOn": xxladapter.AlarmRule("").Values(),
		"KeepLogs": xxladapter.LogPolicy("").Values(),
	} {
		flag, known := flags.FieldByName(name)
		require.True(t, known, name)
		helpNames(t, flag, values)
	}
}

func helpNames(t *testing.T, flag reflect.StructField, values any) {
	t.Helper()
	for _, value := range reflect.ValueOf(values).Seq2() {
		require.Regexp(t, `\b`+value.String()+`\b`, flag.Tag.Get("help"), flag.Name)
	}
}

// TestEveryFieldOfAJobHasAFlag compares the flags with the API's description of itself, in both
// directions.
func TestEveryFieldOfAJobHasAFlag(t *testing.T) {
	api, err := admin.New(admin.Options{Store: memstore.New(time.Now), Completer: struct{ admin.Completer }{}})
	require.NoError(t, err)
	server := httptest.NewServer(api)
	defer server.Close()
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	require.NoError(t, client.API{Server: server.URL}.Call(t.Context(), "GET", "/openapi.json", nil, &document))
	var want []string
	for name := range document.Components.Schemas["Job"].Properties {
		switch name {
		case "id", "jobGroup": // the argument, and appName
		case "running", "triggerLastTime", "triggerNextTime", "addTime", "updateTime": // only shown
		case "scheduleType", "scheduleConf": // --cron and the flags beside it
		case "settings":
		default:
			want = append(want, name)
		}
	}
	require.Greater(t, len(want), 10)
	for name := range document.Components.Schemas["Settings"].Properties {
		want = append(want, "settings."+name)
	}
	var have []string
	for _, f := range apiFields {
		have = append(have, f.api)
	}
	require.ElementsMatch(t, want, have)
}
