package account_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/account"
	"stoa/internal/testkit/clocktest"
)

const leeway = 30 * time.Second

// sessionModel is what contract 2.5 says about one session, without a database.
type sessionModel struct {
	id       string
	tokens   []string    // all refresh tokens, in order; the last one is due
	issued   []time.Time // when, in whole seconds
	replaced []time.Time // when the token of the same index was replaced
	access   []string    // all access tokens
	accessAt []time.Time
	ended    bool
}

// over reports whether the session ended, by somebody's doing or by time.
func (m *sessionModel) over(now time.Time) bool {
	return m.ended || !now.Before(m.issued[len(m.issued)-1].Add(account.RefreshLife))
}

// refresh returns the index of the token that must be answered, or -1.
func (m *sessionModel) refresh(i int, active bool, now time.Time) int {
	last := len(m.tokens) - 1
	switch {
	case m.over(now), !active, !now.Before(m.issued[i].Add(account.RefreshLife + leeway)):
		return -1
	case i == last:
		return last + 1
	case now.Sub(m.replaced[i]) <= account.RefreshGrace:
		return i + 1
	}
	m.ended = true
	return -1
}

// alive reports whether access token i must work.
func (m *sessionModel) alive(i int, active bool, now time.Time) bool {
	return !m.over(now) && active && m.presentable(i, now)
}

// presentable reports whether access token i has not expired.
func (m *sessionModel) presentable(i int, now time.Time) bool {
	return now.Before(m.accessAt[i].Add(account.AccessLife + leeway))
}

func (m *sessionModel) signed(tokens account.Tokens, now time.Time) {
	m.access, m.accessAt = append(m.access, tokens.Access), append(m.accessAt, now.Truncate(time.Second))
}

func (m *sessionModel) add(tokens account.Tokens, now time.Time) {
	m.tokens, m.issued = append(m.tokens, tokens.Refresh), append(m.issued, now.Truncate(time.Second))
	m.signed(tokens, now)
}

// sessionMachine does things to one user's sessions, on either of two replicas
// at random, and compares what happens with the model.
type sessionMachine struct {
	t        *testing.T
	replicas [2]*account.Service
	clock    *clocktest.Clock
	name     string
	userID   string
	password string
	changes  int // of the password
	active   bool
	sessions []*sessionModel
	other    account.Tokens // somebody who has nothing to do with it
	otherAt  time.Time
}

func newSessionMachine(t *testing.T, rt *rapid.T, a, b *account.Service, c *clocktest.Clock, n int) *sessionMachine {
	m := &sessionMachine{
		t:        t,
		replicas: [2]*account.Service{a, b},
		clock:    c,
		name:     fmt.Sprintf("ada%d", n),
		password: secret,
		active:   true,
	}
	register := func(name string) account.Tokens {
		tokens, err := a.Register(t.Context(),
			account.Registration{Email: name + "@example.com", Username: name, Password: secret})
		if err != nil {
			rt.Fatal(err)
		}
		return tokens
	}
	first := register(m.name)
	m.userID = first.User.ID
	m.other, m.otherAt = register(fmt.Sprintf("bob%d", n)), c.Now()
	m.begin(rt, first)
	return m
}

func (m *sessionMachine) replica(rt *rapid.T) *account.Service {
	return m.replicas[rapid.IntRange(0, 1).Draw(rt, "replica")]
}

func (m *sessionMachine) any(rt *rapid.T) *sessionModel {
	return m.sessions[rapid.IntRange(0, len(m.sessions)-1).Draw(rt, "session")]
}

func (m *sessionMachine) begin(rt *rapid.T, tokens account.Tokens) {
	s := &sessionModel{}
	s.add(tokens, m.clock.Now())
	who, err := m.replicas[0].Authenticate(m.t.Context(), tokens.Access)
	if err != nil {
		rt.Fatalf("a new session does not work: %v", err)
	}
	s.id = who.SessionID
	m.sessions = append(m.sessions, s)
}

func (m *sessionMachine) TimePasses(rt *rapid.T) {
	m.clock.Advance(rapid.SampledFrom([]time.Duration{
		time.Millisecond, 5 * time.Second, account.RefreshGrace, account.RefreshGrace + time.Millisecond, time.Hour,
		account.AccessLife, account.AccessLife + leeway, account.RefreshLife - time.Second, account.RefreshLife,
	}).Draw(rt, "step"))
}

func (m *sessionMachine) Login(rt *rapid.T) {
	tokens, err := m.replica(rt).Login(m.t.Context(), m.name+"@example.com", m.password)
	if (err == nil) != m.active || err != nil && !errors.Is(err, account.ErrLogin) {
		rt.Fatalf("Login = %v with active %v", err, m.active)
	}
	if err == nil {
		m.begin(rt, tokens)
	}
}

func (m *sessionMachine) Refresh(rt *rapid.T) {
	s := m.any(rt)
	m.use(rt, s, rapid.IntRange(max(0, len(s.tokens)-3), len(s.tokens)-1).Draw(rt, "token"))
}

// RefreshTwice uses a token again at the last moment of its grace or just after.
func (m *sessionMachine) RefreshTwice(rt *rapid.T) {
	s := m.any(rt)
	i := len(s.tokens) - 1
	m.use(rt, s, i)
	m.clock.Advance(account.RefreshGrace + rapid.SampledFrom([]time.Duration{0, time.Millisecond}).Draw(rt, "late"))
	m.use(rt, s, i)
}

// use refreshes with token i of a session.
func (m *sessionMachine) use(rt *rapid.T, s *sessionModel, i int) {
	now := m.clock.Now()
	want := s.refresh(i, m.active, now)
	tokens, err := m.replica(rt).Refresh(m.t.Context(), s.tokens[i])
	switch {
	case want < 0:
		if !errors.Is(err, account.ErrRefresh) {
			rt.Fatalf("Refresh of token %d of %d = %v, want ErrRefresh", i, len(s.tokens), err)
		}
	case err != nil:
		rt.Fatalf("Refresh of token %d of %d = %v, want token %d", i, len(s.tokens), err, want)
	case want == len(s.tokens):
		s.replaced = append(s.replaced, now)
		s.add(tokens, now)
	case tokens.Refresh != s.tokens[want]:
		rt.Fatalf("Refresh of token %d of %d answers another successor", i, len(s.tokens))
	default:
		s.signed(tokens, now)
	}
}

func (m *sessionMachine) Logout(rt *rapid.T) {
	s := m.any(rt)
	i := rapid.IntRange(0, len(s.access)-1).Draw(rt, "token")
	if err := m.replica(rt).Logout(m.t.Context(), s.access[i]); err != nil {
		rt.Fatal(err)
	}
	s.ended = s.ended || s.presentable(i, m.clock.Now())
}

func (m *sessionMachine) EndSession(rt *rapid.T) {
	s, mine := m.any(rt), rapid.Bool().Draw(rt, "mine")
	userID := m.userID
	if !mine {
		userID = m.other.User.ID
	}
	err := m.replica(rt).EndSession(m.t.Context(), userID, s.id)
	switch {
	case !mine || s.ended:
		if !errors.Is(err, account.ErrNoSession) {
			rt.Fatalf("EndSession = %v, want ErrNoSession", err)
		}
	case err != nil && (!s.over(m.clock.Now()) || !errors.Is(err, account.ErrNoSession)): // or it was swept
		rt.Fatalf("EndSession = %v", err)
	default:
		s.ended = true
	}
}

func (m *sessionMachine) ChangePassword(rt *rapid.T) {
	keep := m.any(rt)
	if !m.active || keep.over(m.clock.Now()) {
		rt.Skip("needs a live session")
	}
	m.changes++
	next := fmt.Sprintf("%s %d", secret, m.changes)
	if err := m.replica(rt).ChangePassword(m.t.Context(), m.userID, keep.id, "not "+m.password, next); !errors.Is(err,
		account.ErrPassword) {
		rt.Fatalf("ChangePassword with a wrong password = %v", err)
	}
	if err := m.replica(rt).ChangePassword(m.t.Context(), m.userID, keep.id, m.password, next); err != nil {
		rt.Fatal(err)
	}
	if _, err := m.replica(rt).Login(m.t.Context(), m.name+"@example.com", m.password); !errors.Is(err, account.ErrLogin) {
		rt.Fatalf("Login with the old password = %v", err)
	}
	m.password = next
	for _, s := range m.sessions {
		s.ended = s.ended || s != keep
	}
}

func (m *sessionMachine) ShutOutOrLetIn(rt *rapid.T) {
	m.active = rapid.Bool().Draw(rt, "active")
	if err := m.replica(rt).SetActive(m.t.Context(), m.userID, m.active); err != nil {
		rt.Fatal(err)
	}
	for _, s := range m.sessions {
		s.ended = s.ended || !m.active
	}
}

// Sweep must change nothing that anybody can see.
func (m *sessionMachine) Sweep(rt *rapid.T) {
	if _, err := m.replica(rt).SweepSessions(m.t.Context()); err != nil {
		rt.Fatal(err)
	}
}

// Check holds after every step, on both replicas.
func (m *sessionMachine) Check(rt *rapid.T) {
	now, live := m.clock.Now(), 0
	for i, s := range m.sessions {
		if m.active && !s.over(now) {
			live++
		}
		for _, j := range []int{0, len(s.access) - 1} { // the oldest and the newest
			for _, replica := range m.replicas {
				who, err := replica.Authenticate(m.t.Context(), s.access[j])
				if want := s.alive(j, m.active, now); (err == nil) != want || err != nil && !errors.Is(err, account.ErrToken) {
					rt.Fatalf("session %d: Authenticate = %+v, %v; want alive %v", i, who, err, want)
				}
			}
		}
	}
	list, err := m.replica(rt).Sessions(m.t.Context(), m.userID)
	if err != nil || len(list) != live {
		rt.Fatalf("Sessions = %d, %v; want %d", len(list), err, live)
	}
	_, err = m.replica(rt).Authenticate(m.t.Context(), m.other.Access)
	if want := now.Before(m.otherAt.Truncate(time.Second).Add(account.AccessLife + leeway)); (err == nil) != want {
		rt.Fatalf("somebody else's session: %v, want alive %v", err, want)
	}
}

func TestSessionsBehaveLikeTheModel(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		n := 0
		rapid.Check(t, func(rt *rapid.T) {
			n++ // every run has users of its own
			rt.Repeat(rapid.StateMachineActions(newSessionMachine(t, rt, a, b, c, n)))
		})
	})
}
