package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
)

// acceptance makes an account with the link of an invitation.
func acceptance(token, username, password string) request {
	return request{
		method: http.MethodPost, path: "/auth/invitations/accept",
		body: map[string]string{"token": token, "username": username, "password": password},
	}
}

// Two people who have the link of an invitation accept it: one has the account, with the name and the password that
// they chose, and nobody has another. While they do, the administrator revokes it in every other round.
func raceOfInvitations(t *testing.T, h *house, name string) func(context.Context, *rand.Rand, int) error {
	t.Helper()
	admin := &visitor{h: h, p: h.processes[0], email: adminEmail}
	in, err := admin.login(t.Context(), adminPassword)
	if err != nil {
		t.Fatal(err)
	}
	admin.signsIn(in)
	return func(ctx context.Context, rng *rand.Rand, n int) error {
		if err := admin.shows(ctx); err != nil {
			return err
		}
		v := &visitor{h: h, p: h.processes[rng.IntN(2)], email: fmt.Sprintf("%s-%d@example.com", name, n)}
		made, err := admin.do(ctx, http.MethodPost, "/api/v1/admin/invitations",
			map[string]string{"email": v.email, "role": "SUPPORT"}, http.StatusCreated)
		if err != nil {
			return err
		}
		token, err := h.mails.link(ctx, v.email, "invitation")
		if err != nil {
			return err
		}
		passwords := []string{"chosen by the first", "chosen by the second"}
		var racers []request
		for i, password := range passwords {
			racers = append(racers, acceptance(token, fmt.Sprintf("%s-%d-%d", name, n, i), password))
		}
		if n%2 == 1 {
			racers = append(racers, request{
				method: http.MethodDelete, path: "/api/v1/admin/invitations/" + made.Data.ID, bearer: admin.bearer,
			})
		}
		answers, err := h.race(ctx, rng, racers...)
		if err != nil {
			return err
		}
		won := winners(answers[:2], http.StatusCreated)
		if len(answers) > 2 {
			won += winners(answers[2:], http.StatusOK)
		}
		if won != 1 {
			return fmt.Errorf("%d of %d win:\n%s", won, len(answers), bodies(answers))
		}
		for i, password := range passwords {
			in, err := v.login(ctx, password)
			if err != nil || in.status == http.StatusOK != (answers[i].status == http.StatusCreated) {
				return instead(err, "the password of answer %d signs in with %d, and it was answered %d", i, in.status, answers[i].status)
			}
		}
		return nil
	}
}

// helps has an administrator invite somebody, who accepts, and gets a role of the shop's own, which some keep.
func (l *lives) helps(ctx context.Context, h *house, rng *rand.Rand, name string, kept bool) error {
	admin := &visitor{h: h, email: adminEmail}
	in, err := l.takes(ctx, admin, rng, post("", "/auth/login", http.StatusOK,
		map[string]string{"email": adminEmail, "password": adminPassword}))
	if err != nil {
		return err
	}
	admin.signsIn(in)
	v := &visitor{h: h, email: name + "-staff@example.com"}
	// The mailbox has had its mail where the first request was done without an answer.
	if _, err := l.takes(ctx, admin, rng, post(admin.bearer, "/api/v1/admin/invitations", http.StatusCreated,
		map[string]string{"email": v.email, "role": "SUPPORT"}, "RATE_LIMIT_EXCEEDED")); err != nil {
		return err
	}
	token, err := h.mails.link(ctx, v.email, "invitation")
	if err != nil {
		return err
	}
	a := acceptance(token, name+"-staff", adminPassword)
	if err := l.spends(ctx, v, rng, step{a, http.StatusCreated, []string{"INVALID_LINK"}}); err != nil {
		return err
	}
	if in, err = l.takes(ctx, v, rng, post("", "/auth/login", http.StatusOK,
		map[string]string{"email": v.email, "password": adminPassword})); err != nil {
		return err
	}
	v.signsIn(in)
	if _, err = l.takes(ctx, v, rng, step{request{method: http.MethodGet, path: "/api/v1/admin/users", bearer: v.bearer}, http.StatusOK, nil}); err != nil {
		return err
	}
	if in, err = l.takes(ctx, admin, rng, post("", "/auth/login", http.StatusOK,
		map[string]string{"email": adminEmail, "password": adminPassword})); err != nil { // the mail may have taken long
		return err
	}
	admin.signsIn(in)
	return l.entitles(ctx, admin, v, rng, name, kept)
}
