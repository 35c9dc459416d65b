// Package limit holds the rate limits of the API: how many requests each allows, and by what key they
// are counted. Package httpapi lists which route has which limit; package ratelimit counts.
package limit

import (
	"fmt"
	"net/http"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/edge/ratelimit"
)

// The limits of accounts (contract 1.7).
var (
	Register       = ratelimit.Rule{Name: "register", Limit: 5, Window: time.Hour}
	Login          = ratelimit.Rule{Name: "login", Limit: 10, Window: time.Minute}
	Me             = ratelimit.Rule{Name: "me", Limit: 100, Window: time.Minute}
	Refresh        = ratelimit.Rule{Name: "refresh", Limit: 60, Window: time.Hour}
	ChangePassword = ratelimit.Rule{Name: "change-password", Limit: 5, Window: time.Hour}
)

// The limits of the other routes, and of tokens that do not verify.
var (
	// For sign-ins to one account, from all addresses: beyond it they are slowed down.
	LoginAccount = ratelimit.Rule{Name: "login-account", Limit: 30, Window: 10 * time.Minute}

	// The same limit as Refresh, counted separately because anyone can make up tokens.
	RefreshUnknown = ratelimit.Rule{Name: "refresh-unknown", Limit: 60, Window: time.Hour}

	ForgotPassword = ratelimit.Rule{Name: "forgot-password", Limit: 10, Window: time.Hour}
	ResetPassword  = ratelimit.Rule{Name: "reset-password", Limit: 10, Window: time.Minute}
	SetUp          = ratelimit.Rule{Name: "setup", Limit: 10, Window: time.Minute}

	// Each purchase leaves an order and a license.
	Purchase = ratelimit.Rule{Name: "purchase", Limit: 600, Window: time.Minute}

	// For every request with a discount code: guessing one takes long.
	Discount = ratelimit.Rule{Name: "discount", Limit: 20, Window: time.Minute}

	// For trials, which cost nothing.
	Trial = ratelimit.Rule{Name: "trial", Limit: 20, Window: time.Hour}

	// For packages that other stoas fetch, each of which may be large.
	MarketPackage = ratelimit.Rule{Name: "market-package", Limit: 60, Window: time.Minute}

	// For other stoas that buy: what each leaves is a row, and trials cost nothing. Of claims only wrong secrets count.
	Handoff       = ratelimit.Rule{Name: "handoff", Limit: 20, Window: time.Minute}
	HandoffSecret = ratelimit.Rule{Name: "handoff-secret", Limit: 20, Window: time.Minute}
	MarketTrial   = ratelimit.Rule{Name: "market-trial", Limit: 20, Window: time.Minute}

	// For one installation's calls of the platform API (contract 1.7).
	Platform = ratelimit.Rule{Name: "platform", Limit: 600, Window: time.Minute}

	// For every request with one API key.
	APIKey = ratelimit.Rule{Name: "api-key", Limit: 600, Window: time.Minute}

	// For whoever is signed in: proofs to be there, and changes of what lets people in.
	Reauthenticate = ratelimit.Rule{Name: "reauthenticate", Limit: 10, Window: time.Minute}
	Factors        = ratelimit.Rule{Name: "factors", Limit: 20, Window: time.Hour}
	SignUp         = ratelimit.Rule{Name: "sign-up", Limit: 5, Window: time.Hour}
	EmailSignIn    = ratelimit.Rule{Name: "email-sign-in", Limit: 5, Window: time.Hour}
	// For the second step of sign-ins.
	SecondFactor = ratelimit.Rule{Name: "second-factor", Limit: 10, Window: time.Minute}
	// For sign-ins with a passkey, and what browsers are asked for them.
	Passkey        = ratelimit.Rule{Name: "passkey", Limit: 10, Window: time.Minute}
	OIDC           = ratelimit.Rule{Name: "oidc", Limit: 20, Window: time.Minute}
	PasskeyOptions = ratelimit.Rule{Name: "passkey-options", Limit: 30, Window: time.Minute}
	// For every route that takes the token or the code of a mail.
	MailToken = ratelimit.Rule{Name: "mail-token", Limit: 10, Window: time.Minute}

	// For copies of an account.
	Export = ratelimit.Rule{Name: "export", Limit: 1, Window: 24 * time.Hour}

	// For invitations of staff.
	Invitation = ratelimit.Rule{Name: "invitation", Limit: 30, Window: time.Hour}

	ClaimRequest = ratelimit.Rule{Name: "claim-request", Limit: 10, Window: time.Hour}
	Claim        = ratelimit.Rule{Name: "claim", Limit: 10, Window: time.Minute}
	ClaimLink    = ratelimit.Rule{Name: "claim-link", Limit: 10, Window: time.Minute}
)

// Rules returns every rate limit of the API.
func Rules() []ratelimit.Rule {
	return []ratelimit.Rule{
		Register, Login, Me, Refresh, ChangePassword,
		LoginAccount, RefreshUnknown, ForgotPassword, ResetPassword, SetUp,
		Reauthenticate, Factors, SecondFactor, Passkey, PasskeyOptions, OIDC, SignUp, EmailSignIn, MailToken, Export,
		Invitation, Purchase, Discount, Trial, MarketPackage, Handoff, HandoffSecret, MarketTrial, Platform, APIKey,
		ClaimRequest, Claim, ClaimLink,
	}
}

var errRateLimited = errs.New(errs.RateLimited, "RATE_LIMIT_EXCEEDED",
	"Too many requests. Wait as long as Retry-After says.")

// Counter counts requests against rules.
type Counter struct {
	Limiter *ratelimit.Limiter // nil counts nothing
	// ClientIP determines the address that a request counts for.
	ClientIP reqctx.AddrResolver
	// Delays holds the attempts that Slow delays.
	Delays *Delays
}

const policyHeader, stateHeader = "RateLimit-Policy", "RateLimit"

// Move takes what a limit says of itself from the header of an answer that is kept to that of the one that is sent: the
// same answer to a later request would lie.
func Move(to, from http.Header) {
	for _, name := range []string{policyHeader, stateHeader} {
		if v := from.Get(name); v != "" {
			to.Set(name, v)
			from.Del(name)
		}
	}
}

// Count counts a request of key against rule and reports the state of the limit
// in the headers of the answer (IETF draft, RateLimit header fields). It returns
// RATE_LIMIT_EXCEEDED when the limit is used up.
func (c Counter) Count(w http.ResponseWriter, r *http.Request, rule ratelimit.Rule, key string) error {
	if c.Limiter == nil {
		return nil
	}
	d := c.Limiter.Take(r.Context(), rule, key)
	w.Header().Set(policyHeader, fmt.Sprintf("%q;q=%d;w=%d", rule.Name, rule.Limit, int(rule.Window.Seconds())))
	w.Header().Set(stateHeader, fmt.Sprintf("%q;r=%d;t=%d", rule.Name, d.Remaining, web.CeilSeconds(d.Reset)))
	if !d.Allowed {
		return errRateLimited.After(max(d.RetryAfter, time.Second))
	}
	return nil
}

// ByAddress limits a route by the client's address. It counts before the body is
// read: bad requests are requests too.
func (c Counter) ByAddress(rule ratelimit.Rule, h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := c.CountAddress(w, r, rule); err != nil {
			return err
		}
		return h(w, r)
	}
}

// CountAddress counts a request of the client's address against rule, for a handler that counts some of its
// requests only.
func (c Counter) CountAddress(w http.ResponseWriter, r *http.Request, rule ratelimit.Rule) error {
	return c.Count(w, r, rule, reqctx.AddrKey(c.ClientIP.Addr(r)))
}

// ByUser limits a route by the signed-in user, or by the service that calls.
func (c Counter) ByUser(rule ratelimit.Rule, h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := c.Count(w, r, rule, subject(reqctx.CallerFrom(r.Context()))); err != nil {
			return err
		}
		return h(w, r)
	}
}

// subject names a user, or a service.
func subject(who reqctx.Caller) string {
	if who.UserID == "" && who.Service != "" {
		return "service:" + who.Service
	}
	return who.UserID
}

// ByBuyer limits a route by the signed-in user, and for guests by the client's
// address.
func (c Counter) ByBuyer(rule ratelimit.Rule, h web.HandlerFunc) web.HandlerFunc {
	user, guest := c.ByUser(rule, h), c.ByAddress(rule, h)
	return func(w http.ResponseWriter, r *http.Request) error {
		if reqctx.CallerFrom(r.Context()).UserID == "" {
			return guest(w, r)
		}
		return user(w, r)
	}
}
