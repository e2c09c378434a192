//go:build unix

package testserver

import "bufio"

// opaqueProtocol carries bytes whose meaning it does not know; no trap catches any.
type opaqueProtocol struct{}

func newOpaqueProtocol() protocol { return opaqueProtocol{} }

func (opaqueProtocol) request(from *bufio.Reader) (raw []byte, r *Request, err error) {
	raw, err = readSome(from)
	return raw, nil, err
}

func (opaqueProtocol) answer(from *bufio.Reader) (raw []byte, last bool, err error) {
	raw, err = readSome(from)
	return raw, false, err
}

// readSome returns what has arrived, and waits until something has.
func readSome(from *bufio.Reader) ([]byte, error) {
	if _, err := from.Peek(1); err != nil {
		return nil, err
	}
	raw := make([]byte, from.Buffered())
	n, err := from.Read(raw)
	return raw[:n], err
}
