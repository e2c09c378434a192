package main

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
)

type auditVerifyCmd struct {
	Expect string `placeholder:"ROW:HASH" help:"A row and its hash as an earlier verification printed them: fail unless the row still has that hash."`
	File   string `placeholder:"FILE" help:"Check a file that audit export wrote without filters, in place of the scheduler's store."`
}

// An auditState is the result of a check.
type auditState struct {
	Whole  bool                 `json:"whole"`
	Rows   int64                `json:"rows"`
	Anchor xxladapter.AuditMark `json:"anchor"`
	Last   xxladapter.AuditMark `json:"last"`
	Broken *struct {
		ID   int64  `json:"id"`
		Rule string `json:"rule"`
	} `json:"broken,omitempty"`
}

func (c *auditVerifyCmd) Run(inv *invocation, parent *auditCmd) error {
	expected, err := parseMark(c.Expect)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	var state auditState
	shown := inv.asks && !parent.Quiet
	if c.File != "" {
		err := waiting(inv.stderr, shown, doing("reading the file"), func() (err error) {
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
		api := parent.api()
		api.patient = true // a long chain takes minutes
		err := waiting(inv.stderr, shown, doing("verifying"), func() error { return api.call(inv.ctx, "GET", "/audit/verify", nil, &raw) })
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &state); err != nil {
			return err
		}
	}
	if parent.structured() {
		err = parent.printRaw(inv.stdout, raw)
	} else if state.Whole {
		_, err = fmt.Fprintf(inv.stdout, "%d rows, %d to %d, form a whole chain; keep this to compare later: %d:%s\n",
			state.Rows, state.Anchor.ID+1, state.Last.ID, state.Last.ID, state.Last.Hash)
	}
	if err != nil {
		return err
	}
	if !state.Whole {
		return fmt.Errorf("audit row %d %s", state.Broken.ID, state.Broken.Rule)
	}
	if c.File != "" {
		return expected.check()
	}
	return c.compare(inv, parent, expected, state)
}

// compare reads the expected row from the store.
func (c *auditVerifyCmd) compare(inv *invocation, parent *auditCmd, expected expectedMark, state auditState) error {
	switch {
	case expected.ID == 0:
		return nil
	case expected.ID == state.Anchor.ID:
		expected.found = state.Anchor.Hash
		return expected.check()
	case expected.ID < state.Anchor.ID:
		return fmt.Errorf("audit row %d was deleted because of its age, must be %d or later to be compared", expected.ID, state.Anchor.ID)
	}
	var list struct{ Rows []xxladapter.AuditRow }
	if err := parent.api().call(inv.ctx, "GET", fmt.Sprintf("/audit?after=%d&limit=1", expected.ID-1), nil, &list); err != nil {
		return err
	}
	for _, row := range list.Rows {
		expected.see(row.Mark())
	}
	return expected.check()
}

// An expectedMark is a row whose hash was kept from an earlier check.
type expectedMark struct {
	xxladapter.AuditMark
	found string // the row's hash today
}

func parseMark(text string) (m expectedMark, err error) {
	if text == "" {
		return m, nil
	}
	id, hash, found := strings.Cut(text, ":")
	m.Hash = hash
	if m.ID, err = strconv.ParseInt(id, 10, 64); err != nil || !found || m.ID < 1 || len(hash) != len(xxladapter.AuditGenesis) {
		return m, usagef("--expect is %q, must be a row and its hash, such as audit verify prints them", text)
	}
	return m, nil
}

func (m *expectedMark) see(at xxladapter.AuditMark) {
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
func verifyFile(name string, expected *expectedMark) (state auditState, err error) {
	file, err := os.Open(name)
	if err != nil {
		return state, err
	}
	defer file.Close()
	lines := json.NewDecoder(bufio.NewReader(file))
	state.Whole = true
	for {
		var row xxladapter.AuditRow
		if err := lines.Decode(&row); errors.Is(err, io.EOF) {
			return state, nil
		} else if err != nil {
			return state, fmt.Errorf("%s: row %d: %w", name, state.Rows+1, err)
		}
		if state.Rows == 0 {
			state.Anchor = xxladapter.AuditMark{ID: row.ID - 1, Hash: row.Previous}
			state.Last = state.Anchor
		}
		if state.Last, err = xxladapter.FollowChain(state.Last, []xxladapter.AuditRow{row}); err != nil {
			return state, fmt.Errorf("%s: %w", name, err)
		}
		expected.see(state.Last)
		state.Rows++
	}
}
