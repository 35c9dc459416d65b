package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"stoa/bench/measure"
)

const (
	verifyConnections = 32
	fewLicenses       = 10_000
)

// verifyCatalog has a product as shops sell them.
const verifyCatalog = `
currency: EUR
products:
  - slug: app
    name: App
    category: apps
    shortDescription: An app.
    description: An app.
    icon: https://cdn.example.com/app.svg
    pricingTiers:
      - {id: pro, name: Pro, price: 49, billingPeriod: yearly, maxInstances: 3, features: [reports, export, support]}
`

// verify measures signed verify answers with a nonce, each about any one of all
// licenses: beside a static handler, and of a large shop beside a small one.
func verify(ctx context.Context, o options, dir string) (rows []measure.Row, failed error) {
	rows, err := verifyOn(ctx, o, dir, false)
	if err != nil || o.postgres == "" {
		return rows, err
	}
	o.Ops = "off"
	if o.ownCore {
		undo, err := ownCore(ctx, o.postgres)
		if err != nil {
			return rows, err
		}
		defer func() { failed = errors.Join(failed, undo()) }()
	}
	more, err := verifyOn(ctx, o, dir, true)
	return append(rows, more...), err
}

func verifyOn(ctx context.Context, o options, dir string, onPostgres bool) (rows []measure.Row, err error) {
	small, err := openVerifyShop(ctx, o, dir, onPostgres, fewLicenses)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, small.close()) }()
	o.Ops = "off" // one address is one process's
	large, err := openVerifyShop(ctx, o, dir, onPostgres, o.licenses)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, large.close()) }()
	size, err := small.answerSize(ctx)
	if err != nil {
		return nil, err
	}
	static, err := measure.StartStatic(ctx, size)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, static.Stop()) }()
	name, target := "verify, "+small.engine(), 0.33
	if onPostgres {
		target = 0.25
	}
	rows = []measure.Row{
		{
			Name: name, Peer: "net/http handler that writes as many constant bytes", Target: target,
			Ours: small.verifyAny, Theirs: verifyStatic(static), PIDs: [2]int{small.process.PID(), static.PID()},
		},
		{
			Name: fmt.Sprintf("%s, %d licenses", name, o.licenses),
			Peer: fmt.Sprintf("the same with %d", fewLicenses), Target: 0.95,
			Ours: large.verifyAny, Theirs: small.verifyAny, PIDs: [2]int{large.process.PID(), small.process.PID()},
		},
	}
	for i := range rows {
		if err := rows[i].Run(ctx, o.Rounds, o.Round); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// verifyShop is a running shop that sold licenses.
type verifyShop struct {
	*shop

	process *measure.Process
	keys    []string
}

func openVerifyShop(ctx context.Context, o options, dir string, onPostgres bool,
	licenses int,
) (v verifyShop, err error) {
	began := time.Now()
	if v.shop, err = newShop(ctx, o, dir+"/"+strconv.Itoa(licenses), onPostgres, verifyCatalog); err != nil {
		return v, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.close())
		}
	}()
	if v.keys, err = v.fill(ctx, licenses); err != nil {
		return v, err
	}
	fmt.Fprintf(os.Stderr, "%s: %d licenses loaded in %s\n", v.engine(), licenses,
		time.Since(began).Round(time.Millisecond))
	v.process, err = v.start(ctx, "--ops-addr="+o.Ops)
	return v, err
}

func (v verifyShop) close() error {
	var stopped error
	if v.process != nil {
		stopped = v.process.Stop()
	}
	return errors.Join(stopped, v.drop())
}

// verifyAny verifies one license after another, any of all.
func (v verifyShop) verifyAny(ctx context.Context, d time.Duration) (int, error) {
	var paths [verifyConnections][]byte
	return measure.Load(ctx, v.process.Addr, verifyConnections, d, func(worker int, c *measure.Client) error {
		key := v.keys[rand.IntN(len(v.keys))]                       //nolint:gosec // a benchmark
		path := appendVerify(paths[worker][:0], key, rand.Uint64()) //nolint:gosec // a benchmark
		paths[worker] = path
		answer, err := c.Do("GET", string(path), "", nil)
		if err == nil && !bytes.HasPrefix(answer, []byte(`{"valid":true`)) {
			err = fmt.Errorf("verify: %s", answer)
		}
		return err
	})
}

func appendVerify(b []byte, key string, nonce uint64) []byte {
	b = append(append(append(b, product...), "/license/verify?licenseKey="...), key...)
	b = append(append(append(b, "&instanceId="...), instanceID...), "&nonce="...)
	return strconv.AppendUint(b, nonce, 36)
}

// answerSize returns the size of an answer.
func (v verifyShop) answerSize(ctx context.Context) (int, error) {
	c, err := measure.Dial(ctx, v.process.Addr)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	answer, err := c.Do("GET", string(appendVerify(nil, v.keys[0], 1)), "", nil)
	return len(answer), err
}

// verifyStatic asks a server that does not care.
func verifyStatic(p *measure.Process) func(context.Context, time.Duration) (int, error) {
	path := string(appendVerify(nil, "STOA-00000-00000-00000-00000-00000-00000", 1))
	return func(ctx context.Context, d time.Duration) (int, error) {
		return measure.Load(ctx, p.Addr, verifyConnections, d, func(_ int, c *measure.Client) error {
			_, err := c.Do("GET", path, "", nil)
			return err
		})
	}
}
