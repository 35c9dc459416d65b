// Package guard checks who is calling: it reads bearer tokens and refuses callers
// that a route is not for.
package guard

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"stoa/internal/account/apikey"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

// ErrUnauthorized is the failure of a request without a valid token where one is
// needed.
var ErrUnauthorized = errs.New(errs.Unauthenticated, "UNAUTHORIZED",
	"A valid access token is required. Send it as Authorization: Bearer <token>.")

var errFactorDue = errs.New(errs.Forbidden, "STAFF_FACTOR_REQUIRED",
	"Staff sign in with a second factor here. Switch it on in your account, or sign in with it.")

// errPasskeyDue is errFactorDue where codes do not suffice.
var errPasskeyDue = errs.New(errs.Forbidden, "STAFF_FACTOR_REQUIRED",
	"Staff sign in with a passkey here. Add one in your account, then sign in with it.")

// errForbidden says which permission somebody lacks.
func errForbidden(name permission.Name) error {
	if name == permission.Any {
		return errs.New(errs.Forbidden, "FORBIDDEN", "This is for staff.").With("permission", name)
	}
	return errs.New(errs.Forbidden, "FORBIDDEN", "This needs the permission %s, which your role does not have.", name).
		With("permission", name)
}

// Lacks says that a caller, who may use the route, lacks a permission for what is asked of it.
func Lacks(name permission.Name) error { return errForbidden(name) }

// ErrNotForKeys refuses whoever shows an API key where only people may act who are signed in.
var ErrNotForKeys = errs.New(errs.Forbidden, "NOT_FOR_KEYS",
	"No API key opens this. Sign in for it.")

// errNoScope says what a key lacks.
var errNoScope = errs.New(errs.Forbidden, "FORBIDDEN", "This needs a scope that the API key does not have.")

// Authenticator establishes who is calling.
type Authenticator interface {
	// Authenticate returns the caller behind a bearer token: a user with a live
	// session, a service, or whoever an API key stands for. It returns an
	// errs.Unauthenticated error for anything else.
	Authenticate(ctx context.Context, token string) (reqctx.Caller, error)

	// Reaffirm returns a caller without a key that Authenticate returned a while ago as it is now. It returns an
	// errs.Unauthenticated error for one who has lost access.
	Reaffirm(ctx context.Context, who reqctx.Caller) (reqctx.Caller, error)
}

// Bearer returns the token in the Authorization header. ok is false without one;
// other schemes are ignored. Several headers count as one token that is never
// valid: picking one of them could differ from what the client means, or from
// what a proxy on the way checked.
func Bearer(r *http.Request) (token string, ok bool) {
	if len(r.Header.Values("Authorization")) > 1 {
		return "", true
	}
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}

// Identify puts the caller behind the bearer token, if there is one, into the
// request's context.
func Identify(auth Authenticator, h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if token, ok := Bearer(r); ok {
			who, err := auth.Authenticate(r.Context(), token)
			if err != nil {
				return err
			}
			// Here, and not in Authenticate, which others call beside the request, too.
			reqctx.SetBehalf(r.Context(), reqctx.Behalf{UserID: who.UserID, Impersonator: who.Impersonator})
			r = r.WithContext(reqctx.WithCaller(r.Context(), who))
		}
		return h(w, r)
	}
}

// Reaffirm has h ask again who the caller is when the body of the request has been read (web.WithReaffirm). Whoever
// has lost access or rights while they sent it is not believed for what they were when it began; ErrUnauthorized has
// clients send it again, and then they get the answer for what they are now. What they have gained does not count yet.
// It runs inside Identify.
func Reaffirm(auth Authenticator, h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		who := reqctx.CallerFrom(r.Context())
		if who.IsGuest() || r.Body == nil || r.Body == http.NoBody {
			return h(w, r)
		}
		return h(w, web.WithReaffirm(r, func(ctx context.Context) error {
			now, err := again(ctx, auth, r, who)
			if err == nil && lost(who, now) {
				err = ErrUnauthorized
			}
			return err
		}))
	}
}

// again returns a caller as it is now. The secret of a key may be replaced meanwhile; an access token may expire.
func again(ctx context.Context, auth Authenticator, r *http.Request, who reqctx.Caller) (reqctx.Caller, error) {
	if token, ok := Bearer(r); ok && who.HasKey() {
		return auth.Authenticate(ctx, token)
	}
	return auth.Reaffirm(ctx, who)
}

// lost reports whether a caller is somebody else now, or may do less than before.
func lost(before, now reqctx.Caller) bool {
	switch {
	case now.UserID != before.UserID, now.Service != before.Service, now.SessionID != before.SessionID,
		now.Impersonator != before.Impersonator, now.Key.ID != before.Key.ID:
		return true
	case before.Role != reqctx.RoleUser && now.Role != before.Role, before.Writes && !now.Writes,
		before.Key.Read && !now.Key.Read, before.Key.Write && !now.Key.Write:
		return true
	case now.FactorDue != "" && now.FactorDue != before.FactorDue:
		return true
	}
	return now.Rights.Lacks(before.Rights) != ""
}

// RefuseKeys refuses whoever shows an API key: see ErrNotForKeys.
func RefuseKeys(ctx context.Context) error {
	if reqctx.CallerFrom(ctx).HasKey() {
		return ErrNotForKeys
	}
	return nil
}

// NoKeys has refuse answer requests with an API key that works, and h, which reads the bearer token itself, all others.
func NoKeys(auth Authenticator, refuse, h web.HandlerFunc) web.HandlerFunc {
	refuse = Identify(auth, refuse)
	return func(w http.ResponseWriter, r *http.Request) error {
		token, ok := Bearer(r)
		if !ok || !apikey.Marked(token) {
			return h(w, r)
		}
		if err := refuse(w, r); errs.KindOf(err) != errs.Unauthenticated {
			return err
		}
		return h(w, r)
	}
}

// CheckSelf refuses an API key that does not stand for its user, where no permission is asked for: it needs self:read
// for GET and HEAD, and self:write for everything else. Nobody is a guest with a key.
func CheckSelf(r *http.Request) error {
	who, name := reqctx.CallerFrom(r.Context()), apikey.SelfWrite
	allowed := who.Key.Write
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		name, allowed = apikey.SelfRead, who.Key.Read
	}
	if who.HasKey() && !allowed {
		return errNoScope.With("permission", name)
	}
	return nil
}

// Check refuses what check refuses.
func Check(check func(*http.Request) error, h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := check(r); err != nil {
			return err
		}
		return h(w, r)
	}
}

// RequireUser refuses everyone but signed-in users. It runs inside Identify.
func RequireUser(h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if reqctx.CallerFrom(r.Context()).UserID == "" {
			return ErrUnauthorized
		}
		return h(w, r)
	}
}

// RequireStaff refuses whoever has none of the permissions: see CheckStaff. It runs inside Identify.
func RequireStaff(h web.HandlerFunc, permissions ...permission.Name) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := CheckStaff(r.Context(), permissions...); err != nil {
			return err
		}
		return h(w, r)
	}
}

// CheckFactor refuses staff who lack a second factor that the platform asks staff for.
func CheckFactor(ctx context.Context) error {
	switch reqctx.CallerFrom(ctx).FactorDue {
	case "":
		return nil
	case reqctx.Passkey:
		return errPasskeyDue
	default:
		return errFactorDue
	}
}

// CheckStaff refuses the caller that ctx carries, who has none of the permissions: a guest with 401, staff who lack a
// second factor and all others with 403, which names the first of the permissions (contract 2.19, 2.29).
func CheckStaff(ctx context.Context, permissions ...permission.Name) error {
	who := reqctx.CallerFrom(ctx)
	if who.IsGuest() {
		return ErrUnauthorized
	}
	if err := CheckFactor(ctx); err != nil {
		return err
	}
	if !slices.ContainsFunc(permissions, who.May) {
		return errForbidden(permissions[0])
	}
	return nil
}

// RequireRecent refuses users whose last proof to be there lies back too long, with what check returns. Services
// and API keys are not asked: no key calls a route that always asks. It runs inside what admits the caller.
func RequireRecent(check func(ctx context.Context, userID, sessionID string) error, h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		who := reqctx.CallerFrom(r.Context())
		if who.Service == "" && !who.HasKey() {
			if err := check(r.Context(), who.UserID, who.SessionID); err != nil {
				return err
			}
		}
		return h(w, r)
	}
}
