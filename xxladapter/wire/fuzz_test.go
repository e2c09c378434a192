package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// seeds adds the bodies in testdata, except the recorded ones, and a few short texts to the corpus.
func seeds(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.http", "testdata/*/*.reply.json"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, name := range files {
			data, err := os.ReadFile(name)
			require.NoError(f, err)
			if _, body, ok := bytes.Cut(data, []byte("\r\n\r\n")); ok {
				data = body
			}
			f.Add(data)
		}
	}
	for _, text := range []string{"", "null", "{", `{"jobId":"9"}`, `{"logId":1.0}`, `[{"executeResult":{}}]`, `{"callbackList":null}`} {
		f.Add([]byte(text))
	}
}

// fuzzDecoder checks that decoding never panics, and that encoding and decoding the result again
// leaves it the same.
func fuzzDecoder[T any](f *testing.F, encode func(T) ([]byte, error)) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second T
		if err := Decode(data, &first); err != nil {
			return
		}
		text, err := encode(first)
		require.NoError(t, err)
		require.NoError(t, Decode(text, &second), "%s", text)
		again, err := encode(second)
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
		require.Equal(t, first, second)
	})
}

func asJSON[T any](v T) ([]byte, error) { return json.Marshal(v) }

func FuzzRunRequest(f *testing.F)      { fuzzDecoder(f, asJSON[RunRequest]) }
func FuzzIdleBeatRequest(f *testing.F) { fuzzDecoder(f, asJSON[IdleBeatRequest]) }
func FuzzKillRequest(f *testing.F)     { fuzzDecoder(f, asJSON[KillRequest]) }
func FuzzLogRequest(f *testing.F)      { fuzzDecoder(f, asJSON[LogRequest]) }
func FuzzLogResult(f *testing.F)       { fuzzDecoder(f, asJSON[LogResult]) }
func FuzzRegistry(f *testing.F)        { fuzzDecoder(f, asJSON[Registry]) }
func FuzzCallback(f *testing.F)        { fuzzDecoder(f, asJSON[Callback]) }

func FuzzCallbacks(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var list Callbacks
		if err := Decode(data, &list); err != nil {
			return
		}
		for name, encode := range map[string]func() ([]byte, error){
			"list":   func() ([]byte, error) { return json.Marshal(list) },
			"object": list.MarshalG4,
		} {
			text, err := encode()
			require.NoError(t, err)
			var again Callbacks
			require.NoError(t, Decode(text, &again), "%s", text)
			require.Equal(t, len(list), len(again), name)
			for i := range list {
				require.Equal(t, list[i], again[i], name)
			}
		}
	})
}

func FuzzDecodeReply(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := DecodeReply(data)
		if err != nil {
			return
		}
		for _, encode := range []func() ([]byte, error){
			func() ([]byte, error) { return json.Marshal(first) },
			first.MarshalAdmin,
		} {
			text, err := encode()
			require.NoError(t, err)
			second, err := DecodeReply(text)
			require.NoError(t, err, "%s", text)
			require.Equal(t, first.Code, second.Code)
			if utf8.ValidString(first.Msg) { // other bytes become the replacement character
				require.Equal(t, first.Msg, second.Msg)
			}
			if first.Payload == nil {
				require.Nil(t, second.Payload)
			} else {
				require.JSONEq(t, string(first.Payload), string(second.Payload))
			}
		}
	})
}
