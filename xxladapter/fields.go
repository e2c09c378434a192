package xxladapter

import (
	"bytes"
	"encoding/json"
	"time"
)

// A Field is a value of something that people edit, by the name that the API gives it.
type Field struct {
	Name  string
	Value any // anything that encoding/json encodes
	// Secret values are compared, and concealed in all that is shown or kept.
	Secret bool
}

// Fields are the fields of one object, in the order of its form.
type Fields []Field

// A FieldChange is a field before and after a change, as JSON. Before is absent for a new object,
// After for a removed one.
type FieldChange struct {
	Field  string          `json:"field" doc:"The field's name in the calls that read and change the object."`
	Before json.RawMessage `json:"before,omitempty" doc:"The value before; omitted if there was none."`
	After  json.RawMessage `json:"after,omitempty" doc:"The value after; omitted if there is none."`
}

// Concealed stands for a secret value.
const Concealed = "********"

// DiffFields returns the fields that differ. Fields of the same name are compared by their JSON
// form, and secret ones are concealed.
func DiffFields(before, after Fields) []FieldChange {
	var changes []FieldChange
	old := make(map[string]Field, len(before))
	for _, f := range before {
		old[f.Name] = f
	}
	for _, f := range after {
		was, had := old[f.Name]
		delete(old, f.Name)
		change := FieldChange{Field: f.Name, After: f.shown()}
		if had {
			if bytes.Equal(was.JSON(), f.JSON()) {
				continue
			}
			change.Before = was.shown()
		}
		changes = append(changes, change)
	}
	for _, f := range before {
		if _, gone := old[f.Name]; gone {
			changes = append(changes, FieldChange{Field: f.Name, Before: f.shown()})
		}
	}
	return changes
}

// JSON returns the value as JSON. Secret values are not concealed.
func (f Field) JSON() json.RawMessage {
	text, err := json.Marshal(f.Value)
	if err != nil {
		panic(err) // fields are texts, numbers, lists and settings
	}
	return text
}

// shown returns the JSON of what may be shown.
func (f Field) shown() json.RawMessage {
	if f.Secret && f.Value != "" {
		f.Value = Concealed
	}
	return f.JSON()
}

// Fields returns what an operator edits of the job, and whether its schedule is on.
func (j *Job) Fields() Fields {
	return Fields{
		{Name: "jobGroup", Value: j.GroupID},
		{Name: "name", Value: j.Name},
		{Name: "author", Value: j.Author},
		{Name: "alarmEmail", Value: j.AlarmEmail},
		{Name: "scheduleType", Value: j.ScheduleType},
		{Name: "scheduleConf", Value: j.ScheduleConf},
		{Name: "misfireStrategy", Value: j.Misfire},
		{Name: "executorRouteStrategy", Value: j.Route},
		{Name: "executorHandler", Value: j.Handler},
		{Name: "executorParam", Value: j.Param},
		{Name: "executorBlockStrategy", Value: j.Block},
		{Name: "executorTimeout", Value: int64(j.Timeout / time.Second)},
		{Name: "executorFailRetryCount", Value: j.RetryCount},
		{Name: "glueType", Value: j.GlueType},
		{Name: "glueSource", Value: j.GlueSource},
		{Name: "glueRemark", Value: j.GlueRemark},
		{Name: "childJobIds", Value: append([]int64{}, j.ChildIDs...)},
		{Name: "settings", Value: j.Settings},
		{Name: "tags", Value: append([]string{}, j.Tags...)},
		{Name: "running", Value: j.Running},
	}
}

// Fields returns what an operator edits of the group. The addresses of an automatic group come from
// registrations and are left out.
func (g *Group) Fields() Fields {
	fields := Fields{
		{Name: "appName", Value: g.AppName},
		{Name: "title", Value: g.Title},
		{Name: "addressType", Value: g.AddressType},
		{Name: "accessToken", Value: g.AccessToken, Secret: true},
	}
	if g.AddressType == AddressManual {
		fields = append(fields, Field{Name: "addressList", Value: append([]string{}, g.Addresses...)})
	}
	if len(g.Drains) > 0 {
		fields = append(fields, Field{Name: "drains", Value: g.Drains})
	}
	return fields
}

// Audited returns the job as the object of a change.
func (j *Job) Audited() AuditObject {
	return AuditObject{Kind: AuditJob, ID: j.ID, Name: j.Name, JobID: j.ID, GroupID: j.GroupID}
}

// Audited returns the group as the object of a change.
func (g *Group) Audited() AuditObject {
	return AuditObject{Kind: AuditGroup, ID: g.ID, Name: g.AppName, GroupID: g.ID}
}

// Fields returns the order as its audit row shows it, with what distinguishes its fire from the
// job's own.
func (o *Order) Fields(f *Fire) Fields {
	fields := Fields{{Name: orderField, Value: o.ID}, {Name: "triggerType", Value: f.Type}}
	if f.Param != nil {
		fields = append(fields, Field{Name: "executorParam", Value: *f.Param})
	}
	if len(f.Addresses) > 0 {
		fields = append(fields, Field{Name: "addressList", Value: f.Addresses})
	}
	return fields
}

// Fields returns what restricts the purge.
func (p LogPurge) Fields() Fields {
	fields := Fields{}
	if p.JobID != 0 {
		fields = append(fields, Field{Name: "jobId", Value: p.JobID})
	}
	if p.GroupID != 0 {
		fields = append(fields, Field{Name: "jobGroup", Value: p.GroupID})
	}
	if !p.Before.IsZero() {
		fields = append(fields, Field{Name: "before", Value: p.Before.UTC()})
	}
	if p.KeepNewest != 0 {
		fields = append(fields, Field{Name: "keepNewest", Value: p.KeepNewest})
	}
	if len(fields) == 0 {
		fields = append(fields, Field{Name: "all", Value: true})
	}
	return fields
}

// Audited returns the runs of the purge as the object of a change.
func (p LogPurge) Audited() AuditObject {
	return AuditObject{Kind: AuditRuns, JobID: p.JobID, GroupID: p.GroupID}
}

// ZoneFields returns the time zone of all schedules as a field; an empty zone has none.
func ZoneFields(zone string) Fields {
	if zone == "" {
		return nil
	}
	return Fields{{Name: "zone", Value: zone}}
}

// A FieldConflict is a field that two callers have seen differently.
type FieldConflict struct {
	Field  string          `json:"field"`
	Yours  json.RawMessage `json:"yours,omitempty" doc:"The value in this call; omitted if the call does not give the field."`
	Stored json.RawMessage `json:"stored" doc:"The value now."`
	Base   json.RawMessage `json:"base,omitempty" doc:"The value that this call started from; omitted if it is no longer known."`
}

// FieldConflicts compares three states of one object: base, from which a caller started; stored, as
// it is now; and yours, the fields that the caller gives. It returns the fields of yours that are
// stored otherwise, and the other ones that differ from base: somebody else has changed them. The
// former value of a field that base lacks is unknown. Fields that stored lacks are left out. The
// order is that of stored; secret values are concealed.
func FieldConflicts(base, stored, yours Fields) []FieldConflict {
	from, mine := base.byName(), yours.byName()
	var conflicts []FieldConflict
	for _, is := range stored {
		c := FieldConflict{Field: is.Name, Stored: is.shown()}
		was, known := from[is.Name]
		differs := known && !bytes.Equal(was.JSON(), is.JSON())
		if known {
			c.Base = was.shown()
		}
		if wants, given := mine[is.Name]; given {
			c.Yours = wants.shown()
			differs = !bytes.Equal(wants.JSON(), is.JSON())
		}
		if differs {
			conflicts = append(conflicts, c)
		}
	}
	return conflicts
}

func (f Fields) byName() map[string]Field {
	fields := make(map[string]Field, len(f))
	for _, field := range f {
		fields[field.Name] = field
	}
	return fields
}
