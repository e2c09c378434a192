package zitadeltest

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// The provider's only client, and one of its users.
const (
	ClientID     = "xxlwheel"
	ClientSecret = "secret of xxlwheel"
	UserName     = "test-user2"
	Password     = "verysecure"
)

var quiet = slog.New(slog.DiscardHandler)

// A Provider is Zitadel's provider on the loopback interface. Its users are in the groups "ops" and
// "unknown".
type Provider struct {
	URL    string // of the issuer, without a slash at its end
	keeper *keeper
}

// Start runs a provider until the test ends. callback is the address to which it sends browsers
// back. Its client is shared by the whole process, so only one test at a time can have a provider.
func Start(t testing.TB, callback string) *Provider {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }),
	)
	t.Cleanup(server.Close)
	storage.RegisterClients(storage.WebClient(ClientID, ClientSecret, callback))
	p := &Provider{URL: server.URL, keeper: &keeper{
		Storage: storage.NewStorage(users{storage.NewUserStore(server.URL + "/")}), key: newKey(t, "first"),
		groups: []string{"ops", "unknown"},
	}}
	handler = exampleop.SetupServer(server.URL, p.keeper, quiet, false)
	return p
}

// users is the provider's store of users: all have the password "verysecure".
type users struct{ storage.UserStore }

// A key is a key of the provider. It implements op.SigningKey and, with public set, op.Key.
type key struct {
	id      string
	private *rsa.PrivateKey
	public  bool
}

func newKey(t testing.TB, id string) *key {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return &key{id: id, private: private}
}

func (k *key) ID() string                                  { return k.id }
func (k *key) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k *key) Algorithm() jose.SignatureAlgorithm          { return jose.RS256 }
func (k *key) Use() string                                 { return "sig" }
func (k *key) Key() any {
	if k.public {
		return &k.private.PublicKey
	}
	return k.private
}

// A keeper is the provider's storage. A test can change its key and the groups of its users, and
// disable the users.
type keeper struct {
	*storage.Storage
	mu       sync.Mutex // guards the fields below
	key      *key
	groups   []string
	disabled bool
}

func (s *keeper) SigningKey(context.Context) (op.SigningKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key, nil
}

func (s *keeper) KeySet(context.Context) ([]op.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []op.Key{&key{s.key.id, s.key.private, true}}, nil
}

func (s *keeper) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, token, subject, origin string) error {
	if err := s.Storage.SetUserinfoFromToken(ctx, info, token, subject, origin); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	info.AppendClaims("groups", s.groups)
	return nil
}

func (s *keeper) CheckUsernamePassword(name, password, id string) error {
	s.mu.Lock()
	disabled := s.disabled
	s.mu.Unlock()
	if disabled {
		return errors.New("the user is disabled")
	}
	return s.Storage.CheckUsernamePassword(name, password, id)
}

func (s *keeper) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}
