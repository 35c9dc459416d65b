package auth

import (
	"errors"
	"log/slog"
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
)

// MailSignIn serves POST /auth/login/email. The answer is the same whether the address has an account or not.
func (h *Handlers) MailSignIn(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.MailedSignInAllowed(); err != nil {
		return err
	}
	in, err := web.ReadStrictly(w, r, account.MailedSignIn.Issues)
	if err != nil {
		return err
	}
	flow, err := h.Accounts.MailSignIn(r.Context(), in.Email)
	if err != nil {
		return err
	}
	h.setFlow(w, r, flow)
	web.WriteJSON(w, http.StatusAccepted, web.Envelope{
		Success: true,
		Message: "If the address has an account, a mail is on its way, unless it got such mails lately. " +
			"It works for 10 minutes.",
		Data: map[string]string{"flow": flow},
	})
	return nil
}

// MailLogin serves POST /auth/login/email/complete.
func (h *Handlers) MailLogin(w http.ResponseWriter, r *http.Request) error {
	if err := h.Accounts.MailedSignInAllowed(); err != nil {
		return err
	}
	cookie, r, err := h.refreshCookie(r)
	if err != nil {
		return err
	}
	in, err := web.ReadStrictly(w, r, account.MailedProof.Issues)
	if err != nil {
		return err
	}
	browser := h.flow(r)
	if _, own := h.fromOwnPage(r); !own {
		browser = "" // the flow is for this origin's pages
	}
	t, err := h.Accounts.SignInByMail(arrival(r), in, browser)
	switch {
	case errors.Is(err, account.ErrLink), errors.Is(err, account.ErrStaffMethod):
		h.Log.InfoContext(r.Context(), "sign-in failed", slog.String("address", h.ClientIP.Addr(r).String()))
	case browser != "" && (err == nil || errors.Is(err, account.ErrSecondFactor)) &&
		(in.Token != "" || in.Flow == browser):
		h.clearFlow(w, r)
	}
	if err != nil {
		return err
	}
	writeTokens(w, cookie, http.StatusOK, t, "")
	return nil
}
