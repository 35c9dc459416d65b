package signin

import (
	"context"
	"log/slog"
)

// LogProblems logs, at start, which decisions of administrators this stoa cannot follow, and which of them win over the
// policy asvs. For flags, stoa serve logs the same by itself.
func (s *Service) LogProblems(ctx context.Context, log *slog.Logger) error {
	rows, set, err := s.Get(ctx)
	if err != nil {
		return err
	}
	in := s.Book.over(set.Values)
	rules, err := in.Rules(s.Book.demo)
	if err != nil {
		return err
	}
	if rules.Registration == "mail-first" && !s.Mail {
		log.WarnContext(ctx,
			"nobody can make an account: the registration is mail-first, and no mail is sent; set STOA_SMTP_URL, "+
				"or STOA_REGISTRATION=open")
	}
	if rules.StaffSecondFactor == "passkey" && !s.Passkeys {
		log.WarnContext(ctx,
			"administrators manage nothing: they need a passkey, and browsers make none at this address; give "+
				"--public-url a host name, or set STOA_STAFF_SECOND_FACTOR=required")
	}
	if in.AuthPolicy != "asvs" {
		return nil
	}
	var own []string
	for _, row := range rows {
		if row.Source == FromSetting && row.Name != "authPolicy" && row.Value != row.Default {
			own = append(own, row.Name)
		}
	}
	if len(own) > 0 {
		log.InfoContext(ctx, "settings of administrators win over the policy asvs", slog.Any("settings", own))
	}
	return nil
}
