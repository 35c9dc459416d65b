package auth

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
)

// signInProvider is a provider, as people see it who sign in.
type signInProvider struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

func providerOf(p account.Provider) signInProvider {
	return signInProvider{Slug: p.Slug, Name: p.Name, Kind: string(p.Kind)}
}

// caller is whoever sends r, for package account.
func caller(r *http.Request) account.Caller {
	who := reqctx.CallerFrom(r.Context())
	return account.Caller{UserID: who.UserID, SessionID: who.SessionID}
}

// BeginFlow serves POST /auth/oidc/{slug}/start.
func (h *Handlers) BeginFlow(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, account.FlowStart.Issues)
	if err != nil {
		return err
	}
	in.ReturnTo = ownPath(in.ReturnTo)
	address, cookie, err := h.Accounts.BeginFlow(r.Context(), r.PathValue("slug"), in, caller(r))
	if err != nil {
		return h.withCause(r, err)
	}
	h.setFlow(w, r, cookie)
	web.WriteData(w, http.StatusOK, struct {
		URL string `json:"url"`
	}{address})
	return nil
}

// withCause logs why a provider was refused, which its users are not told.
func (h *Handlers) withCause(r *http.Request, err error) error {
	if cause := errors.Unwrap(err); errors.Is(err, account.ErrProvider) && cause != nil {
		h.Log.WarnContext(r.Context(), "an identity provider was refused",
			slog.String("provider", r.PathValue("slug")), slog.Any("err", cause))
	}
	return err
}

// ArriveFlow serves GET /auth/oidc/{slug}/callback, where browsers come back from a provider. What they bring is gone
// from the address at once.
func (h *Handlers) ArriveFlow(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	to, err := h.Accounts.ArriveFlow(r.Context(), r.PathValue("slug"), h.flow(r), account.Arrival{
		State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"),
	})
	next := url.Values{"to": {to}}
	var refusal *errs.Error
	if errors.As(h.withCause(r, err), &refusal) && refusal.Kind == errs.Invalid {
		next = url.Values{"failed": {refusal.Code}}
	} else if err != nil {
		return err
	}
	w.Header().Set("Location", "/sign-in/continue?"+next.Encode())
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// CompleteFlow serves POST /auth/oidc/complete.
func (h *Handlers) CompleteFlow(w http.ResponseWriter, r *http.Request) error {
	cookie, r, err := h.ownPage(r)
	if err != nil {
		return err
	}
	in, err := web.ReadStrictly(w, r, account.FlowCompletion.Issues)
	if err != nil {
		return err
	}
	done, err := h.Accounts.CompleteFlow(arrival(r), h.flow(r), caller(r), in)
	return h.writeCompleted(w, r, cookie, done, err)
}

// ProveFlow serves POST /auth/oidc/email-proof.
func (h *Handlers) ProveFlow(w http.ResponseWriter, r *http.Request) error {
	cookie, r, err := h.ownPage(r)
	if err != nil {
		return err
	}
	in, err := web.ReadStrictly(w, r, account.FlowCode.Issues)
	if err != nil {
		return err
	}
	done, err := h.Accounts.ProveFlow(arrival(r), h.flow(r), caller(r), in)
	return h.writeCompleted(w, r, cookie, done, err)
}

// ownPage is refreshCookie for a route that pages on stoa's own origin call only.
func (h *Handlers) ownPage(r *http.Request) (*refreshCookie, *http.Request, error) {
	if _, own := h.fromOwnPage(r); !own {
		return nil, r, errForeignOrigin
	}
	return h.refreshCookie(r)
}

// writeCompleted answers how a way to a provider and back ended.
func (h *Handlers) writeCompleted(
	w http.ResponseWriter, r *http.Request, cookie *refreshCookie, done account.Completed, err error,
) error {
	if err != nil {
		return err
	}
	h.clearFlow(w, r)
	switch {
	case done.Tokens != nil:
		writeTokens(w, cookie, http.StatusOK, *done.Tokens, "")
	case done.Session != nil:
		writeProven(w, *done.Session)
	default:
		web.WriteData(w, http.StatusOK, struct {
			Linked string `json:"linked"`
		}{done.Linked.ID})
	}
	return nil
}

// identityRow is an account at a provider, as its user sees it.
type identityRow struct {
	ID         string        `json:"id"`
	Provider   string        `json:"provider"` // its slug; empty for one that is gone
	Name       string        `json:"name"`
	Email      string        `json:"email,omitempty"`
	Enabled    bool          `json:"enabled"`
	CreatedAt  web.Timestamp `json:"createdAt"`
	LastUsedAt web.Timestamp `json:"lastUsedAt,omitzero"`
}

// ListIdentities serves GET /auth/identities.
func (h *Handlers) ListIdentities(w http.ResponseWriter, r *http.Request) error {
	list, providers, err := h.Accounts.MyIdentities(r.Context(), reqctx.CallerFrom(r.Context()).UserID)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, map[string]any{"items": web.Items(list, func(i account.Identity) identityRow {
		p := providers[i.Issuer]
		return identityRow{
			ID: i.ID, Provider: p.Slug, Name: p.Name, Email: i.Email, Enabled: p.Enabled,
			CreatedAt: web.Timestamp(i.CreatedAt), LastUsedAt: web.Timestamp(i.LastUsedAt),
		}
	})})
	return nil
}

// RemoveIdentity serves DELETE /auth/identities/{id}.
func (h *Handlers) RemoveIdentity(w http.ResponseWriter, r *http.Request) error {
	who := reqctx.CallerFrom(r.Context())
	if err := h.Accounts.RemoveIdentity(r.Context(), who.UserID, who.SessionID, r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The account is unlinked.")
	return nil
}

// ownPages are the first parts of the paths of stoa's own pages to which somebody may want to come back.
var ownPages = map[string]bool{
	"": true, "p": true, "checkout": true, "orders": true, "licenses": true, "account": true, "console": true,
}

// ownPath returns to if it is the path of one of stoa's own pages, with its query, and else "/".
func ownPath(to string) string {
	if len(to) > 512 || !strings.HasPrefix(to, "/") || strings.Contains(to, "\\") ||
		strings.ContainsFunc(to, unicode.IsControl) {
		return "/"
	}
	u, err := url.Parse(to)
	if err != nil || u.Host != "" || u.Scheme != "" || u.Path != u.EscapedPath() || strings.Contains(u.Path, "//") ||
		strings.Contains(u.Path, "..") {
		return "/"
	}
	if first, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); !ownPages[first] {
		return "/"
	}
	return to
}
