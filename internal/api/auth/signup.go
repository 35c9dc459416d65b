package auth

import (
	"context"
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
)

// methods are the ways to sign in and to get an account.
type methods struct {
	Password     bool                     `json:"password"`
	Passkey      bool                     `json:"passkey"`
	EmailLink    bool                     `json:"emailLink"`
	Registration account.RegistrationMode `json:"registration"`
	Providers    []signInProvider         `json:"providers"`
}

// Methods serves GET /auth/methods.
func (h *Handlers) Methods(w http.ResponseWriter, r *http.Request) error {
	enabled, err := h.Accounts.EnabledProviders(r.Context())
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, methods{
		Password: true, Passkey: h.Accounts.HasPasskeys(), EmailLink: h.Accounts.SignsInByMail(),
		Registration: h.Accounts.LastRules().Registration, Providers: web.Items(enabled, providerOf),
	})
	return nil
}

// SignUp serves POST /auth/sign-up. The answer is the same whether the address has an account or not.
func (h *Handlers) SignUp(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.SignUpAllowed(); err != nil {
		return err
	}
	in, err := web.ReadStrictly(w, r, account.SignUp.Issues)
	if err != nil {
		return err
	}
	if err := h.Accounts.SignUp(r.Context(), in.Email); err != nil {
		return err
	}
	web.WriteAccepted(w, "A mail is on its way, unless the address got such mails lately. Its link works for 24 hours.")
	return nil
}

// CompleteSignUp serves POST /auth/sign-up/complete.
func (h *Handlers) CompleteSignUp(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.SignUpAllowed(); err != nil {
		return err
	}
	return h.beginAccount(w, r, h.Accounts.CompleteSignUp, "Registered and signed in.")
}

// beginAccount answers with the tokens of an account that begins with a mailed link.
func (h *Handlers) beginAccount(
	w http.ResponseWriter, r *http.Request, begin func(context.Context, account.NewAccount) (account.Tokens, error),
	welcome string,
) error {
	cookie, r, err := h.refreshCookie(r)
	if err != nil {
		return err
	}
	in, err := web.ReadStrictly(w, r, func(in account.NewAccount) errs.Issues { return h.Accounts.NewAccountIssues(in) })
	if err != nil {
		return err
	}
	t, err := begin(arrival(r), in)
	if err != nil {
		return err
	}
	writeTokens(w, cookie, http.StatusCreated, t, welcome)
	return nil
}
