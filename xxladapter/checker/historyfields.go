package checker

// A field is a field name in a line.
type field uint8

const (
	fKind field = iota
	fJob
	fLog
	fOf
	fAt
	fAsked
	fAcked
	fFirst
	fDue
	fUntil
	fSince
	fStart
	fEnd
	fHandled
	fShard
	fShards
	fCode
	fTriggerCode
	fHandleCode
	fRetries
	fN
	fOp
	fType
	fConf
	fZone
	fStrategy
	fBy
	fChildren

	fields
)

var fieldNames = [fields]string{
	"kind", "job", "log", "of", "at", "asked", "acked", "first", "due", "until", "since", "start", "end", "handled",
	"shard", "shards", "code", "trigger_code", "handle_code", "retries", "n",
	"op", "type", "conf", "zone", "strategy", "by", "children",
}

// fieldNamed returns the field with a name, or fields if there is none. The compiler turns the
// switch into a binary search, which is much faster than a map for such names.
func fieldNamed(name []byte) field {
	switch string(name) {
	case "kind":
		return fKind
	case "job":
		return fJob
	case "log":
		return fLog
	case "of":
		return fOf
	case "at":
		return fAt
	case "asked":
		return fAsked
	case "acked":
		return fAcked
	case "first":
		return fFirst
	case "due":
		return fDue
	case "until":
		return fUntil
	case "since":
		return fSince
	case "start":
		return fStart
	case "end":
		return fEnd
	case "handled":
		return fHandled
	case "shard":
		return fShard
	case "shards":
		return fShards
	case "code":
		return fCode
	case "trigger_code":
		return fTriggerCode
	case "handle_code":
		return fHandleCode
	case "retries":
		return fRetries
	case "n":
		return fN
	case "op":
		return fOp
	case "type":
		return fType
	case "conf":
		return fConf
	case "zone":
		return fZone
	case "strategy":
		return fStrategy
	case "by":
		return fBy
	case "children":
		return fChildren
	}
	return fields
}

// A set is a set of fields.
type set uint32

func setOf(fs ...field) set {
	s := set(0)
	for _, f := range fs {
		s |= 1 << f
	}
	return s
}

// A class is the syntax and the range of a field's value.
type class struct {
	text, list bool
	min, max   int64 // of numbers
}

var classes = func() (c [fields]class) {
	for f := range c {
		switch field(f) {
		case fKind, fOp, fType, fConf, fZone, fStrategy, fBy:
			c[f].text = true
		case fChildren:
			c[f] = class{list: true, min: 1, max: 1<<63 - 1}
		case fJob, fN:
			c[f] = class{min: 1, max: 1<<63 - 1}
		case fLog, fOf:
			c[f] = class{max: 1<<63 - 1}
		case fShard, fShards, fRetries:
			c[f] = class{max: 1<<20 - 1}
		case fCode, fTriggerCode, fHandleCode:
			c[f] = class{min: -1 << 31, max: 1<<31 - 1}
		default:
			c[f] = class{max: int64(latestInstant)}
		}
	}
	return c
}()
