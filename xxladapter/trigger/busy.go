package trigger

// Busy says whether fires wait for a free place.
func (p *Pool) Busy() bool {
	for _, l := range p.Loads() {
		if l.Waiting > 0 {
			return true
		}
	}
	return false
}
