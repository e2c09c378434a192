package spread

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// sample is a hint that any node would take.
var sample = Hint{xxladapter.Term{Node: "web-1:1:a", Number: 7}, xxladapter.Term{Node: "web-2:1:b", Number: 9}, []int64{3, 5, 8}}

func TestABodyIsReadAsItWasWritten(t *testing.T) {
	data, err := encode(sample)
	require.NoError(t, err)
	require.Equal(t, `{"from":{"node":"web-1:1:a","term":7},"to":{"node":"web-2:1:b","term":9},"fires":[3,5,8]}`, string(data))
	got, err := decode(data)
	require.NoError(t, err)
	require.Equal(t, sample, got)
}

// TestTheLargestHintFits encodes the longest ids and names, and as many ids as there may be.
func TestTheLargestHintFits(t *testing.T) {
	h := Hint{From: xxladapter.Term{Node: strings.Repeat("n", maxNode), Number: 1 << 62}, To: xxladapter.Term{Node: strings.Repeat("m", maxNode), Number: 1 << 62}}
	for i := range int64(MaxFires) {
		h.Fires = append(h.Fires, 1<<62+i)
	}
	data, err := encode(h)
	require.NoError(t, err)
	require.Less(t, len(data), maxBody)
	got, err := decode(data)
	require.NoError(t, err)
	require.Equal(t, h, got)
}

func TestABodyThatIsNoHintIsRefused(t *testing.T) {
	from, to := `"from":{"node":"a","term":7}`, `"to":{"node":"b","term":9}`
	many := strings.Repeat("1,", MaxFires) + "1"
	for text, reason := range map[string]string{
		``:                                     "body is no hint",
		`[]`:                                   "body is no hint",
		`null`:                                 "from must be",
		`{}`:                                   "from must be",
		`{` + from + `,"fires":[1]}`:           "to must be",
		`{` + from + `,` + to + `}`:            "fires has 0 ids",
		`{` + from + `,` + to + `,"fires":[]}`: "fires has 0 ids",
		`{` + from + `,` + to + `,"fires":[` + many + `]}`:                                     "fires has 5001 ids",
		`{` + from + `,` + to + `,"fires":[2,1]}`:                                              "ascending",
		`{` + from + `,` + to + `,"fires":[1,1]}`:                                              "ascending",
		`{` + from + `,` + to + `,"fires":[0]}`:                                                "ascending",
		`{` + from + `,` + to + `,"fires":[-1]}`:                                               "ascending",
		`{` + from + `,` + to + `,"fires":[1.5]}`:                                              "body is no hint",
		`{` + from + `,` + to + `,"fires":["1"]}`:                                              "body is no hint",
		`{` + from + `,` + to + `,"fires":[9223372036854775808]}`:                              "body is no hint",
		`{` + from + `,` + to + `,"fires":[1],"param":"x"}`:                                    "unknown field",
		`{` + from + `,` + to + `,"fires":[1]} {}`:                                             "more than one value",
		`{"from":{"node":"a","term":0},` + to + `,"fires":[1]}`:                                "from must be",
		`{"from":{"node":"` + strings.Repeat("a", 256) + `","term":1},` + to + `,"fires":[1]}`: "from must be",
		`{` + from + `,"to":{"node":"","term":1},"fires":[1]}`:                                 "to must be",
	} {
		_, err := decode([]byte(text))
		require.ErrorContains(t, err, reason, text)
	}
}

func FuzzBody(f *testing.F) {
	data, err := encode(sample)
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{"from":{"node":"a","term":1},"to":{"node":"b","term":2},"fires":[1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := decode(data)
		if err != nil {
			return
		}
		again, err := encode(h)
		require.NoError(t, err)
		same, err := decode(again)
		require.NoError(t, err)
		require.Equal(t, h, same)
	})
}
