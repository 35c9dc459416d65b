package account

import (
	"context"

	"stoa/internal/message/template"
)

// letterProof asks whoever reads mail to u's address to prove it. Its tokens are in the fragment, as in
// resetMail. The first link has both, so that its page can offer the second.
func (s *Service) letterProof(ctx context.Context, u User, links proofLinks) letter {
	more := values{}
	fragment := links.Verify
	if links.Disown != "" {
		fragment += "." + links.Disown
		more[template.DisownLink] = s.PublicURL + "/disown#" + links.Disown
	}
	more[template.Link] = s.PublicURL + "/verify-email#" + fragment
	return letterTo(ctx, u, template.ProveEmail, more)
}

// letterChange sends a new address the link that confirms it.
func (s *Service) letterChange(ctx context.Context, u User, to, token string) letter {
	more := values{
		template.Username: u.Username, template.Email: to, template.Link: s.PublicURL + "/change-email#" + token,
	}
	return letterAt(ctx, to, u, template.NewEmail, more)
}

// letterChangeAsked tells the present address that another one is wanted. The mail has no link, so that nobody
// learns to follow links in such mails.
func (s *Service) letterChangeAsked(ctx context.Context, u User) letter {
	return letterTo(ctx, u, template.EmailChangeAsked, s.now())
}

// letterEmailChanged tells the former address that it was replaced, with the link that takes it back.
func (s *Service) letterEmailChanged(ctx context.Context, before User, token string) letter {
	more := s.now()
	more[template.Link] = s.PublicURL + "/revert-email#" + token
	return letterTo(ctx, before, template.EmailChanged, more)
}

// letterReverted tells the address that an account no longer has that it was changed back.
func (s *Service) letterReverted(ctx context.Context, lost User) letter {
	more := s.now()
	more[template.Username] = lost.Username
	return letterTo(ctx, lost, template.EmailChangedBack, more)
}

// letterSignUp sends whoever wants an account the link that makes it.
func (s *Service) letterSignUp(ctx context.Context, to, token string) letter {
	return letterTo(ctx, User{Email: to}, template.SignUp, values{template.Link: s.PublicURL + "/sign-up#" + token})
}

// letterHasAccount tells whoever wants an account that the address, as they typed it, has one, which is u's; empty if
// somebody may take the address back.
func letterHasAccount(ctx context.Context, to string, u User) letter {
	return letterAt(ctx, to, u, template.HasAccount, values{template.Email: to})
}
