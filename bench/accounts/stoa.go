package main

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"

	"stoa/bench/measure"
)

// bench is what a run works with.
type bench struct {
	stoa, static *measure.Process
	sqlite       *sqlite

	access  string      // a signed-in user's
	refresh chan string // refresh tokens that are due, one a session
}

const (
	email    = "bench@example.com"
	password = "correct horse battery"
)

// start starts stoa and the peers. If it fails, nothing goes on running.
func start(ctx context.Context, o measure.Options, dir string) (b *bench, err error) {
	b = &bench{refresh: make(chan string, sessions)}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.stop())
		}
	}()
	if b.stoa, err = measure.StartStoa(ctx, o.Stoa,
		[]string{"STOA_DATA=" + dir + "/stoa"}, "--ops-addr="+o.Ops); err != nil {
		return b, err
	}
	size, err := b.signUp(ctx)
	if err != nil {
		return b, err
	}
	if err := b.openSessions(ctx, dir+"/stoa"); err != nil {
		return b, err
	}
	if b.static, err = measure.StartStatic(ctx, size); err != nil {
		return b, err
	}
	b.sqlite, err = openSQLite(ctx, dir+"/peer.db")
	return b, err
}

// signUp makes the user everything is measured with, and returns the size of the
// answer to GET /auth/me.
func (b *bench) signUp(ctx context.Context) (size int, err error) {
	c, err := measure.Dial(ctx, b.stoa.Addr)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	body, err := json.Marshal(map[string]string{"email": email, "username": "bench", "password": password})
	if err != nil {
		return 0, err
	}
	answer, err := c.Do("POST", "/auth/register", "", body)
	if err != nil {
		return 0, err
	}
	if b.access = field(answer, "access_token"); b.access == "" {
		return 0, errors.New("registration gave no token")
	}
	me, err := c.Do("GET", "/auth/me", b.access, nil)
	return len(me), err
}

// stop ends what start started.
func (b *bench) stop() error {
	var all []error
	for _, p := range []*measure.Process{b.stoa, b.static} {
		if p != nil {
			all = append(all, p.Stop())
		}
	}
	if b.sqlite != nil {
		all = append(all, b.sqlite.Close())
	}
	return errors.Join(all...)
}

// field returns the string value of a field that has no escapes, from JSON.
func field(body []byte, name string) string {
	m := regexp.MustCompile(`"` + name + `":"([^"]*)"`).FindSubmatch(body)
	if m == nil {
		return ""
	}
	return string(m[1])
}
