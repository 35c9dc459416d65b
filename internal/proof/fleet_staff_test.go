package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"
)

// worker is a client of a fleet.
type worker interface {
	// work sends requests until ctx ends, and finishes what it has begun.
	work(ctx context.Context)
	// audit fails the test unless everything that was answered is true.
	audit(tb testing.TB)
}

// hire returns clients of each kind, signed in.
func (f *fleet) hire(t *testing.T, seed uint64) []worker {
	t.Helper()
	admin := f.people(t).admin
	f.outside.install(t, f, admin)
	publisher := &publisher{desk: f.desk(t, seed, 1), admin: admin}
	publisher.publish()
	staff := []worker{publisher, newOperator(f.desk(t, seed, 2), admin)}
	for i := range 3 {
		staff = append(staff, newBuyer(f.desk(t, seed, 10+i), fmt.Sprintf("buyer%d", i)))
	}
	for i := range 2 {
		staff = append(staff, newMember(f.desk(t, seed, 20+i), fmt.Sprintf("member%d", i)), &caller{desk: f.desk(t, seed, 30+i)})
	}
	return staff
}

// desk is what a client works with.
type desk struct {
	t      testing.TB
	f      *fleet
	rng    *rand.Rand
	client *http.Client
	from   string // the client's address, which rate limits count
}

func (f *fleet) desk(tb testing.TB, seed uint64, n int) *desk {
	tb.Helper()
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	d := &desk{
		t: tb, f: f, rng: rand.New(rand.NewPCG(seed, uint64(n))),
		client: &http.Client{Transport: transport, Timeout: time.Minute},
	}
	d.move()
	return d
}

// move gives the client another address.
func (d *desk) move() {
	d.from = fmt.Sprintf("203.%d.%d.%d", d.rng.IntN(256), d.rng.IntN(256), 1+d.rng.IntN(254))
}

// rest is the time between two requests of a client.
func (d *desk) rest() { <-time.After(time.Duration(d.rng.Int64N(int64(30 * time.Millisecond)))) }

// once sends a request and counts it. ok is false if it failed, or is to be sent again.
func (d *desk) once(method, path string, header http.Header, body any) (a answer, ok bool) {
	d.t.Helper()
	begin := time.Now()
	a, err := d.send(method, path, header, body)
	d.f.book.note(method+" "+path, a, err, begin)
	switch {
	case err != nil, a.status >= 500, a.status == http.StatusTooManyRequests:
		return a, false
	case a.status == http.StatusConflict && bytes.Contains(a.body, []byte("IDEMPOTENCY_IN_PROGRESS")):
		return a, false
	}
	return a, true
}

func (d *desk) send(method, path string, header http.Header, body any) (answer, error) {
	kind, content := "application/json", []byte(nil)
	switch b := body.(type) {
	case nil:
	case []byte:
		kind, content = "application/zip", b
	default:
		var err error
		if content, err = json.Marshal(b); err != nil {
			return answer{}, err
		}
	}
	// Not the context of the work: what is begun is finished.
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.f.edge.url+path, bytes.NewReader(content))
	if err != nil {
		return answer{}, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("X-Forwarded-For", d.from)
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, got}, err
}

// stubborn is how long a request is sent again: far longer than any fault of the test.
const stubborn = 2 * time.Minute

// insist sends a request, which may be repeated, until it is answered with one of the
// statuses.
func (d *desk) insist(method, path string, header http.Header, body any, want ...int) answer {
	d.t.Helper()
	for end := time.Now().Add(stubborn); ; {
		a, ok := d.once(method, path, header, body)
		if ok {
			for _, status := range want {
				if a.status == status {
					return a
				}
			}
			d.t.Errorf("%s %s: %d %.300s", method, path, a.status, a.body)
			return a
		}
		if time.Now().After(end) {
			d.t.Errorf("%s %s is not answered: %d %.300s", method, path, a.status, a.body)
			return a
		}
		<-time.After(50 * time.Millisecond)
	}
}

// withKey returns headers for a request that may be repeated.
func (d *desk) withKey(token string) http.Header {
	header := http.Header{"Idempotency-Key": {fmt.Sprintf("%016x", d.rng.Uint64())}}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	return header
}

// tokenPair is what a session has.
type tokenPair struct{ access, refresh string }

func (a answer) tokens() (tokenPair, bool) {
	var body struct {
		Data struct {
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
		}
	}
	err := json.Unmarshal(a.body, &body)
	return tokenPair{body.Data.Access, body.Data.Refresh}, err == nil && body.Data.Refresh != ""
}

// register makes a user of that name.
func (d *desk) register(name string) tokenPair {
	d.t.Helper()
	a, err := d.send(http.MethodPost, "/auth/register", nil,
		map[string]string{"email": name + "@example.com", "username": name, "password": adminPassword})
	if err != nil {
		d.t.Fatal(err)
	}
	pair, ok := a.tokens()
	if !ok {
		d.t.Fatal(odd(a))
	}
	return pair
}

// signIn signs a user in.
func (d *desk) signIn(name string) tokenPair {
	d.t.Helper()
	d.move()
	a := d.insist(http.MethodPost, "/auth/login", nil,
		map[string]string{"email": name + "@example.com", "password": adminPassword}, http.StatusOK)
	pair, ok := a.tokens()
	if !ok {
		d.t.Error(odd(a))
	}
	return pair
}
