package proof

import (
	"context"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit/passkeytest"
	"stoa/internal/testkit/smtptest"
)

// shopURL is the public address of a house: links in mails begin with it, and passkeys are for its host. Nobody
// listens there: clients reach the processes.
const shopURL = "http://localhost:9"

// house is a cluster with everybody's mailboxes.
type house struct {
	*cluster

	mails mailboxes
}

// onBothHouses runs test with two processes over one database of each engine, and a mail server.
func onBothHouses(t *testing.T, test func(t *testing.T, h *house)) {
	t.Helper()
	for _, engine := range []string{sqlite, postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()

			h := &house{mails: mailboxes{texts: make(map[string][]string), came: make(chan struct{})}}
			server := smtptest.New(t, smtptest.Options{})
			server.Each(func(m smtptest.Mail) { h.mails.take(m.To[0], m.Text(t)) })
			h.cluster = newCluster(t, engine, 2, "STOA_SMTP_URL="+server.URL(""), "STOA_MAIL_FROM=shop@example.com",
				"STOA_PUBLIC_URL="+shopURL)
			test(t, h)
		})
	}
}

// mailboxes are what was mailed to each address.
type mailboxes struct {
	mu    sync.Mutex
	texts map[string][]string
	came  chan struct{} // closed when a mail comes, and replaced
}

func (m *mailboxes) take(to, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.texts[to] = append(m.texts[to], text)
	close(m.came)
	m.came = make(chan struct{})
}

// link waits for a mail to an address with a link to a page, and returns the token of that link. It works once for
// each mail.
func (m *mailboxes) link(ctx context.Context, to, page string) (string, error) {
	return m.linkWithin(ctx, 10*time.Minute, to, page)
}

// linkWithin is link for a mail that may be lost.
func (m *mailboxes) linkWithin(ctx context.Context, limit time.Duration, to, page string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	link := regexp.MustCompile(regexp.QuoteMeta(shopURL+"/"+page) + `#([^.\s]+)`)
	for {
		m.mu.Lock()
		came := m.came
		for i, text := range m.texts[to] {
			if found := link.FindStringSubmatch(text); found != nil {
				m.texts[to] = append(m.texts[to][:i:i], m.texts[to][i+1:]...)
				m.mu.Unlock()
				return found[1], nil
			}
		}
		m.mu.Unlock()
		select {
		case <-came:
		case <-ctx.Done():
			return "", fmt.Errorf("no link to /%s was mailed to %s: %w", page, to, ctx.Err())
		}
	}
}

// visitor is somebody with an account, at one of the processes.
type visitor struct {
	h       *house
	p       *process
	id      string
	email   string
	bearer  string
	refresh string
	secret  []byte // of the app for codes
	codes   []string
	keys    []string // for programs, with all their secrets
}

// answerOf is the body of an answer about accounts.
type answerOf struct {
	Data struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
		User         struct {
			ID    string `json:"id"`
			Email string `json:"email"`
		} `json:"user"`
		EmailVerified bool     `json:"emailVerified"`
		HasPassword   bool     `json:"hasPassword"`
		Secret        string   `json:"secret"`
		Key           string   `json:"key"`
		RecoveryCodes []string `json:"recoveryCodes"`
		URL           string   `json:"url"`
		State         string   `json:"state"`
		ID            string   `json:"id"`
		SecondFactor  struct {
			Passkeys int `json:"passkeys"`
		} `json:"secondFactor"`
		PublicKey json.RawMessage `json:"publicKey"`
	} `json:"data"`
	Error struct {
		Code    string `json:"code"`
		Details struct {
			Challenge string `json:"challenge"`
		} `json:"details"`
	} `json:"error"`
}

// said is an answer that was read.
type said struct {
	answerOf

	answer
}

// send sends a request, and reads the answer. An error says that there was none.
func (p *process) send(ctx context.Context, method, path, token string, body any) (said, error) {
	a, err := p.call(ctx, method, path, bearer(token), body)
	if err != nil {
		return said{}, err
	}
	return said{answer: a}.read()
}

// read reads the body.
func (s said) read() (said, error) {
	err := json.Unmarshal(s.body, &s.answerOf)
	return s, err
}

// wants returns an error unless an answer has a status.
func (s said) wants(status int) error {
	if s.status != status {
		return odd(s.answer)
	}
	return nil
}

// do sends a request as the visitor, which must be answered with a status.
func (v *visitor) do(ctx context.Context, method, path string, body any, status int) (said, error) {
	s, err := v.p.send(ctx, method, path, v.bearer, body)
	if err == nil {
		err = s.wants(status)
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w", method, path, err)
	}
	return s, err
}

// signsIn takes over the session of an answer.
func (v *visitor) signsIn(s said) {
	v.id, v.bearer, v.refresh = s.Data.User.ID, s.Data.AccessToken, s.Data.RefreshToken
}

// registers makes an account, and returns its visitor at a process.
func (h *house) registers(ctx context.Context, p *process, name string) (*visitor, error) {
	v := &visitor{h: h, p: p, email: name + "@example.com"}
	s, err := v.do(ctx, http.MethodPost, "/auth/register",
		map[string]string{"email": v.email, "username": name, "password": adminPassword}, http.StatusCreated)
	v.signsIn(s)
	return v, err
}

// settles makes an account with a proven address.
func (h *house) settles(ctx context.Context, p *process, name string) (*visitor, error) {
	v, err := h.registers(ctx, p, name)
	if err != nil {
		return nil, err
	}
	token, err := h.mails.link(ctx, v.email, "verify-email")
	if err != nil {
		return nil, err
	}
	_, err = v.do(ctx, http.MethodPost, "/auth/email/verify", map[string]string{"token": token}, http.StatusOK)
	return v, err
}

// login signs in with a password.
func (v *visitor) login(ctx context.Context, password string) (said, error) {
	return v.p.send(ctx, http.MethodPost, "/auth/login", "", map[string]string{"email": v.email, "password": password})
}

// switchesAppOn switches codes of an app on.
func (v *visitor) switchesAppOn(ctx context.Context) error {
	s, err := v.do(ctx, http.MethodPost, "/auth/totp", nil, http.StatusCreated)
	if err != nil {
		return err
	}
	if err := v.learns(s); err != nil {
		return err
	}
	s, err = v.do(ctx, http.MethodPost, "/auth/totp/confirm", map[string]string{"code": v.code()}, http.StatusOK)
	v.codes = s.Data.RecoveryCodes
	return err
}

// learns has the visitor's app take the secret of an answer over.
func (v *visitor) learns(s said) (err error) {
	v.secret, err = base32.StdEncoding.DecodeString(s.Data.Secret)
	return err
}

// code returns the code that the visitor's app shows now.
func (v *visitor) code() string { return passkeytest.AppCode(v.secret, time.Now()) }

// forgets forgets what was mailed to anybody: rounds come faster than people.
func (h *house) forgets(ctx context.Context) error {
	_, err := h.db.ExecContext(ctx, `DELETE FROM mail_allowances`)
	return err
}

// forgetsResets forgets which links for a new password the visitor got: one a minute.
func (v *visitor) forgetsResets(ctx context.Context) error {
	_, err := v.h.db.ExecContext(ctx, `
		DELETE FROM password_resets WHERE user_id = (SELECT id FROM users WHERE email = $1)`, v.email)
	return err
}

// forgetsCodes forgets which codes of the visitor's app were typed.
func (v *visitor) forgetsCodes(ctx context.Context) error {
	_, err := v.h.db.ExecContext(ctx, `
		UPDATE totp SET last_step = 0, failures = 0, paused_until_ms = 0
		WHERE user_id = (SELECT id FROM users WHERE email = $1)`, v.email)
	return err
}

// request is one that races with others.
type request struct {
	method, path, bearer string
	header               http.Header
	body                 any
}

// race sends requests at once, the i-th to the i-th process and so on in turn, and returns the answers.
func (h *house) race(ctx context.Context, rng *rand.Rand, requests ...request) ([]said, error) {
	answers, faults := make([]said, len(requests)), make([]error, len(requests))
	gate := make(chan struct{})
	var wg sync.WaitGroup
	first := rng.IntN(len(h.processes))
	for i, r := range requests {
		p := h.processes[(first+i)%len(h.processes)]
		wg.Go(func() {
			<-gate
			header := http.Header{}
			maps.Copy(header, bearer(r.bearer))
			maps.Copy(header, r.header)
			a, err := p.call(ctx, r.method, r.path, header, r.body)
			if err == nil {
				answers[i], err = said{answer: a}.read()
			}
			faults[i] = err
		})
	}
	close(gate)
	wg.Wait()
	return answers, errors.Join(faults...)
}

// winners counts the answers with a status.
func winners(answers []said, status int) (n int) {
	for _, a := range answers {
		if a.status == status {
			n++
		}
	}
	return n
}

// bodies is what was answered, for errors.
func bodies(answers []said) string {
	var text []string
	for _, a := range answers {
		text = append(text, fmt.Sprintf("%d %s", a.status, a.body))
	}
	return strings.Join(text, "\n")
}
