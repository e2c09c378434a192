package groups

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// groupAsRead reads a group that group show -o json has printed, from file, or from stdin if file
// is "-". It drops the fields executors and queue, which only group show adds.
func groupAsRead(inv *command.Invocation, file string) (map[string]json.RawMessage, error) {
	var text []byte
	var err error
	if file == "-" {
		text, err = command.ReadInput(inv)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, err
	}
	var group map[string]json.RawMessage
	if err := json.Unmarshal(text, &group); err != nil {
		return nil, fmt.Errorf("read --if-unchanged %s, must be a group as group show -o json prints it: %w", file, err)
	}
	delete(group, "executors")
	delete(group, "queue")
	return group, nil
}
