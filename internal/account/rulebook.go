package account

import "context"

// Rules are what an operator decides about signing in (contract 2.27). The zero value is what holds unless something
// is decided.
type Rules struct {
	// Policy is the set of rules for new passwords; PolicyStandard if empty.
	Policy Policy

	// RefuseBreached has nobody choose a password of Service.Breached.
	RefuseBreached bool

	// Registration says who may create an account; RegistrationOpen if empty.
	Registration RegistrationMode

	// Safeguards are what sessions need beyond what holds everywhere.
	Safeguards Safeguards

	// TellSignIns mails users of sign-ins from where they did not sign in before.
	TellSignIns bool

	// MailedSignIn lets users sign in with a mailed link or code, except staff. Without mail it does nothing.
	MailedSignIn bool

	// Impersonation says whether staff may act as users, and how users hear of it; ImpersonationNotify if empty.
	Impersonation ImpersonationMode
}

// RuleBook has the Rules. Administrators change them while stoa runs, so each request asks once, where it comes in;
// what happens within it takes the rules that were read last, without an error to handle.
type RuleBook interface {
	// Since returns the rules that hold. After a change was answered, no replica returns the former ones. state is what
	// the database has just told of them, as Alive.Rules, or empty.
	Since(ctx context.Context, state string) (Rules, error)

	// Last returns the rules that this process read last; before the first Since, the zero Rules.
	Last() Rules
}

// Fixed is a RuleBook of rules that nobody changes.
type Fixed Rules

// Since implements RuleBook.
func (f Fixed) Since(context.Context, string) (Rules, error) { return Rules(f), nil }

// Last implements RuleBook.
func (f Fixed) Last() Rules { return Rules(f) }

// Rules returns the rules that hold now, for whom a request comes in.
func (s *Service) Rules(ctx context.Context) (Rules, error) { return s.rulesSince(ctx, "") }

// rulesSince is Rules for whom the database has just told their state.
func (s *Service) rulesSince(ctx context.Context, state string) (Rules, error) {
	if s.Book == nil {
		return Rules{}, nil
	}
	return s.Book.Since(ctx, state)
}

// LastRules returns the rules that were read last, by the request at hand or a later one.
func (s *Service) LastRules() Rules {
	if s.Book == nil {
		return Rules{}
	}
	return s.Book.Last()
}
