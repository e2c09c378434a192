package wire

// OpAccept is the operation by which an executor of this project asks whether it may begin runs
// that it has taken from a queue. The body is a list of [Accept], and the payload a list of
// booleans in the same order. XXL-JOB answers that it is not found.
const OpAccept = "accept"

// An Accept asks for one run.
type Accept struct {
	LogID   Int    `json:"logId"`
	Address string `json:"address"` // of the executor, as it is registered
}
