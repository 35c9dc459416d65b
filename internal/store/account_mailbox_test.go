package store_test

import (
	"fmt"
	"testing"
	"time"

	"stoa/internal/account/mailbox"
	"stoa/internal/data/database"
	"stoa/internal/store"
)

func testMailboxes(t *testing.T, open Open) {
	db := open(t)
	s := store.NewAccount(db)
	for i := range 5 {
		c := credentials(fmt.Sprint("u", i))
		c.Email = fmt.Sprintf("E%d@Bücher.example", i)
		mustCreateUser(t, s, c)
	}
	keys := func() []string {
		all, err := database.Texts(t.Context(), db.Conn().Read, `SELECT mailbox_key FROM users ORDER BY id`)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := fmt.Sprint(keys())
	if key := mailbox.Key("e0@xn--bcher-kva.example"); keys()[0] != key {
		t.Fatalf("CreateUser stored %q, want %q", keys()[0], key)
	}
	// As the previous release writes them.
	if err := set(db, `UPDATE users SET mailbox_key = '' WHERE id <> 'u2'`)(t.Context()); err != nil {
		t.Fatal(err)
	}
	// u2 has one, and u0 is not behind u0.
	for _, want := range []struct {
		after, last string
		filled      int
	}{{"u0", "u4", 3}, {"u4", "u4", 0}, {"", "u0", 1}, {"", "", 0}} {
		if n, last, err := s.FillMailboxes(t.Context(), want.after, 3); n != want.filled || last != want.last || err != nil {
			t.Fatalf("FillMailboxes behind %q = %d, %q, %v; want %d, %q", want.after, n, last, err, want.filled, want.last)
		}
	}
	if got := fmt.Sprint(keys()); got != want {
		t.Errorf("filled %s, want %s", got, want)
	}
}

// What nobody used goes in its time, and not before.
func testStale(t *testing.T, open Open) {
	db := open(t)
	s := store.NewAccount(db)
	mustCreateUser(t, s, credentials("u1"))
	at := T0.UnixMilli()
	for _, tt := range []struct {
		table, insert string
		life          time.Duration
	}{
		{"mail_tokens", `(token_hash, kind, address, created_at_ms, expires_at_ms) VALUES ('h', 'verify', 'a', 1, $1)`, 0},
		{
			"sign_in_challenges",
			`(token_hash, user_id, generation, password_print, first_method, created_at_ms) VALUES ('h', 'u1', 0, '', 'pwd', $1)`,
			5 * time.Minute,
		},
		{"ceremonies", `(challenge_hash, kind, created_at_ms) VALUES ('h', 'sign_in', $1)`, 5 * time.Minute},
		{
			"oidc_flows", `(state_hash, cookie_hash, provider_id, mode, generation, nonce, verifier_sealed, return_to,
			created_at_ms) VALUES ('h', '', '', '', 0, '', '', '/', $1)`, 10 * time.Minute,
		},
		{
			"sign_ins", `(id, user_id, at_ms, outcome, methods, address, user_agent) VALUES ('i', 'u1', $1, '', '', '', '')`,
			90 * 24 * time.Hour,
		},
		{
			"known_devices", `(id, user_id, cookie_hash, name, first_at_ms, last_at_ms) VALUES ('d', 'u1', '', '', 1, $1)`,
			400 * 24 * time.Hour,
		},
	} {
		if _, err := db.Conn().Write.ExecContext(t.Context(), `INSERT INTO `+tt.table+` `+tt.insert, at); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			now  time.Time
			want int
		}{{T0.Add(tt.life - time.Millisecond), 1}, {T0.Add(tt.life), 0}} {
			if err := s.DeleteStale(t.Context(), step.now); err != nil {
				t.Fatal(err)
			}
			var n int
			err := db.Conn().Read.QueryRowContext(t.Context(), `SELECT count(*) FROM `+tt.table).Scan(&n)
			if err != nil || n != step.want {
				t.Errorf("%s has %d rows at %s, %v; want %d", tt.table, n, step.now, err, step.want)
			}
		}
	}
}
