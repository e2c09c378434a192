package admin

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// An object is a JSON object of the OpenAPI document.
type object = map[string]any

// enums lists the values of enumerated string types.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[xxladapter.ScheduleType](): {
		xxladapter.ScheduleNone, xxladapter.ScheduleCron, xxladapter.ScheduleFixRate, xxladapter.ScheduleFixDelay, xxladapter.ScheduleOnce,
	},
	reflect.TypeFor[xxladapter.MisfireStrategy](): {
		xxladapter.MisfireDoNothing, xxladapter.MisfireFireOnceNow, xxladapter.MisfireLatest, xxladapter.MisfireAll,
	},
	reflect.TypeFor[xxladapter.RouteStrategy](): {
		xxladapter.RouteFirst, xxladapter.RouteLast, xxladapter.RouteRound, xxladapter.RouteRandom, xxladapter.RouteConsistentHash,
		xxladapter.RouteLFU, xxladapter.RouteLRU, xxladapter.RouteFailover, xxladapter.RouteBusyover, xxladapter.RouteShardingBroadcast,
	},
	reflect.TypeFor[xxladapter.BlockStrategy](): {
		xxladapter.BlockSerial, xxladapter.BlockDiscardLater, xxladapter.BlockCoverEarly,
	},
	reflect.TypeFor[xxladapter.GlueType](): {
		xxladapter.GlueBean, xxladapter.GlueGroovy, xxladapter.GlueShell, xxladapter.GluePython, xxladapter.GluePython2,
		xxladapter.GlueNodejs, xxladapter.GluePowershell, xxladapter.GluePHP,
	},
	reflect.TypeFor[xxladapter.AmbiguousPolicy](): {
		xxladapter.AmbiguousProbe, xxladapter.AmbiguousSkip, xxladapter.AmbiguousResend,
	},
	reflect.TypeFor[xxladapter.AlarmRule](): {
		xxladapter.AlarmEach, xxladapter.AlarmLastRetry, xxladapter.AlarmInARow, xxladapter.AlarmNever,
	},
	reflect.TypeFor[xxladapter.KeepLogs]():  {xxladapter.KeepAll, xxladapter.KeepFailures},
	reflect.TypeFor[xxladapter.LogStatus](): {xxladapter.LogRunning, xxladapter.LogSuccess, xxladapter.LogFail},
	reflect.TypeFor[xxladapter.TriggerType](): {
		xxladapter.TriggerCron, xxladapter.TriggerMisfire, xxladapter.TriggerManual, xxladapter.TriggerParent,
		xxladapter.TriggerRetry, xxladapter.TriggerAPI,
	},
	reflect.TypeFor[orderState](): {orderPlanned, orderStarted, orderDropped},
	reflect.TypeFor[xxladapter.FireState](): {
		xxladapter.FirePlanned, xxladapter.FireClaimed, xxladapter.FireAmbiguous,
	},
}

// schemas collects the JSON schemas of Go types, by the rules of encoding/json.
type schemas struct {
	named object // of struct types, by name
}

// of returns the schema of a type. For a struct it is a reference.
func (s *schemas) of(t reflect.Type) object {
	if values := enums[t]; values != nil {
		return object{"type": "string", "enum": values}
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Map:
		return object{"type": "object"}
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Struct:
		name := schemaName(t)
		if _, known := s.named[name]; !known {
			s.named[name] = nil // so that a type may contain itself
			s.named[name] = s.fields(t)
		}
		return object{"$ref": "#/components/schemas/" + name}
	}
	panic(fmt.Sprintf("admin: no schema for %s", t))
}

// fields returns the schema of a struct. Every JSON field is required unless it may be omitted.
func (s *schemas) fields(t reflect.Type) object {
	properties, required := object{}, []any{}
	for _, f := range jsonFields(t) {
		schema := s.of(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			schema["description"] = doc
		}
		if example := f.Tag.Get("example"); example != "" {
			schema["examples"] = []any{example}
		}
		properties[f.name] = schema
		if !f.optional {
			required = append(required, f.name)
		}
	}
	schema := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

type jsonField struct {
	reflect.StructField
	name     string
	optional bool
}

func jsonFields(t reflect.Type) (fields []jsonField) {
	for _, f := range reflect.VisibleFields(t) {
		name, flags, tagged := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "", !f.IsExported(), name == "-":
			continue
		case name == "":
			name = f.Name
		}
		optional := tagged && (strings.Contains(flags, "omitempty") || strings.Contains(flags, "omitzero"))
		fields = append(fields, jsonField{f, name, optional})
	}
	return fields
}

// schemaName returns the Go name with a capital, without the suffix Form.
func schemaName(t reflect.Type) string {
	name := strings.TrimSuffix(t.Name(), "Form")
	if name == "" {
		panic(fmt.Sprintf("admin: %s has no name, must have one to be a schema", t))
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
