package store

import (
	"testing"

	"stoa/internal/account/mailbox"
	"stoa/internal/data/database"
)

// Users from before migration 0070 are unproven, and get their mailbox, some by the migration.
func TestOldUsersGetTheirMailbox(t *testing.T) {
	t.Parallel()

	onOldSchema(t, "0068", func(t *testing.T, db *database.DB, exec func(query string, args ...any)) {
		addresses := map[string]string{
			"a": "Ada.L+Shop@Example.COM", "b": "j\u00f6RG@B\u00dcCHER.example", "c": "a@XN--bcher-KVA.example", "d": "\u212aate@x.example",
		}
		for id, email := range addresses {
			exec(`INSERT INTO users (id, email, email_key, username, username_key, password_hash, role, avatar,
					referral_code, active, created_at_ms)
				VALUES ($1, $2, $1, $1, $1, 'h', 'USER', '', '', $3, 1)`, id, email, true)
		}
		exec(`INSERT INTO sessions (id, user_id, refresh_id, refresh_key_id, refresh_issued_at_ms, replaced_json,
				created_at_ms, expires_at_ms)
			VALUES ('s', 'a', 'r', 'k', 1000, '[]', 1000, 2000)`)
		if _, err := Migrate(t.Context(), db, "test"); err != nil {
			t.Fatal(err)
		}
		s := NewAccount(db)
		if _, _, err := s.FillMailboxes(t.Context(), "", 100); err != nil {
			t.Fatal(err)
		}
		for id, email := range addresses {
			var key string
			err := db.Conn().Read.QueryRowContext(t.Context(), `SELECT mailbox_key FROM users WHERE id = $1`, id).Scan(&key)
			if err != nil || key != mailbox.Key(email) {
				t.Errorf("the mailbox of %s is %q, %v; want %q", email, key, err, mailbox.Key(email))
			}
			if c, err := s.User(t.Context(), id); err != nil || !c.ProvenAt.IsZero() {
				t.Errorf("%s is proven since %s, %v", email, c.ProvenAt, err)
			}
		}
		session, err := s.Session(t.Context(), "s")
		if err != nil || session.Level != 1 || session.Methods != nil || !session.AuthenticatedAt.Equal(session.CreatedAt) {
			t.Errorf("the session is %+v, %v", session, err)
		}
	})
}
