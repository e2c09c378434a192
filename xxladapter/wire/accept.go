package wire

// Operations by which an executor of this project takes runs from a queue. XXL-JOB answers that
// they are not found.
const (
	// OpFeed asks for what the executor takes its runs from. The body is a [Feed].
	OpFeed = "feed"
	// OpAccept asks whether the executor may begin runs that it has taken. The body is a list of
	// [Accept], and the payload a list of booleans in the same order.
	OpAccept = "accept"
)

// A Feed names the executor that is to take runs from a queue.
type Feed struct {
	Address string `json:"address"` // as it is registered
}

// An Accept asks for one run.
type Accept struct {
	LogID   Int    `json:"logId"`
	Address string `json:"address"` // of the executor, as it is registered
}
