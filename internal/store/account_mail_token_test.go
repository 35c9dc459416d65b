package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/store"
)

func mailToken(hash string, kind account.LinkKind, userID string) account.MailToken {
	return account.MailToken{
		Hash: hash, Kind: kind, UserID: userID, Address: "E." + userID + "@Example.com", Generation: 3,
		CreatedAt: T0, ExpiresAt: T0.Add(time.Hour),
	}
}

func mustCreateLink(t *testing.T, s *store.Account, l account.MailToken) account.MailToken {
	t.Helper()
	if err := s.CreateMailToken(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	return l
}

func testMailLinks(t *testing.T, open Open) {
	t.Run("a link is what was created, until it is taken", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		mustCreateUser(t, s, credentials("u1"))
		want := mailToken("h", account.LinkRevert, "u1")
		want.Held, want.Proven = true, T0.Add(-time.Hour)
		want.Link, want.Code, want.SessionID = "l", "c", "s"
		mustCreateLink(t, s, want)
		mustBe(t, "a taken hash", s.CreateMailToken(t.Context(), mailToken("h", account.LinkVerify, "u1")), errs.Conflict)
		got, err := s.MailToken(t.Context(), "h")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("MailToken: %v (-want +got):\n%s", err, diff)
		}
		var wins atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if s.TakeMailToken(t.Context(), "h") == nil {
					wins.Add(1)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 {
			t.Errorf("%d callers took it", wins.Load())
		}
		_, err = s.MailToken(t.Context(), "h")
		mustBe(t, "MailToken of one that was taken", err, errs.NotFound)
	})
	t.Run("links of a user, by kind", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		mustCreateUser(t, s, credentials("u1"))
		mustCreateUser(t, s, credentials("u2"))
		older := mustCreateLink(t, s, mailToken("a", account.LinkRevert, "u1"))
		newer := mailToken("b", account.LinkRevert, "u1")
		newer.CreatedAt = T0.Add(time.Minute)
		mustCreateLink(t, s, newer)
		mustCreateLink(t, s, mailToken("c", account.LinkVerify, "u1"))
		mustCreateLink(t, s, mailToken("d", account.LinkRevert, "u2"))
		got, err := s.MailTokensOf(t.Context(), "u1", account.LinkRevert)
		if diff := cmp.Diff([]account.MailToken{newer, older}, got); err != nil || diff != "" {
			t.Errorf("MailTokensOf: %v (-want +got):\n%s", err, diff)
		}
		if err := s.DeleteMailTokens(t.Context(), "u1", account.LinkRevert, account.LinkChange); err != nil {
			t.Fatal(err)
		}
		for hash, want := range map[string]errs.Kind{"a": errs.NotFound, "b": errs.NotFound, "c": "", "d": ""} {
			if _, err := s.MailToken(t.Context(), hash); errs.KindOf(err) != want {
				t.Errorf("MailToken(%s) = %v", hash, err)
			}
		}
	})
}

func testMailBounds(t *testing.T, open Open) {
	t.Run("a link bears as many tries, however many count them at once", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		mustCreateLink(t, s, mailToken("h", account.LinkSignIn, "")) // nobody's
		mustCreateLink(t, s, mailToken("other", account.LinkSignIn, ""))
		var counted atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if s.CountMailTry(t.Context(), "h", 5) == nil {
					counted.Add(1)
				}
			})
		}
		wg.Wait()
		if got, err := s.MailToken(t.Context(), "h"); err != nil || got.Tries != 5 || counted.Load() != 5 {
			t.Errorf("%d were counted: %+v, %v", counted.Load(), got, err)
		}
		mustBe(t, "one more", s.CountMailTry(t.Context(), "h", 5), errs.NotFound)
		mustBe(t, "a try of none", s.CountMailTry(t.Context(), "none", 5), errs.NotFound)
		if got, err := s.MailToken(t.Context(), "other"); err != nil || got.Tries != 0 {
			t.Errorf("another one has %+v, %v", got, err)
		}
	})
	t.Run("an address is held for one user, for a time", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		mustCreateUser(t, s, credentials("u1"))
		held := mailToken("h", account.LinkRevert, "u1")
		held.Held = true
		mustCreateLink(t, s, held)
		free := mailToken("f", account.LinkRevert, "u1")
		free.Address = "free@example.com"
		mustCreateLink(t, s, free)
		for _, tt := range []struct {
			user, address string
			at            time.Time
			want          bool
		}{
			{"u2", "e.U1@example.COM", T0, true},
			{"", "e.u1@example.com", T0.Add(time.Hour - time.Millisecond), true},
			{"u2", "e.u1@example.com", T0.Add(time.Hour), false},
			{"u1", "e.u1@example.com", T0, false},
			{"u2", "free@example.com", T0, false},
			{"u2", "", T0, false},
		} {
			got, err := s.HasHeld(t.Context(), tt.user, account.Key(tt.address), tt.at)
			if got != tt.want || err != nil {
				t.Errorf("HasHeld(%q, %q, %s) = %t, %v", tt.user, tt.address, tt.at, got, err)
			}
		}
	})
	t.Run("mails are counted by name", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		for _, step := range []struct {
			name string
			at   time.Duration
			want time.Duration // when the next one may be
		}{
			{"a", 0, 0},
			{"a", time.Minute - time.Millisecond, time.Minute},
			{"b", 0, 0},
			{"a", time.Minute, 0},
			{"a", time.Minute, 2 * time.Minute},
		} {
			var want time.Time
			if step.want != 0 {
				want = T0.Add(step.want)
			}
			if later, err := s.AllowMail(t.Context(), step.name, time.Minute, T0.Add(step.at)); !later.Equal(want) || err != nil {
				t.Errorf("AllowMail(%s) after %s = %s, %v", step.name, step.at, later, err)
			}
		}
	})
}

func testWays(t *testing.T, open Open) {
	t.Run("SetEmail, SetProven and CancelDeletion", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		s := store.NewAccount(db)
		want := mustCreateUser(t, s, credentials("u1"))
		mustCreateUser(t, s, credentials("u2"))
		want.Email, want.ProvenAt = "New@B\u00fccher.example", T0
		if err := s.SetEmail(t.Context(), "u1", want.Email, T0); err != nil {
			t.Fatal(err)
		}
		got, err := s.UserByEmail(t.Context(), account.Key("NEW@b\u00fccher.example"))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("UserByEmail: %v (-want +got):\n%s", err, diff)
		}
		var key string
		err = db.Conn().Read.QueryRowContext(t.Context(), `SELECT mailbox_key FROM users WHERE id = 'u1'`).Scan(&key)
		if err != nil || key != "new@xn--bcher-kva.example" {
			t.Errorf("the mailbox is %q, %v", key, err)
		}
		mustBe(t, "an address that another user has", s.SetEmail(t.Context(), "u1", "e.U2@example.com", T0), errs.Conflict)
		mustBe(t, "SetEmail of nobody", s.SetEmail(t.Context(), "u3", "x@example.com", T0), errs.NotFound)
		mustBe(t, "SetProven of nobody", s.SetProven(t.Context(), "u3", T0), errs.NotFound)
		if err := s.SetProven(t.Context(), "u1", T0.Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if got, _ = s.User(t.Context(), "u1"); !got.ProvenAt.Equal(T0.Add(time.Second)) {
			t.Errorf("proven since %s", got.ProvenAt)
		}
		if err := set(db, `UPDATE users SET deletion_at_ms = 9`)(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.CancelDeletion(t.Context(), "u1"); err != nil {
			t.Fatal(err)
		}
		var planned string
		err = db.Conn().Read.QueryRowContext(t.Context(), `SELECT id FROM users WHERE deletion_at_ms <> 0`).Scan(&planned)
		if err != nil || planned != "u2" {
			t.Errorf("the deletion of %q is planned, %v", planned, err)
		}
	})
	t.Run("RemoveWays leaves what it must", func(t *testing.T) { t.Parallel(); testRemoveWays(t, open) })
}

// waysIn are the tables of the ways in that a user may have, with an insert of one: its id, the user, when.
var waysIn = map[string]string{
	"sign_in_challenges": `(token_hash, user_id, generation, password_print, first_method, created_at_ms)
		VALUES ($1, $2, 0, '', 'pwd', $3)`,
	"ceremonies": `(challenge_hash, kind, user_id, created_at_ms) VALUES ($1, 'register', $2, $3)`,
	"oidc_flows": `(state_hash, cookie_hash, provider_id, mode, user_id, generation, nonce, verifier_sealed, return_to,
		created_at_ms) VALUES ($1, '', '', 'link', $2, 0, '', '', '/', $3)`,
	"identities": `(id, user_id, provider_id, issuer, subject, generation, email, created_at_ms)
		VALUES ($1, $2, $1, '', $1, 0, '', $3)`,
	"api_keys": `(id, user_id, name, scopes, secret_hash, created_at_ms, created_by, creator_permissions)
		VALUES ($1, $2, '', '', '', $3, '', '')`,
	"passkeys": `(id, user_id, credential_id, public_key, alg, sign_count, aaguid, backup_eligible, backed_up,
		transports, rp_id, name, created_at_ms) VALUES ($1, $2, $1, $4, -7, 0, '', $5, $5, '', '', '', $3)`,
	"recovery_codes": `(code_hash, user_id, created_at_ms) VALUES ($1, $2, $3)`,
}

// Every way in that a user may have, one from before T0 and one from T0.
func testRemoveWays(t *testing.T, open Open) {
	factors := []string{"passkeys", "recovery_codes", "totp"}
	for name, tt := range map[string]struct {
		ways                 account.Ways
		older, newer, factor int // rows that are left of each
	}{
		"everything":          {account.Ways{Factors: true}, 0, 0, 0},
		"but factors":         {account.Ways{}, 0, 0, 1},
		"what is newer":       {account.Ways{Factors: true, Since: T0}, 1, 0, 0},
		"newer, but factors":  {account.Ways{Since: T0}, 1, 0, 1},
		"what is newer still": {account.Ways{Factors: true, Since: T0.Add(time.Millisecond)}, 1, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			db := open(t)
			s := store.NewAccount(db)
			exec := func(query string, args ...any) {
				t.Helper()
				if _, err := db.Conn().Write.ExecContext(t.Context(), query, args...); err != nil {
					t.Fatal(err)
				}
			}
			for _, id := range []string{"u1", "u2"} {
				mustCreateUser(t, s, credentials(id))
				exec(`INSERT INTO totp (user_id, secret_sealed, created_at_ms) VALUES ($1, '', $2)`, id, T0.UnixMilli())
				for table, insert := range waysIn {
					for i, at := range []time.Time{T0.Add(-time.Hour), T0} {
						args := []any{id + string(rune('a'+i)), id, at.UnixMilli()}
						if table == "passkeys" {
							args = append(args, []byte{1}, false)
						}
						exec(`INSERT INTO `+table+` `+insert, args...)
					}
				}
			}
			if err := s.RemoveWays(t.Context(), "u1", tt.ways); err != nil {
				t.Fatal(err)
			}
			for table := range waysIn {
				older, newer := tt.older, tt.newer
				for _, f := range factors {
					if f == table && !tt.ways.Factors {
						older, newer = 1, 1
					}
				}
				if got := countWays(t, db, table, "u1", false); got != older {
					t.Errorf("%s: %d older rows, want %d", table, got, older)
				}
				if got := countWays(t, db, table, "u1", true); got != newer {
					t.Errorf("%s: %d newer rows, want %d", table, got, newer)
				}
				if got := countWays(t, db, table, "u2", false) + countWays(t, db, table, "u2", true); got != 2 {
					t.Errorf("%s: another user has %d rows", table, got)
				}
			}
			if got := countWays(t, db, "totp", "u1", true); got != tt.factor {
				t.Errorf("totp: %d rows, want %d", got, tt.factor)
			}
		})
	}
}

// countWays returns how many rows of a table a user has: those from T0 on, or those from before.
func countWays(t *testing.T, db *database.DB, table, user string, newer bool) (n int) {
	t.Helper()
	err := db.Conn().Read.QueryRowContext(t.Context(), `
		SELECT count(*) FROM `+table+` WHERE user_id = $1 AND (created_at_ms >= $2) = $3`,
		user, T0.UnixMilli(), newer).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
