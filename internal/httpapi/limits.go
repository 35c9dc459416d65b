package httpapi

import (
	"fmt"
	"net/http"
	"time"

	"stoa/internal/caller"
	"stoa/internal/clientip"
	"stoa/internal/errs"
	"stoa/internal/ratelimit"
)

// The rate limits: five of spec A, Limits, then those of routes it does not know.
// What each is counted by stands in server.go beside its route.
var (
	limitRegister       = ratelimit.Rule{Name: "register", Limit: 5, Window: time.Hour}
	limitLogin          = ratelimit.Rule{Name: "login", Limit: 10, Window: time.Minute}
	limitMe             = ratelimit.Rule{Name: "me", Limit: 100, Window: time.Minute}
	limitRefresh        = ratelimit.Rule{Name: "refresh", Limit: 60, Window: time.Hour}
	limitChangePassword = ratelimit.Rule{Name: "change-password", Limit: 5, Window: time.Hour}

	// The same limit with a store of its own: anybody can make up tokens.
	limitRefreshUnknown = ratelimit.Rule{Name: "refresh-unknown", Limit: 60, Window: time.Hour}

	limitForgotPassword = ratelimit.Rule{Name: "forgot-password", Limit: 10, Window: time.Hour}
	limitResetPassword  = ratelimit.Rule{Name: "reset-password", Limit: 10, Window: time.Minute}
	limitSetup          = ratelimit.Rule{Name: "setup", Limit: 10, Window: time.Minute}

	// Each purchase leaves an order and a licence.
	limitPurchase = ratelimit.Rule{Name: "purchase", Limit: 600, Window: time.Minute}

	limitClaimRequest = ratelimit.Rule{Name: "claim-request", Limit: 10, Window: time.Hour}
	limitClaim        = ratelimit.Rule{Name: "claim", Limit: 10, Window: time.Minute}
)

// Limits returns every rate limit of the API.
func Limits() []ratelimit.Rule {
	return []ratelimit.Rule{
		limitRegister, limitLogin, limitMe, limitRefresh, limitChangePassword,
		limitRefreshUnknown, limitForgotPassword, limitResetPassword, limitSetup,
		limitPurchase, limitClaimRequest, limitClaim,
	}
}

var errRateLimited = errs.New(errs.RateLimited, "RATE_LIMIT_EXCEEDED", "Too many requests. Wait as long as Retry-After says.")

// limit counts a request of key against rule and says so in the headers of the
// answer (IETF draft, RateLimit header fields). It returns RATE_LIMIT_EXCEEDED
// when the limit is used up.
func (s *Server) limit(w http.ResponseWriter, r *http.Request, rule ratelimit.Rule, key string) error {
	if s.Limiter == nil {
		return nil
	}
	d := s.Limiter.Take(r.Context(), rule, key)
	w.Header().Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", rule.Name, rule.Limit, int(rule.Window.Seconds())))
	w.Header().Set("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", rule.Name, d.Remaining, ceilSeconds(d.Reset)))
	if !d.Allowed {
		return errRateLimited.After(max(d.RetryAfter, time.Second))
	}
	return nil
}

// byAddress limits a route by the client's address. It counts before anything of
// the body is read: bad requests are requests too.
func (s *Server) byAddress(rule ratelimit.Rule, h handlerFunc) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.limit(w, r, rule, clientip.Key(s.ClientIP.Addr(r))); err != nil {
			return err
		}
		return h(w, r)
	}
}

// byUser limits a route by the user who is signed in.
func (s *Server) byUser(rule ratelimit.Rule, h handlerFunc) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.limit(w, r, rule, caller.From(r.Context()).UserID); err != nil {
			return err
		}
		return h(w, r)
	}
}

// byBuyer limits a route by the user who is signed in, and for guests by the
// client's address.
func (s *Server) byBuyer(rule ratelimit.Rule, h handlerFunc) handlerFunc {
	user, guest := s.byUser(rule, h), s.byAddress(rule, h)
	return func(w http.ResponseWriter, r *http.Request) error {
		if caller.From(r.Context()).UserID == "" {
			return guest(w, r)
		}
		return user(w, r)
	}
}
