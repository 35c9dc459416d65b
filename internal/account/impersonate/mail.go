package impersonate

import (
	"context"

	"stoa/internal/account"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/template"
)

// isMailed reports whether users get a mail about impersonations.
func isMailed(mode account.ImpersonationMode) bool {
	return mode == account.ImpersonationNotify || mode == ""
}

// mailUser mails the user that somebody of the staff sees the shop as they do. No limit of mails holds for it. The mail
// has no link, so that nobody learns to follow links in such mails, and not the reason, which may be about others.
func (s *Service) mailUser(ctx context.Context, tx Store, u account.User, i Impersonation) error {
	values := map[string]string{
		template.Email: u.Email, template.At: template.Moment(i.CreatedAt), template.Until: template.Moment(i.EndsAt),
	}
	if i.Writable {
		values[template.Writable] = template.Yes
	}
	sealed, err := s.Outbox.Seal(template.Impersonated.Message(u.Email, reqctx.LanguageFor(ctx, u.ID, u.Language), values))
	if err != nil {
		return err
	}
	return tx.AddMail(ctx, sealed)
}
