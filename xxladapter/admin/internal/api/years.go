package api

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// FirstYear and LastYear limit the times of a query, with what a call adds to them, to those that
// stores and answers in JSON can express.
const FirstYear, LastYear = 1970, 9999

// CheckYear refuses a time of the query parameter name that is outside of these years in UTC.
func CheckYear(name string, at time.Time) error {
	if year := at.UTC().Year(); year < FirstYear || year > LastYear {
		return xxladapter.Invalidf(errorrule.Range, "%s is in the year %d, must be %d to %d",
			name, year, FirstYear, LastYear)
	}
	return nil
}
