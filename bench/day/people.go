package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
)

// Sizes of what a shop has before its day.
const (
	users    = 20  // who sign in
	licenses = 200 // that are verified
	sessions = 256 // that are refreshed, each by one at a time
)

// people is who calls the shop, and with what.
type people struct {
	shop *shop

	names    atomic.Int64
	access   []string
	refresh  chan string // refresh tokens, one a session
	keys     []string    // of activated licenses
	unused   chan string // keys of licenses that were bought and not activated
	instance atomic.Int64
}

type tokens struct {
	Data struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
}

// invite makes the users, their sessions and licenses.
func (s *shop) invite(ctx context.Context) (*people, error) {
	p := &people{shop: s, refresh: make(chan string, sessions), unused: make(chan string, 1<<16)}
	for range users {
		if err := p.register(ctx); err != nil {
			return nil, err
		}
	}
	for i := range sessions {
		got, err := p.signInAs(ctx, i%users)
		if err != nil {
			return nil, err
		}
		p.access = append(p.access, got.Data.Access)
		p.refresh <- got.Data.Refresh
	}
	for range licenses {
		if err := p.buy(ctx); err != nil {
			return nil, err
		}
		key := <-p.unused
		if err := p.activateKey(ctx, key); err != nil {
			return nil, err
		}
		p.keys = append(p.keys, key)
	}
	return p, nil
}

func address(i int) string { return "user" + strconv.Itoa(i) + "@example.com" }

func (p *people) register(ctx context.Context) error {
	i := int(p.names.Add(1) - 1)
	return p.shop.json(ctx, "/auth/register",
		map[string]string{"email": address(i), "username": fmt.Sprint("user", i), "password": password}, nil)
}

func (p *people) signInAs(ctx context.Context, i int) (got tokens, err error) {
	err = p.shop.json(ctx, "/auth/login", map[string]string{"email": address(i), "password": password}, &got)
	return got, err
}

func (p *people) signIn(ctx context.Context) error {
	_, err := p.signInAs(ctx, rand.IntN(users)) //nolint:gosec // load, no secret
	return err
}

func (p *people) renew(ctx context.Context) error {
	var got tokens
	err := p.shop.json(ctx, "/auth/refresh", map[string]string{"refresh_token": <-p.refresh}, &got)
	if err == nil {
		p.refresh <- got.Data.Refresh
	}
	return err
}

func (p *people) me(ctx context.Context) error {
	return p.shop.get(ctx, "/auth/me", p.access[rand.IntN(len(p.access))]) //nolint:gosec // load, no secret
}

const product = "/api/marketplace/products/app"

func (p *people) buy(ctx context.Context) error {
	var got struct {
		LicenseKey string `json:"licenseKey"`
	}
	if err := p.shop.json(ctx, product+"/purchase", map[string]string{"tierId": "pro", "paymentMethod": "card"},
		&got); err != nil {
		return err
	}
	select {
	case p.unused <- got.LicenseKey:
	default: // enough of them
	}
	return nil
}

// activate activates a license that was bought before, or buys one.
func (p *people) activate(ctx context.Context) error {
	select {
	case key := <-p.unused:
		return p.activateKey(ctx, key)
	default:
		return p.buy(ctx)
	}
}

func (p *people) activateKey(ctx context.Context, key string) error {
	return p.shop.json(ctx, product+"/activate",
		map[string]string{"licenseKey": key, "instanceId": fmt.Sprintf("shop%d.example.com", p.instance.Add(1))}, nil)
}

// verify asks for a license and the instance that invite activated for it.
func (p *people) verify(ctx context.Context) error {
	i := rand.IntN(len(p.keys)) //nolint:gosec // load, no secret
	return p.shop.get(ctx, fmt.Sprintf("%s/license/verify?licenseKey=%s&instanceId=shop%d.example.com&nonce=%032x",
		product, p.keys[i], i+1, rand.Uint64()), "") //nolint:gosec // load, no secret
}

func (p *people) page(path string) func(context.Context) error {
	return func(ctx context.Context) error { return p.shop.get(ctx, path, "") }
}

func (p *people) call(slug string) func(context.Context) error {
	return p.page("/api/v1/shop/plugins/" + slug + "/api/x")
}

// operation is something that people do.
type operation struct {
	name   string
	perDay int // in the model shop
	do     func(context.Context) error
}

// operations are those of the model shop: 10,000 licenses in use, 2,000 visitors and 100
// orders a day (docs/scaling.md).
func (p *people) operations() []operation {
	return []operation{
		{"catalog page", 2_000, p.page("/")},
		{"product page", 4_000, p.page("/p/app")},
		{"product list (API)", 2_000, p.page("/api/marketplace/products")},
		{"register", 50, p.register},
		{"sign in", 200, p.signIn},
		{"refresh a session", 800, p.renew},
		{"who am I", 4_000, p.me},
		{"purchase", 100, p.buy},
		{"activate", 100, p.activate},
		{"verify", 10_000, p.verify},
		{"plugin call, external", 20_000, p.call(outside)},
		{"plugin call, internal", 5_000, p.call(inside)},
	}
}
