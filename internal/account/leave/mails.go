package leave

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
)

// letterPlanned tells a user that the account will be removed, with the link that keeps it. The token is in the
// fragment, which browsers do not send to servers (contract 2.8).
func (s *Service) letterPlanned(ctx context.Context, u account.User, token string, at time.Time) mail.Message {
	return template.DeletionPlanned.Message(u.Email, reqctx.LanguageFor(ctx, u.ID, u.Language), map[string]string{
		template.Email: u.Email, template.At: template.Moment(at), template.Link: s.PublicURL + "/keep-account#" + token,
	})
}

// letterFormer tells whoever reads mail to a former address. The mail about the change of the address has a link that
// takes the account back, so this one has none.
func letterFormer(ctx context.Context, u account.User, to string, at time.Time) mail.Message {
	return template.DeletionPlannedFormer.Message(to, reqctx.LanguageFor(ctx, u.ID, u.Language), map[string]string{
		template.Username: u.Username, template.At: template.Moment(at),
	})
}
