package spread

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// MaxFires limits the fires that one hint names.
	MaxFires = 5000
	// maxBody limits a body, in bytes: a hint of MaxFires with the longest ids and names.
	maxBody = 128 << 10
	// maxNode limits the name of a node, in bytes.
	maxNode = 255
)

// A Hint names planned fires that a leader wants another node to hand over.
type Hint struct {
	// From is the term of the leader, and To the term of the node that gets the hint.
	From, To xxladapter.Term
	// Fires are ids of fires in ascending order, 1 to [MaxFires].
	Fires []int64
}

// A wireTerm is a term in a body.
type wireTerm struct {
	Node string `json:"node"`
	Term int64  `json:"term"`
}

func wireTermOf(t xxladapter.Term) wireTerm { return wireTerm{t.Node, t.Number} }

func (t wireTerm) check(field string) error {
	if t.Node == "" || len(t.Node) > maxNode || t.Term < 1 {
		return fmt.Errorf("%s must be the node and the term of a lease", field)
	}
	return nil
}

// A body is a hint as it is sent.
type body struct {
	From  wireTerm `json:"from"`
	To    wireTerm `json:"to"`
	Fires []int64  `json:"fires"`
}

// encode returns the body of a hint.
func encode(h Hint) ([]byte, error) {
	return json.Marshal(body{wireTermOf(h.From), wireTermOf(h.To), h.Fires})
}

// decode reads a body that has exactly what encode writes. Its errors are for the sender to read.
func decode(data []byte) (h Hint, err error) {
	var b body
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return h, fmt.Errorf("body is no hint: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return h, errors.New("body has more than one value")
	}
	if err := errors.Join(b.From.check("from"), b.To.check("to")); err != nil {
		return h, err
	}
	if len(b.Fires) == 0 || len(b.Fires) > MaxFires {
		return h, fmt.Errorf("fires has %d ids, must have 1 to %d", len(b.Fires), MaxFires)
	}
	last := int64(0)
	for _, id := range b.Fires {
		if id <= last {
			return h, errors.New("fires must be positive ids in ascending order")
		}
		last = id
	}
	return Hint{
		xxladapter.Term{Node: b.From.Node, Number: b.From.Term}, xxladapter.Term{Node: b.To.Node, Number: b.To.Term},
		b.Fires,
	}, nil
}
