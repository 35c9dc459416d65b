package auth_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/message/mail"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// server is a mail server.
type server struct {
	mu   sync.Mutex
	fail error
	sent []mail.Message // tried ones, too
}

func (s *server) Send(_ context.Context, m mail.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, m)
	return s.fail
}

// take returns what was tried since the last call.
func (s *server) take() []mail.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.sent = nil }()
	return s.sent
}

// serve has an App's outbox mail with s from now on.
func serve(t *testing.T, a *testkit.App, s mail.Sender) {
	t.Helper()
	a.Outbox.Close()
	a.Outbox.Mailer = s
	a.Outbox.Start(t.Context())
}

// tryMails sends what is due at the clock's time.
func tryMails(t *testing.T, a *testkit.App) {
	t.Helper()
	a.Outbox.Wake()
	if err := a.Outbox.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// hung is a mail server that does not answer until it is released.
type hung struct {
	entered chan mail.Message
	release chan struct{}
}

func (h hung) Send(_ context.Context, m mail.Message) error {
	h.entered <- m
	<-h.release
	return nil
}

// A process that ends after a change, or while it sends the mail about it, loses no mail.
func TestAMailAboutAnAccountSurvivesItsProcess(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		b.Outbox.Close()
		slow, quick := hung{make(chan mail.Message, 1), make(chan struct{})}, new(server)
		serve(t, a, slow)
		testkit.TokensOf(t, a.Do(t, register("ada@example.com", "ada", testkit.Password)), http.StatusCreated)
		first := waittest.Next(t, "a mail on its way", slow.entered)
		serve(t, b, quick)
		b.Clock.Advance(mail.SendLease - time.Second)
		tryMails(t, b)
		if got := quick.take(); len(got) != 0 {
			t.Errorf("a leased mail was sent by another: %+v", got)
		}
		b.Clock.Advance(2 * time.Second)
		tryMails(t, b)
		if got := quick.take(); len(got) != 1 || !cmp.Equal(got[0], first) || first.ID == "" {
			t.Errorf("sent %+v, want once more %+v", got, first)
		}
		close(slow.release)
		if err := a.Outbox.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.Clock.Advance(time.Hour)
		tryMails(t, b)
		if got := quick.take(); len(got) != 0 {
			t.Errorf("sent a third time: %+v", got)
		}
	})
}

// Where the mail server is away, mails about accounts are tried for three days, and no longer.
func TestAMailAboutAnAccountIsTriedForThreeDays(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		away := &server{fail: errors.New("down")}
		serve(t, a, away)
		testkit.TokensOf(t, a.Do(t, register("ada@example.com", "ada", testkit.Password)), http.StatusCreated)
		tries := 0
		for spent := time.Duration(0); spent < 4*24*time.Hour; spent += 30 * time.Minute {
			tryMails(t, a)
			tries += len(away.take())
			a.Clock.Advance(30 * time.Minute)
		}
		// At once, after 1, 5 and 15 minutes and an hour, then every four hours for the rest of 72. The
		// clock of this test goes in halves of an hour.
		if tries < 18 || tries > 22 {
			t.Errorf("tried %d times", tries)
		}
		away.fail = nil
		a.Clock.Advance(24 * time.Hour)
		tryMails(t, a)
		if got := away.take(); len(got) != 0 {
			t.Errorf("sent after it was given up: %+v", got)
		}
	})
}

func TestAMailThatIsRefusedForGoodIsTriedOnce(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		strict := &server{fail: fmt.Errorf("unknown mailbox: %w", mail.ErrPermanent)}
		serve(t, a, strict)
		testkit.TokensOf(t, a.Do(t, register("ada@example.com", "ada", testkit.Password)), http.StatusCreated)
		for range 3 {
			tryMails(t, a)
			a.Clock.Advance(24 * time.Hour)
		}
		if got := strict.take(); len(got) != 1 {
			t.Errorf("tried %d times, want once", len(got))
		}
	})
}

// Whoever reads the database, or a backup of it, finds no link that works, and not what is told to whom.
func TestMailsInTheDatabaseCannotBeRead(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		a.Outbox.Close()
		b.Outbox.Close()
		testkit.TokensOf(t, a.Do(t, register("ada@example.com", "ada", testkit.Password)), http.StatusCreated)
		var row struct {
			id, sealed string
			rows       int
		}
		if err := db.QueryRowContext(t.Context(), `SELECT MIN(id), MIN(sealed), COUNT(*) FROM mails`).
			Scan(&row.id, &row.sealed, &row.rows); err != nil || row.rows != 1 {
			t.Fatalf("%d mails wait, want 1 (%v)", row.rows, err)
		}
		// What was refused is told nobody.
		res := a.Do(t, register("ada@example.com", "other", testkit.Password))
		testkit.WantError(t, res, http.StatusBadRequest, "REGISTRATION_FAILED")
		var rows int
		if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM mails`).Scan(&rows); err != nil || rows != 1 {
			t.Errorf("%d mails wait, want 1 (%v)", rows, err)
		}
		s := new(server)
		serve(t, b, s)
		tryMails(t, b)
		got := s.take()
		if len(got) != 1 || got[0].ID != row.id || !strings.Contains(got[0].Text, "/verify-email#") {
			t.Fatalf("sent %+v, want the mail %s with a link", got, row.id)
		}
		for _, secret := range []string{got[0].To, got[0].Subject, "verify-email"} {
			if strings.Contains(row.sealed, secret) {
				t.Errorf("the database shows %q", secret)
			}
		}
	})
}
