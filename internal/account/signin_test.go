package account_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/password"
	"stoa/internal/account/token"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

// recordingHasher remembers what was verified, and may refuse.
type recordingHasher struct {
	account.Hasher

	made  int      // hashes
	costs []string // of the hashes that were verified: "$argon2id$v=19$m=64,t=1,p=1"
	err   error
}

func (h *recordingHasher) Verify(ctx context.Context, hash, password string) (match, outdated bool, err error) {
	h.costs = append(h.costs, hash[:strings.LastIndexByte(hash[:strings.LastIndexByte(hash, '$')], '$')])
	if h.err != nil {
		return false, false, h.err
	}
	return h.Hasher.Verify(ctx, hash, password)
}

func (h *recordingHasher) Hash(ctx context.Context, password string) (string, error) {
	h.made++
	if h.err != nil {
		return "", h.err
	}
	return h.Hasher.Hash(ctx, password)
}

// outdatedHasher finds that every hash should be made again.
type outdatedHasher struct{ account.Hasher }

func (h outdatedHasher) Verify(ctx context.Context, hash, password string) (match, outdated bool, err error) {
	match, _, err = h.Hasher.Verify(ctx, hash, password)
	return match, match, err
}

// One hash of the same cost, whoever is asked for. Measuring time instead fails
// on a busy machine.
func TestEveryFailedLoginCostsOneHash(t *testing.T) {
	t.Parallel()

	s := service(t, dbtest.SQLite(t), clocktest.New(t0))
	mustRegister(t, s, "ada")
	bob := mustRegister(t, s, "bob").User
	if err := s.SetActive(t.Context(), bob.ID, false); err != nil {
		t.Fatal(err)
	}
	h := &recordingHasher{Hasher: outdatedHasher{s.Hasher}}
	s.Hasher = h
	for name, who := range map[string][2]string{
		"wrong password": {"ada@example.com", "wrong"}, "unknown address": {"eve@example.com", "wrong"},
		"no address": {"eve", "wrong"},
		"inactive":   {"bob@example.com", secret}, "inactive, wrong password": {"bob@example.com", "wrong"},
		"password too long": {"ada@example.com", strings.Repeat("x", 2000)},
	} {
		h.costs = nil
		if _, err := s.Login(t.Context(), who[0], who[1]); !errors.Is(err, account.ErrLogin) {
			t.Errorf("%s: Login = %v, want ErrLogin", name, err)
		}
		if h.made != 0 || len(h.costs) != 1 || h.costs[0] != "$argon2id$v=19$m=64,t=1,p=1" {
			t.Errorf("%s: verified %q, want one hash of the usual cost", name, h.costs)
		}
	}
}

func TestLoginRaisesOldHashes(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, _ *clocktest.Clock) {
		mustRegister(t, s, "ada")
		hash := func() string {
			c, err := s.Store.UserByEmail(t.Context(), "ada@example.com")
			if err != nil {
				t.Fatal(err)
			}
			return c.PasswordHash
		}
		before := hash()
		mustLogin(t, s, "ada")
		if hash() != before {
			t.Error("a hash that is up to date was made again")
		}
		stronger := cheap
		stronger.Time++
		s.Hasher = password.NewHasher(stronger, password.Limits{})
		if _, err := s.Login(t.Context(), "ada@example.com", "wrong"); !errors.Is(err, account.ErrLogin) || hash() != before {
			t.Errorf("a wrong password = %v, hash changed %v", err, hash() != before)
		}
		mustLogin(t, s, "ada")
		if !strings.Contains(hash(), "t=2,") {
			t.Errorf("hash after login = %s, want t=2", hash())
		}
		mustLogin(t, s, "ada")
	})
}

// slowStore lets another change happen between verifying a password and opening
// the session.
type slowStore struct {
	account.Store

	between func()
}

func (s *slowStore) InTx(ctx context.Context, fn func(account.Store) error) error {
	s.change()
	return s.Store.InTx(ctx, fn)
}

func (s *slowStore) InShortTx(ctx context.Context, fn func(account.Store) error) error {
	s.change()
	return s.Store.InShortTx(ctx, fn)
}

func (s *slowStore) change() {
	if between := s.between; between != nil {
		s.between = nil
		between()
	}
}

// A password that is changed while somebody signs in with the old one must not
// leave a session that the change did not end.
func TestLoginDuringAPasswordChangeOpensNoSession(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, other *account.Service, _ *clocktest.Clock) {
		user := mustRegister(t, s, "ada").User
		s.Store = &slowStore{Store: s.Store, between: func() {
			if err := other.ChangePassword(t.Context(), user.ID, "", secret, "another secret"); err != nil {
				t.Error(err)
			}
		}}
		if _, err := s.Login(t.Context(), "ada@example.com", secret); !errors.Is(err, account.ErrLogin) {
			t.Errorf("Login = %v, want ErrLogin", err)
		}
		if list, err := s.Sessions(t.Context(), user.ID); err != nil || len(list) != 0 {
			t.Errorf("Sessions = %d, %v; want none", len(list), err)
		}
	})
}

// After the parameters of hashes were raised, programs that share an account sign in at the same moment: the first
// gives the password another hash while the others verify theirs.
func TestLoginDuringAnotherThatHashesAnewOpensASession(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, other *account.Service, _ *clocktest.Clock) {
		mustRegister(t, s, "ada")
		stronger := cheap
		stronger.Time++
		s.Hasher = password.NewHasher(stronger, password.Limits{})
		other.Hasher = s.Hasher
		s.Store = &slowStore{Store: s.Store, between: func() { mustLogin(t, other, "ada") }}
		mustLogin(t, s, "ada")
	})
}

func TestLoginWhileShutOutOpensNoSession(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, other *account.Service, _ *clocktest.Clock) {
		user := mustRegister(t, s, "ada").User
		s.Store = &slowStore{Store: s.Store, between: func() {
			if err := other.SetActive(t.Context(), user.ID, false); err != nil {
				t.Error(err)
			}
		}}
		if _, err := s.Login(t.Context(), "ada@example.com", secret); !errors.Is(err, account.ErrLogin) {
			t.Errorf("Login = %v, want ErrLogin", err)
		}
	})
}

func TestOneOfManyRegistrationsOfANameWins(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			wins int
		)
		for i := range 8 {
			wg.Go(func() {
				r := account.Registration{Email: "ada@example.com", Username: "ada", Password: secret}
				_, err := []*account.Service{a, b}[i%2].Register(t.Context(), r)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					wins++
				} else if !errors.Is(err, account.ErrTaken) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if wins != 1 {
			t.Errorf("%d registrations won, want 1", wins)
		}
	})
}

// The role of a request is the database's, not the token's.
func TestAuthenticateReturnsThePresentUser(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		tokens := mustRegister(t, a, "ada")
		who, err := b.Authenticate(t.Context(), tokens.Access) // the other replica
		if err != nil || who.UserID != tokens.User.ID || who.Role != reqctx.RoleUser || who.SessionID == "" ||
			who.Service != "" {
			t.Errorf("Authenticate = %+v, %v", who, err)
		}
		if err := b.SetActive(t.Context(), who.UserID, false); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Authenticate(t.Context(), tokens.Access); !errors.Is(err, account.ErrToken) {
			t.Errorf("after the other replica shut the user out = %v, want ErrToken", err)
		}
		if err := a.SetActive(t.Context(), who.UserID, true); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Authenticate(t.Context(), tokens.Access); !errors.Is(err, account.ErrToken) {
			t.Errorf("a session survived its user being shut out: %v", err)
		}
	})
}

// The check of the state alone, without the sessions that SetActive ends.
func TestInactiveUserIsRefusedWithALiveSession(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, _ *clocktest.Clock) {
		tokens := mustRegister(t, s, "ada")
		if err := s.Store.SetActive(t.Context(), tokens.User.ID, false); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Authenticate(t.Context(), tokens.Access); !errors.Is(err, account.ErrToken) {
			t.Errorf("Authenticate = %v, want ErrToken", err)
		}
		if _, err := s.Refresh(t.Context(), tokens.Refresh); !errors.Is(err, account.ErrRefresh) {
			t.Errorf("Refresh = %v, want ErrRefresh", err)
		}
		if _, err := s.Login(t.Context(), "ada@example.com", secret); !errors.Is(err, account.ErrLogin) {
			t.Errorf("Login = %v, want ErrLogin", err)
		}
	})
}

// Tokens that only a fault of ours could make: the database is believed, not the
// claims.
func TestClaimsMustAgreeWithTheSession(t *testing.T) {
	t.Parallel()

	c := clocktest.New(t0)
	s := service(t, dbtest.SQLite(t), c)
	ada, bob := mustRegister(t, s, "ada"), mustRegister(t, s, "bob")
	who, err := s.Authenticate(t.Context(), ada.Access)
	if err != nil {
		t.Fatal(err)
	}
	session, err := s.Store.Session(t.Context(), who.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(kind token.Kind, userID string, life time.Duration) string {
		key, err := s.Ring.Signer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := token.Sign(key, kind, token.Claims{
			UserID: userID, Role: "ADMIN", SessionID: who.SessionID, ID: session.Refresh.ID, IssuedAt: t0,
			ExpiresAt: t0.Add(life),
		})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	if got, err := s.Authenticate(t.Context(), sign(token.Access, ada.User.ID, time.Hour)); err != nil || got.IsAdmin() {
		t.Errorf("the role of the claims: %+v, %v; want the database's", got, err)
	}
	if _, err := s.Authenticate(t.Context(), sign(token.Access, bob.User.ID, time.Hour)); !errors.Is(err,
		account.ErrToken) {
		t.Errorf("Authenticate with another user's session = %v, want ErrToken", err)
	}
	if _, err := s.Refresh(t.Context(), sign(token.Refresh, bob.User.ID, time.Hour)); !errors.Is(err, account.ErrRefresh) {
		t.Errorf("Refresh of another user's session = %v, want ErrRefresh", err)
	}
	eternal := sign(token.Access, ada.User.ID, 10*account.RefreshLife)
	c.Advance(account.RefreshLife)
	if _, err := s.Authenticate(t.Context(), eternal); !errors.Is(err, account.ErrToken) {
		t.Errorf("Authenticate after the session's end = %v, want ErrToken", err)
	}
}

func TestServicesMayNotShareOurKey(t *testing.T) {
	t.Parallel()

	s := service(t, dbtest.SQLite(t), clocktest.New(t0))
	key, err := s.Ring.Signer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	s.Services, err = token.NewService("https://billing.example.com", "",
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); !errors.Is(err, account.ErrSharedKey) {
		t.Errorf("Start = %v, want ErrSharedKey", err)
	}
}

func TestBusyIsNotDisguised(t *testing.T) {
	t.Parallel()

	s := service(t, dbtest.SQLite(t), clocktest.New(t0))
	user := mustRegister(t, s, "ada").User
	s.Hasher = &recordingHasher{Hasher: s.Hasher, err: password.ErrBusy}
	_, register := s.Register(t.Context(),
		account.Registration{Email: "eve@example.com", Username: "eve", Password: secret})
	_, login := s.Login(t.Context(), "eve@example.com", secret)
	for name, err := range map[string]error{
		"Register": register, "Login": login,
		"ChangePassword": s.ChangePassword(t.Context(), user.ID, "", secret, "another secret"),
	} {
		if errs.KindOf(err) != errs.Busy {
			t.Errorf("%s = %v, want ErrBusy", name, err)
		}
	}
}
