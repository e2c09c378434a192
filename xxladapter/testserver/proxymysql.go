//go:build unix

package testserver

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"
	"sync"
)

// mysqlProtocol parses the protocol of MySQL and MariaDB.
type mysqlProtocol struct {
	mu           sync.Mutex // guards the fields below
	authorized   bool       // the handshake is over
	greeted      bool       // the client has answered the greeting
	deprecateEOF bool       // result sets end with an OK packet
	cachesColumn bool       // MariaDB may leave column definitions out
	asked        []mysqlCommand
	texts        map[uint32]string // of prepared statements, by id

	// The fields below belong to the answer that is being read.
	state mysqlAnswer
	skip  int // packets of definitions to come
	after int // and further packets after their EOF
}

type mysqlCommand struct {
	code byte
	text string
}

// The kinds of packets that may come next in an answer.
type mysqlAnswer int

const (
	mysqlHeader mysqlAnswer = iota
	mysqlDefinitions
	mysqlDefinitionsEOF
	mysqlRows
)

const (
	mysqlQuit          = 0x01
	mysqlQuery         = 0x03
	mysqlPrepare       = 0x16
	mysqlExecute       = 0x17
	mysqlSendLongData  = 0x18
	mysqlCloseStmt     = 0x19
	mysqlMoreResults   = 0x0008     // of a status
	mysqlDeprecateEOF  = 0x01000000 // of the client's capabilities
	mariaCacheMetadata = 0x00000010 // of MariaDB's additional capabilities
)

func newMySQLProtocol() protocol { return &mysqlProtocol{texts: map[uint32]string{}} }

func (m *mysqlProtocol) request(from *bufio.Reader) (raw []byte, r *Request, err error) {
	raw, err = readPacket(from)
	if err != nil {
		return nil, nil, err
	}
	body := raw[4:]
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.authorized {
		if !m.greeted && len(body) >= 32 {
			m.greeted = true
			m.deprecateEOF = binary.LittleEndian.Uint32(body)&mysqlDeprecateEOF != 0
			m.cachesColumn = body[0]&1 == 0 && binary.LittleEndian.Uint32(body[28:])&mariaCacheMetadata != 0
		}
		return raw, nil, nil
	}
	if len(body) == 0 {
		return raw, nil, nil
	}
	c := mysqlCommand{code: body[0]}
	switch c.code {
	case mysqlQuit, mysqlSendLongData, mysqlCloseStmt:
		return raw, nil, nil // it gets no answer
	case mysqlQuery:
		r = &Request{Statements: splitStatements(string(body[1:]), true)}
	case mysqlPrepare:
		c.text = string(body[1:])
		r = &Request{}
	case mysqlExecute:
		r = &Request{Statements: []string{m.texts[binary.LittleEndian.Uint32(body[1:])]}}
	default:
		r = &Request{}
	}
	m.asked = append(m.asked, c)
	return raw, r, nil
}

func (m *mysqlProtocol) answer(from *bufio.Reader) (raw []byte, last bool, err error) {
	raw, err = readPacket(from)
	if err != nil {
		return nil, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	body := raw[4:]
	if len(body) == 0 {
		return raw, false, nil
	}
	if !m.authorized {
		m.authorized = m.greeted && body[0] == 0
		return raw, false, nil
	}
	if len(m.asked) == 0 {
		return raw, false, nil // the client says goodbye
	}
	if last = m.isLast(body); last {
		m.asked = m.asked[1:]
		m.state = mysqlHeader
	}
	return raw, last, nil
}

// isLast reports whether a packet ends its answer.
//
// REQUIRES: m.mu is held.
func (m *mysqlProtocol) isLast(body []byte) bool {
	switch m.state {
	case mysqlHeader:
		return m.header(body)
	case mysqlDefinitions:
		m.skip--
		return m.skip == 0 && m.defined()
	case mysqlDefinitionsEOF:
		if m.asked[0].code == mysqlPrepare {
			m.skip, m.after = m.after, 0
			m.state = mysqlDefinitions
			return m.skip == 0
		}
		m.state = mysqlRows
	case mysqlRows:
		switch {
		case body[0] == 0xff:
			return true
		case body[0] == 0xfe && len(body) < 0xffffff:
			if !m.deprecateEOF && len(body) < 9 {
				return m.ends(body[3:])
			}
			if m.deprecateEOF {
				return m.ends(afterCounts(body[1:]))
			}
		}
	}
	return false
}

// header reads the first packet of a result.
//
// REQUIRES: m.mu is held.
func (m *mysqlProtocol) header(body []byte) (last bool) {
	switch {
	case body[0] == 0xff:
		return true
	case m.asked[0].code == mysqlPrepare && len(body) >= 9:
		m.texts[binary.LittleEndian.Uint32(body[1:])] = m.asked[0].text
		columns, params := int(binary.LittleEndian.Uint16(body[5:])), int(binary.LittleEndian.Uint16(body[7:]))
		if m.deprecateEOF {
			m.skip = columns + params
		} else if m.skip, m.after = params, columns; params == 0 {
			m.skip, m.after = columns, 0
		}
		m.state = mysqlDefinitions
		return m.skip == 0
	case body[0] == 0:
		return m.ends(afterCounts(body[1:]))
	}
	columns, rest := lengthEncoded(body)
	m.skip = int(columns)
	m.state = mysqlDefinitions
	if m.cachesColumn && len(rest) > 0 && rest[0] == 0 {
		m.skip = 0
		m.state = mysqlRows
		if !m.deprecateEOF {
			m.state = mysqlDefinitionsEOF
		}
	}
	return false
}

// defined continues after the definitions.
//
// REQUIRES: m.mu is held.
func (m *mysqlProtocol) defined() (last bool) {
	switch {
	case !m.deprecateEOF:
		m.state = mysqlDefinitionsEOF
	case m.asked[0].code == mysqlPrepare:
		return true
	default:
		m.state = mysqlRows
	}
	return false
}

// ends reads a status, which tells whether another result follows.
//
// REQUIRES: m.mu is held.
func (m *mysqlProtocol) ends(status []byte) bool {
	m.state = mysqlHeader
	return len(status) < 2 || binary.LittleEndian.Uint16(status)&mysqlMoreResults == 0
}

// afterCounts skips the changed rows and the id of an OK packet.
func afterCounts(b []byte) []byte {
	_, b = lengthEncoded(b)
	_, b = lengthEncoded(b)
	return b
}

func lengthEncoded(b []byte) (n uint64, rest []byte) {
	size := 0
	switch {
	case len(b) == 0:
		return 0, nil
	case b[0] < 0xfb:
		return uint64(b[0]), b[1:]
	case b[0] == 0xfc:
		size = 2
	case b[0] == 0xfd:
		size = 3
	case b[0] == 0xfe:
		size = 8
	}
	if len(b) < 1+size {
		return 0, nil
	}
	for i := size; i > 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n, b[1+size:]
}

// readPacket reads one packet with its header, and the packets that continue it.
func readPacket(from *bufio.Reader) (raw []byte, err error) {
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(from, head); err != nil {
			return nil, err
		}
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		packet, err := readRest(from, head, n)
		if err != nil {
			return nil, err
		}
		raw = append(raw, packet...)
		if n < 0xffffff {
			return raw, nil
		}
	}
}

// splitStatements splits at semicolons outside of quotes.
func splitStatements(text string, backslashes bool) (statements []string) {
	begin, quote := 0, byte(0)
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			statements = append(statements, s)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\' && backslashes:
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == ';':
			add(text[begin:i])
			begin = i + 1
		}
	}
	add(text[begin:])
	return statements
}
