package xxladapter

import "fmt"

// A ChainError names the first row that breaks the chain of the audit.
type ChainError struct {
	ID   int64  // of the row that is missing, changed or too many
	Rule string // what is wrong with it
}

func (e *ChainError) Error() string { return fmt.Sprintf("audit row %d %s", e.ID, e.Rule) }

// FollowChain checks that rows follow the mark in the chain without a gap, and returns the mark
// behind them. The error is a [ChainError] about the first row that does not.
func FollowChain(from AuditMark, rows []AuditRow) (AuditMark, error) {
	for i := range rows {
		row := &rows[i]
		switch {
		case row.ID > from.ID+1:
			return from, &ChainError{from.ID + 1, fmt.Sprintf("is missing, the next one is %d", row.ID)}
		case row.ID < from.ID+1:
			return from, &ChainError{row.ID, fmt.Sprintf("is out of order, must be %d", from.ID+1)}
		case row.Previous != from.Hash:
			return from, &ChainError{row.ID, "does not follow the row before, one of them was replaced"}
		case row.Hash != row.Digest():
			return from, &ChainError{row.ID, "was changed, its hash differs"}
		}
		from = row.Mark()
	}
	return from, nil
}

// EndChain checks that the chain, followed up to a mark, ends at last. The error is a [ChainError].
func EndChain(at, last AuditMark) error {
	switch {
	case at.ID < last.ID:
		return &ChainError{at.ID + 1, fmt.Sprintf("is missing, the last one is %d", last.ID)}
	case at.ID > last.ID:
		return &ChainError{last.ID + 1, fmt.Sprintf("is too many, the last one is %d", last.ID)}
	case at.Hash != last.Hash:
		return &ChainError{last.ID, "was replaced, the chain ends with another hash"}
	}
	return nil
}
