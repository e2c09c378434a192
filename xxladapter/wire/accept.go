package wire

// A Feed names the executor that is to take runs from a queue.
type Feed struct {
	Address string `json:"address"` // as it is registered
}

// An Accept asks for one run.
type Accept struct {
	LogID   Int    `json:"logId"`
	Address string `json:"address"` // of the executor, as it is registered
	// Held asks only whether the executor has the run already: a run that waits is not given. A
	// scheduler that does not know the field gives the run.
	Held bool `json:"held,omitempty"`
}
