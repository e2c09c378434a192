package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

type verifyCmd struct {
	Expect string `placeholder:"ROW:HASH" help:"A row and its hash as an earlier verification printed them: fail unless the row still has that hash."`
	File   string `predictor:"file" placeholder:"FILE" help:"Check a file that audit export wrote without filters, in place of the scheduler's store."`
}

// A state is the result of a check.
type state struct {
	Whole  bool                     `json:"whole"`
	Rows   int64                    `json:"rows"`
	Anchor xxladapter.AuditPosition `json:"anchor"`
	Last   xxladapter.AuditPosition `json:"last"`
	Broken *struct {
		ID   int64  `json:"id"`
		Rule string `json:"rule"`
	} `json:"broken,omitempty"`
}

func (c *verifyCmd) Run(inv *command.Invocation, parent *Cmd) error {
	expected, err := parseMark(c.Expect)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	var state state
	shown := inv.Asks && !parent.Quiet
	if c.File != "" {
		err := command.Waiting(inv.Stderr, shown, command.Doing("reading the file"), func() (err error) {
			state, err = verifyFile(c.File, &expected)
			return err
		})
		if err != nil {
			return err
		}
		if raw, err = json.Marshal(state); err != nil {
			return err
		}
	} else {
		api := parent.API()
		api.Patient = true // a long chain takes minutes
		err := command.Waiting(inv.Stderr, shown, command.Doing("verifying"), func() error {
			return api.Call(inv.Context, "GET", "/audit/verify", nil, &raw)
		})
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &state); err != nil {
			return err
		}
	}
	if parent.Structured() {
		err = parent.PrintRaw(inv.Stdout, raw)
	} else if state.Whole {
		_, err = fmt.Fprintf(inv.Stdout, "%d rows, %d to %d, form a whole chain; keep this to compare later: %d:%s\n",
			state.Rows, state.Anchor.ID+1, state.Last.ID, state.Last.ID, state.Last.Hash)
	}
	if err != nil {
		return err
	}
	if !state.Whole {
		if state.Broken == nil {
			return errors.New("answer to GET /audit/verify has neither whole true nor broken, must have one of them")
		}
		return fmt.Errorf("audit row %d %s", state.Broken.ID, state.Broken.Rule)
	}
	if c.File != "" {
		return expected.check()
	}
	return c.compare(inv, parent, expected, state)
}

// compare checks that the store's row has the expected hash.
func (c *verifyCmd) compare(inv *command.Invocation, parent *Cmd, expected expectedMark, state state) error {
	switch {
	case expected.ID == 0:
		return nil
	case expected.ID == state.Anchor.ID:
		expected.found = state.Anchor.Hash
		return expected.check()
	case expected.ID < state.Anchor.ID:
		return fmt.Errorf(
			"audit row %d was deleted because of its age, must be %d or later to be compared", expected.ID,
			state.Anchor.ID,
		)
	}
	// A caller who may not see the row learns its hash from the next row, or from the end of the
	// chain.
	expected.see(state.Last)
	var list struct{ Rows []xxladapter.AuditRow }
	if err := parent.API().Call(
		inv.Context, "GET", fmt.Sprintf("/audit?after=%d&limit=2", expected.ID-1), nil, &list,
	); err != nil {
		return err
	}
	for _, row := range list.Rows {
		expected.see(row.Position())
		expected.see(xxladapter.AuditPosition{ID: row.ID - 1, Hash: row.Previous})
	}
	if expected.found == "" && expected.ID < state.Last.ID {
		return fmt.Errorf(
			"audit row %d is about a user or a token, must be compared by an administrator of all groups", expected.ID,
		)
	}
	return expected.check()
}

// An expectedMark is a row whose hash was kept from an earlier check.
type expectedMark struct {
	xxladapter.AuditPosition
	found string // the row's present hash
}

func parseMark(text string) (m expectedMark, err error) {
	if text == "" {
		return m, nil
	}
	id, hash, found := strings.Cut(text, ":")
	m.Hash = hash
	beginning := "0:" + xxladapter.AuditGenesis // of an audit without rows
	if m.ID, err = strconv.ParseInt(id, 10, 64); err != nil || !found || m.ID < 1 && text != beginning ||
		len(hash) != len(xxladapter.AuditGenesis) {
		return m, command.Usagef("--expect is %q, must be ROW:HASH as audit verify prints it", text)
	}
	return m, nil
}

func (m *expectedMark) see(at xxladapter.AuditPosition) {
	if at.ID == m.ID {
		m.found = at.Hash
	}
}

func (m *expectedMark) check() error {
	switch {
	case m.ID == 0 || m.found == m.Hash:
		return nil
	case m.found == "":
		return fmt.Errorf("audit row %d does not exist, must have the hash %s", m.ID, m.Hash)
	}
	return fmt.Errorf("audit row %d has the hash %s, must have %s: the chain was rewritten", m.ID, m.found, m.Hash)
}

// verifyFile follows the chain of an export. Its first row may be any, because older ones may have
// been deleted.
func verifyFile(name string, expected *expectedMark) (state state, err error) {
	file, err := os.Open(name)
	if err != nil {
		return state, err
	}
	defer file.Close()
	lines := json.NewDecoder(bufio.NewReader(file))
	state.Whole, state.Anchor.Hash, state.Last.Hash = true, xxladapter.AuditGenesis, xxladapter.AuditGenesis
	for {
		var row xxladapter.AuditRow
		if err := lines.Decode(&row); errors.Is(err, io.EOF) {
			return state, nil
		} else if err != nil {
			return state, fmt.Errorf("%s: row %d: %w", name, state.Rows+1, err)
		}
		if state.Rows == 0 {
			state.Anchor = xxladapter.AuditPosition{ID: row.ID - 1, Hash: row.Previous}
			state.Last = state.Anchor
			expected.see(state.Anchor)
		}
		if state.Last, err = xxladapter.FollowChain(state.Last, []xxladapter.AuditRow{row}); err != nil {
			return state, fmt.Errorf("%s: %w", name, err)
		}
		expected.see(state.Last)
		state.Rows++
	}
}
