package httpapi

import (
	"net/http"
	"strings"
	"time"

	"stoa/internal/account/apikey"
	"stoa/internal/api/guard"
	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/edge/ratelimit"
)

// route is a row of the list of routes (routes.go).
type route struct {
	pattern string
	by      caller
	handler web.HandlerFunc
	call    callFunc // of a route to plugins, in place of handler

	needs    []string          // permissions that the calling plugin needs, all of them
	permits  []permission.Name // permissions of staff, any of which opens the route
	limits   []limited
	keyed    keyedBy
	timeout  time.Duration // 0: requestTimeout
	lasting  bool
	page     bool
	bytes    bool
	recent   recency
	first    func(*http.Request) error // refusals that come before the question whether somebody is still there
	then     func(*http.Request) error // and those that come after it, and before what is wrong with the request
	unkept   bool
	ruleless bool
	speaks   bool // the handler has mails written in the language of the request

	readsBearer bool
	standIns    guard.StandIn // what staff may do who act as a user: see standIn
}

// caller says who may call a route.
type caller int

const (
	// anyone: bearer tokens are ignored, valid or not, unless the handler reads them itself.
	anyone caller = iota
	// guestsToo: users, services, and guests, who send no token. An invalid token is 401:
	// a client that sends one does not mean to be a guest.
	guestsToo
	// users who are signed in.
	users
	// usersByHandler: the same, but the handler looks the user up.
	usersByHandler
	// staffMembers who have a permission that opens the route, and services.
	staffMembers
	// plugins, by the token of the platform API. Each installation counts against limit.Platform.
	plugins
	// processes of contained plugins, by the channel that they call over. The handler finds out.
	processes
)

// keyedBy says what a repeated request with the same Idempotency-Key must have in common.
type keyedBy int

const (
	notKeyed  keyedBy = iota
	byBody            // the path and the body
	byHandler         // what the handler says
)

// limited is a rate limit of a route.
type limited struct {
	rule ratelimit.Rule
	// wrap makes a handler count its requests. nil: the handler counts them itself.
	wrap func(limit.Counter, ratelimit.Rule, web.HandlerFunc) web.HandlerFunc
}

// option is what a row says besides pattern, callers and handler.
type option func(*route)

// at returns a row. Without options, a request has requestTimeout, its body counts against the
// budget of memory, and nothing counts requests.
func at(pattern string, by caller, h web.HandlerFunc, options ...option) route {
	r := route{pattern: pattern, by: by, handler: h}
	for _, o := range options {
		o(&r)
	}
	return r
}

// may returns the row of a route for staff with a permission, and for services.
func may(pattern string, name permission.Name, h web.HandlerFunc, options ...option) route {
	r := at(pattern, staffMembers, h, options...)
	r.permits = append([]permission.Name{name}, r.permits...)
	return r
}

// orMay names other permissions that open a route as well.
func orMay(names ...permission.Name) option {
	return func(r *route) { r.permits = append(r.permits, names...) }
}

// passOnStaff is passOn for staff who may use that plugin.
func passOnStaff(pattern string, call callFunc) route {
	r := passOn(pattern, staffMembers, call)
	r.permits = []permission.Name{permission.UseExtensions}
	return r
}

// passOn returns the row of a route to plugins. It has no time limit, because streams may last, and
// ends when its caller loses access.
func passOn(pattern string, by caller, call callFunc) route {
	return route{pattern: pattern, by: by, call: call, lasting: true}
}

// needs names the permissions that the calling plugin needs.
func needs(permissions ...string) option { return func(r *route) { r.needs = permissions } }

// perAddress limits requests by the client's address, whatever their body.
func perAddress(rule ratelimit.Rule) option { return limits(rule, limit.Counter.ByAddress) }

// perUser limits requests by the signed-in user.
func perUser(rule ratelimit.Rule) option { return limits(rule, limit.Counter.ByUser) }

// perBuyer limits requests by the signed-in user, and those of guests by address.
func perBuyer(rule ratelimit.Rule) option { return limits(rule, limit.Counter.ByBuyer) }

// counts says that the handler itself counts requests against rule.
func counts(rule ratelimit.Rule) option { return limits(rule, nil) }

func limits(
	rule ratelimit.Rule, wrap func(limit.Counter, ratelimit.Rule, web.HandlerFunc) web.HandlerFunc,
) option {
	return func(r *route) { r.limits = append(r.limits, limited{rule, wrap}) }
}

// withKey makes a route with a JSON body honor Idempotency-Key.
func withKey(r *route) { r.keyed = byBody }

// withKeyByHandler says that the handler itself honors Idempotency-Key.
func withKeyByHandler(r *route) { r.keyed = byHandler }

// within is the time limit of a request that takes long. Its body does not count against the budget:
// it would stay there for as long.
func within(limit time.Duration) option { return func(r *route) { r.timeout = limit } }

// lasting is for an answer that may last: it has no time limit, and ends when its caller loses access.
func lasting(r *route) { r.lasting = true }

// shopPage marks a page of the storefront, which gives way to an active theme app.
func shopPage(r *route) { r.page = true }

// recently asks users whether they are still there, unless they signed in or proved it a moment ago.
func recently(r *route) { r.recent = always }

// guarded asks administrators whether they are still there, where the platform is configured so.
func guarded(r *route) { r.recent = forChanges }

// endsSessions asks users whether they are still there, where the platform is configured so.
func endsSessions(r *route) { r.recent = forSessions }

// recency says when a route asks whether its user is still there.
type recency int

const (
	never recency = iota
	always
	forChanges  // by administrators: see account.Service.RequireRecentAdmin
	forSessions // of one's own: see account.Service.RequireRecentForSessions
)

// first has check refuse requests before anybody is asked to prove that they are still there, which would not help.
func first(check func(*http.Request) error) option { return func(r *route) { r.first = check } }

// then has check refuse requests of users who are still there, before the handler looks at what they sent.
func then(check func(*http.Request) error) option { return func(r *route) { r.then = check } }

// withFactor refuses staff who lack a second factor that the platform asks staff for.
func withFactor(r *http.Request) error { return guard.CheckFactor(r.Context()) }

// unkept keeps every answer of a route out of caches, refusals included.
func unkept(r *route) { r.unkept = true }

// speaks is for a route whose mails are in the language of the request, as are those of all routes below /auth.
func speaks(r *route) { r.speaks = true }

// ruleless is for a route below /auth that works without the rules for signing in, also where they cannot be read.
func ruleless(r *route) { r.ruleless = true }

// readsBearer is for a route for anyone whose handler reads the bearer token, which may be none.
func readsBearer(r *route) { r.readsBearer = true }

// keyRule says what an API key needs at a route.
type keyRule int

const (
	// keysUnread: bearer tokens are ignored, or are not users' at all.
	keysUnread keyRule = iota
	// keysRefused: no key opens it, whatever it is for (NOT_FOR_KEYS).
	keysRefused
	// keysByScope: one of the route's permissions.
	keysByScope
	// keysOfSelf: to stand for its user, who is no guest.
	keysOfSelf
)

// keys returns what an API key needs at r. No key gets at what lets people in or decides what they may do, nor where
// people are always asked whether they are still there.
func (r route) keys() keyRule {
	switch {
	case r.by == plugins || r.by == processes || r.by == anyone && !r.readsBearer:
		return keysUnread
	case strings.Contains(r.pattern, " /auth/") || r.recent == always:
		return keysRefused
	case r.by == staffMembers && r.permits[0] != permission.Any && !apikey.IsScope(r.permits[0]):
		return keysRefused
	case r.by == staffMembers:
		return keysByScope
	}
	return keysOfSelf
}

// forKeys counts the requests of each API key, and refuses those that a key does not open. It runs inside Identify.
func (rt *router) forKeys(r route, h web.HandlerFunc) web.HandlerFunc {
	rule := r.keys()
	return func(w http.ResponseWriter, req *http.Request) error {
		who := reqctx.CallerFrom(req.Context())
		if !who.HasKey() {
			return h(w, req)
		}
		if err := rt.limits.Count(w, req, limit.APIKey, who.Key.ID); err != nil {
			return err
		}
		switch rule {
		case keysRefused:
			return guard.ErrNotForKeys
		case keysOfSelf:
			if err := guard.CheckSelf(req); err != nil {
				return err
			}
		case keysByScope, keysUnread:
		}
		return h(w, req)
	}
}

// byUserOnly is for a change that nobody makes for somebody else.
func byUserOnly(r *route) { r.standIns = guard.ReadsOnly }

// forUserOnly is for what nobody sees for somebody else.
func forUserOnly(r *route) { r.standIns = guard.Nothing }

// standIn returns what staff may do at a route while they act as a user (contract 2.32): manage nothing, and of an
// account change nothing.
func (r route) standIn() guard.StandIn {
	switch {
	case r.by == staffMembers:
		return guard.Nothing
	case strings.Contains(r.pattern, " /auth/"):
		return max(r.standIns, guard.ReadsOnly)
	}
	return r.standIns
}

// ofBytes is for a route whose identifier may be any bytes, because its handler checks them.
func ofBytes(r *route) { r.bytes = true }

// serve returns the handler of r inside of everything that its row asks for.
func (rt *router) serve(r route, h web.HandlerFunc) web.HandlerFunc {
	h = named(r, h)
	ofAccounts := strings.Contains(r.pattern, " /auth/")
	if r.speaks || ofAccounts {
		h = rt.inLanguage(h)
	}
	if r.by != users && !r.ruleless && ofAccounts {
		h = rt.withRules(h)
	}
	if r.lasting && r.by != anyone {
		h = rt.whileCaller(h)
	}
	if r.keyed == byBody {
		h = rt.keys.JSON(h)
	}
	if !r.lasting { // a call to a plugin is watched while it lasts
		h = guard.Reaffirm(rt.auth, h)
	}
	if r.then != nil {
		h = guard.Check(r.then, h)
	}
	for _, l := range r.limits {
		if l.wrap != nil {
			h = l.wrap(rt.limits, l.rule, h)
		}
	}
	if r.recent != never {
		h = guard.RequireRecent(rt.recent[r.recent], h)
	}
	if r.first != nil {
		h = named(r, guard.Check(r.first, h))
	}
	h = rt.admit(r, h)
	if r.unkept {
		h = web.Unkept(h)
	}
	switch {
	case r.lasting:
		return h
	case r.page:
		return rt.themeAppOr(h)
	case r.timeout != 0:
		return withDeadline(r.timeout, h)
	}
	return withDeadline(requestTimeout, rt.counted(h))
}

// inLanguage has the language of the request in its context, for mails that it causes.
func (rt *router) inLanguage(h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if tag, _ := rt.languages.Of(r); tag != "" {
			r = r.WithContext(reqctx.WithLanguage(r.Context(), tag))
		}
		return h(w, r)
	}
}

// withRules reads the rules of accounts first, which the check of a bearer token does for routes of users.
func (rt *router) withRules(h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := rt.rules(r.Context()); err != nil {
			return err
		}
		return h(w, r)
	}
}

// admit refuses the callers that r is not for.
func (rt *router) admit(r route, h web.HandlerFunc) web.HandlerFunc {
	identified := func(h web.HandlerFunc) web.HandlerFunc {
		return guard.Identify(rt.auth, guard.LimitStandIns(r.standIn(), h))
	}
	switch r.by {
	case anyone, processes:
		if r.readsBearer {
			return guard.NoKeys(rt.auth, rt.forKeys(r, h), h)
		}
		return h
	case usersByHandler:
		return guard.NoKeys(rt.auth, rt.forKeys(r, h), h)
	case guestsToo:
		return identified(rt.forKeys(r, h))
	case users:
		return identified(rt.forKeys(r, guard.RequireUser(h)))
	case staffMembers:
		if r.call != nil { // which plugins a role may use is known with the path: see addCall
			return identified(rt.forKeys(r, h))
		}
		return identified(rt.forKeys(r, guard.RequireStaff(h, r.permits...)))
	case plugins:
		return rt.platform(h, r.needs...)
	}
	panic("httpapi: nobody may call " + r.pattern)
}
