package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A Callback reports that a run ended.
type Callback struct {
	LogID      Int
	LogTime    Int    // the [RunRequest.LogTime] of the run; admins do not use it
	HandleCode Int    // [CodeOK], [CodeFail] or [CodeTimeout]
	HandleMsg  string // up to 50,000 characters and "..."
}

// callback is the union of what the generations send. executeResult comes from the common Go
// executor, whose old releases send code and text only there.
type callback struct {
	LogID         Int             `json:"logId"`
	LogDateTim    *Int            `json:"logDateTim,omitempty"`
	LogDateTime   *Int            `json:"logDateTime,omitempty"`
	HandleCode    Int             `json:"handleCode"`
	HandleMsg     json.RawMessage `json:"handleMsg"`
	ExecuteResult *executeResult  `json:"executeResult"`
}

type executeResult struct {
	Code Int             `json:"code"`
	Msg  json.RawMessage `json:"msg"`
}

// UnmarshalJSON accepts either spelling of the time. If handleCode is missing or 0, it uses the
// code of executeResult, and the text of executeResult if there is no handleMsg. A message that is
// not a string is kept as its JSON text, so that the result is not lost.
func (c *Callback) UnmarshalJSON(data []byte) error {
	var raw callback
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*c = Callback{
		LogID: raw.LogID, LogTime: either(raw.LogDateTime, raw.LogDateTim),
		HandleCode: raw.HandleCode, HandleMsg: plainText(raw.HandleMsg),
	}
	if raw.ExecuteResult != nil && c.HandleCode == 0 {
		c.HandleCode = raw.ExecuteResult.Code
		if c.HandleMsg == "" {
			c.HandleMsg = plainText(raw.ExecuteResult.Msg)
		}
	}
	return nil
}

// plainText returns the content of a JSON string, "" for null or no value, and any other value as
// JSON text.
func plainText(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	var text *string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	if text == nil {
		return ""
	}
	return *text
}

// MarshalJSON writes the fields of G1 to G3.
func (c Callback) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		LogID      Int    `json:"logId"`
		LogTime    Int    `json:"logDateTim"`
		HandleCode Int    `json:"handleCode"`
		HandleMsg  string `json:"handleMsg,omitempty"`
	}(c))
}

// Callbacks is the body of [OpCallback]. It is decoded from the bare list of G1 to G3 or from G4's
// object, and encoded as the bare list.
type Callbacks []Callback

// UnmarshalJSON refuses a body that is neither such a list nor such an object.
func (c *Callbacks) UnmarshalJSON(data []byte) error {
	var list []*Callback
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var wrapped struct {
			List *[]*Callback `json:"callbackList"`
		}
		if err := json.Unmarshal(data, &wrapped); err != nil {
			return err
		}
		if wrapped.List == nil {
			return errors.New("callbackList is missing, must be a list")
		}
		list = *wrapped.List
	} else if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*c = make(Callbacks, len(list))
	for i, one := range list {
		if one == nil {
			return fmt.Errorf("callback %d is null, must be an object", i)
		}
		(*c)[i] = *one
	}
	return nil
}

// MarshalJSON writes a list, even if it is empty.
func (c Callbacks) MarshalJSON() ([]byte, error) {
	if c == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]Callback(c))
}

// MarshalG4 writes the object that G4 admins require.
func (c Callbacks) MarshalG4() ([]byte, error) {
	type item struct {
		LogID      Int    `json:"logId"`
		LogTime    Int    `json:"logDateTime"`
		HandleCode Int    `json:"handleCode"`
		HandleMsg  string `json:"handleMsg,omitempty"`
	}
	list := make([]item, len(c))
	for i, cb := range c {
		list[i] = item(cb)
	}
	return json.Marshal(map[string]any{"callbackList": list})
}

// A Registry is the body of [OpRegistry] and [OpRegistryRemove].
type Registry struct {
	Group string `json:"registryGroup"` // [RegistryGroup]
	Key   string `json:"registryKey"`   // app name
	Value string `json:"registryValue"` // address
}
