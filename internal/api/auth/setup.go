package auth

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
)

// SetUp serves POST /auth/setup.
func (h *Handlers) SetUp(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadInput(w, r, h.Accounts.SetupIssues)
	if err != nil {
		return err
	}
	t, err := h.Accounts.SetUp(arrival(r), in)
	if err != nil {
		return err
	}
	writeTokens(w, nil, http.StatusCreated, t, "The administrator is created and signed in.")
	return nil
}

// SetupPage returns a handler that serves GET /setup, the target of the set-up link, with page. Once
// there is an administrator, browsers get the page done instead.
func (h *Handlers) SetupPage(page, done web.HandlerFunc) web.HandlerFunc {
	used := web.ByReader(done, func(http.ResponseWriter, *http.Request) error { return account.ErrSetup })
	return func(w http.ResponseWriter, r *http.Request) error {
		needed, err := h.Accounts.NeedsSetup(r.Context())
		if err != nil {
			return err
		}
		if !needed {
			return used(w, r)
		}
		return page(w, r)
	}
}

// BeforeConsole returns a handler that leads to the set-up while there is no administrator, and serves
// page, which can only ask to sign in, from then on.
func (h *Handlers) BeforeConsole(page web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		needed, err := h.Accounts.NeedsSetup(r.Context())
		if err != nil || !needed {
			return page(w, r) // without a database, the console says so itself
		}
		web.NoStore(w)
		http.Redirect(w, r, "/setup", http.StatusSeeOther)
		return nil
	}
}
