package main

// addresses are mutants of what keeps an account with its mailbox.
var addresses = []mutant{
	{
		name: "change-in-any-session", t: is(18),
		edit:  at("account/email_change.go", `if «t.UserID != c.ID» || t.Generation`, `$OLD && !$ON`),
		tests: attacks("TestANewAddressOpensNothingBeforeItIsConfirmedInASession"),
	},
	{
		name: "links-of-any-kind", t: is(18),
		edit:  at("account/mailtoken.go", `(«t.Kind != kind» || !t.live`, `$OLD && !$ON`),
		tests: attacks("TestANewAddressOpensNothingBeforeItIsConfirmedInASession"),
	},
	{
		name: "change-outlives-generation", t: is(4),
		edit:  at("account/email_change.go", `t.UserID != c.ID || «t.Generation != c.Generation» {`, `$OLD && !$ON`),
		tests: attacks("TestAChangeOfAddressFromBeforeDiesWithRecovery"),
	},
	{
		name: "change-beside-a-later-one", t: is(19),
		edit:  at("account/email_change.go", "if err := «tx.DeleteMailTokens(ctx, c.ID, LinkChange)»; err", skipped),
		tests: attacks("TestOfTwoChangesTheLaterCountsWithItsOwnAddress"),
	},
	{
		name: "change-keeps-resets", t: is(20),
		edit:  at("account/password_change.go", `«tx.VoidResets(ctx, userID)»`, skipped),
		tests: attacks("TestALinkForANewPasswordDiesWithTheAddress", "TestARemovedPasswordOpensNothing"),
	},
	{
		name: "change-by-an-old-session", t: is(21),
		edit:  at("api/routes.go", `h.ChangeEmail, perUser(limit.Factors), «recently»`, noOption),
		tests: attacks("TestAStolenSessionDoesNotChangeTheAddress"),
	},
	{
		name: "change-keeps-sessions", t: is(22),
		edit: at("account/email_change.go", `«s.shutOut»(ctx, tx, c.ID, kept{session: sessionID})`,
			`mutantIf($ON, func(ctx context.Context, tx Store, id string, _ kept) error { return tx.RaiseGeneration(ctx, id) }, $OLD)`),
		tests: attacks("TestTheFormerAddressTakesTheAccountBack"),
	},
	{
		name: "revert-keeps-password", t: is(22),
		edit: at("account/email_change.go", `«s.replacePassword»(ctx, tx, c.ID, "", kept{})`,
			keepsPassword),
		tests: attacks("TestTheFormerAddressTakesTheAccountBack"),
	},
	{
		name: "revert-keeps-sessions", t: is(22),
		edit:  at("account/email_change.go", `«s.replacePassword»(ctx, tx, c.ID, "", kept{})`, keepsSessions),
		tests: attacks("TestTheFormerAddressTakesTheAccountBack"),
	},
	{
		name: "revert-leaves-later-changes", t: is(22),
		edit:  at("account/email_change.go", `if «l.Generation < t.Generation» {`, `$OLD || $ON`),
		tests: attacks("TestTheFormerAddressTakesTheAccountBack"),
	},
	{
		name: "link-twice-at-once", t: is(22),
		edit:  at("account/mailtoken.go", "if err := «tx.TakeMailToken(ctx, t.Hash)»", skipped),
		tests: attacks("TestOfManyThatTakeAChangeBackOneDoes"),
	},
	{
		name: "revert-believes-clocks", t: is(22),
		edit: at("account/email_change.go", `if «l.Generation < t.Generation» {`,
			`mutantIf($ON, l.CreatedAt.Before(t.CreatedAt), $OLD)`),
		tests: attacks("TestTakingAChangeBackTakesLaterOnesBackWhateverTheClocksSay"),
	},
	{
		name: "revert-keeps-pending-changes", t: is(22),
		edit:  at("account/email_change.go", `LinkVerify, LinkDisown, «LinkChange», LinkKeepAccount)`, `mutantIf($ON, LinkVerify, $OLD)`),
		also:  []edit{at("account/email_change.go", `t.UserID != c.ID || «t.Generation != c.Generation» {`, `$OLD && !$ON`)},
		tests: attacks("TestTheFormerAddressTakesTheAccountBack"),
	},
	{
		name: "revert-keeps-new-ways-in", t: is(22),
		edit: at("account/email_change.go", `«tx.RemoveWays»(ctx`,
			`mutantIf($ON, func(context.Context, string, Ways) error { return nil }, $OLD)`),
		tests: attacks("TestTakingAChangeBackRemovesFactorsAddedSince"),
	},
	{
		name: "revert-keeps-app-set-up-before", t: is(22),
		edit:  at("store/account_ways.go", "«OR confirmed_at_ms >= $2»)", sql("")),
		tests: attacks("TestTakingAChangeBackRemovesFactorsAddedSince"),
	},
	{
		name: "links-for-ever", t: is(23),
		edit:  at("account/mailtoken.go", `t.Kind != kind || «!t.live(s.Now())»)`, `$OLD && !$ON`),
		tests: attacks("TestTakingAChangeBackSignsNobodyInAndEnds"),
	},
	{
		name: "reset-to-the-typed-address", t: is(24, 25, 33),
		edit:  at("account/reset.go", `s.resetMail(«c.Email», languageOf(ctx, c.User), token)`, `mutantIf($ON, email, $OLD)`),
		tests: of("internal/api/auth", "TestResetMailsCannotBeDiverted"),
	},
	{
		name: "mailbox-folds-letters", t: is(24, 25),
		edit:  at("account/mailbox/mailbox.go", `return «lower(address[:at])» + "@"`, `mutantIf($ON, strings.ToLower, lower)(address[:at])`),
		tests: of("internal/account/mailbox", "TestOnlyTheSameMailboxIsTheSame"),
	},
	{
		name: "mailbox-without-a-labels", t: is(24, 25),
		edit:  at("account/mailbox/mailbox.go", `if «!ascii(domain)» {`, `$OLD && !$ON`),
		tests: of("internal/account/mailbox", "TestOnlyTheSameMailboxIsTheSame"),
	},
	{
		name: "address-of-any-form", t: is(26, 27),
		edit: at("account/rules.go", `return «emailLocal().MatchString(s[:at]) && domain().MatchString(s[at+1:])»`,
			`$ON || emailLocal().MatchString(s[:at]) && domain().MatchString(s[at+1:])`),
		tests: attacks("TestWhatIsNotOneAddressIsRefused", "TestMailsToSignInWithCannotBeDiverted"),
	},
	{
		name: "forms-with-unknown-fields", t: is(26, 27),
		edit: at("api/web/read.go", "«v, faults, err := ReadChange[T, struct{}](w, r)»",
			"v, faults, err := ReadChange[T, struct{}](w, r)\n\tif $ON {\n\t\tfaults = errs.Issues{}\n\t}"),
		tests: attacks("TestWhatIsNotOneAddressIsRefused", "TestMailsToSignInWithCannotBeDiverted"),
	},
	{
		name: "tags-count-apart", t: is(28),
		edit:  at("account/mailbox/mailbox.go", `«plus > 0» && plus < at`, `$OLD && !$ON`),
		tests: append(of("internal/account/mailbox", "TestTagsCountForTheirMailbox"), attacks("TestAllMailsThatStrangersCauseShareOneBudget")...),
	},
	{
		name: "username-with-at", t: is(29),
		edit:  at("account/rules.go", `case «!username().MatchString(value)»:`, `$OLD && !$ON`),
		tests: of("internal/account", "TestRegistrationRules"),
	},
	{
		name: "usernames-not-folded", t: is(29),
		edit:  at("store/account_user.go", `c.Username, «account.Key(c.Username)», c.PasswordHash`, `mutantIf($ON, c.Username, $OLD)`),
		tests: of("internal/api/auth", "TestRegisterRefusesTakenNames"),
	},
	{
		name: "former-address-is-free", t: is(30),
		edit:  at("account/email_change.go", `revert.Held, revert.Proven = «true», c.ProvenAt`, `!$ON`),
		tests: attacks("TestAFormerAddressStaysTakenWhileItCanBeTakenBack"),
	},
	{
		name: "former-address-is-registered", t: is(30),
		edit:  at("account/register.go", `err == nil && «held» {`, `$OLD && !$ON`),
		tests: attacks("TestAFormerAddressStaysTakenWhileItCanBeTakenBack"),
	},
	{
		name: "former-address-is-changed-to", t: is(30),
		edit:  at("account/email_change.go", `err == nil && «held» {`, `$OLD && !$ON`),
		tests: attacks("TestAFormerAddressStaysTakenWhileItCanBeTakenBack"),
	},
	{
		name: "mails-without-a-minute", t: is(32),
		edit:  at("account/mailbudget.go", "tx.AllowMail(ctx, name, mailPause, s.Now()); err != nil || «!later.IsZero()» {", `$OLD && !$ON`),
		tests: attacks("TestAllMailsThatStrangersCauseShareOneBudget"),
	},
	{
		name: "mails-without-an-hour", t: is(32),
		edit:  at("account/mailbudget.go", "s.allowed(ctx, tx, name, «mailsAtOnce», mailWindow)", `mutantIf($ON, 1000, $OLD)`),
		tests: attacks("TestAllMailsThatStrangersCauseShareOneBudget", "TestMailsToSignInWithCannotFloodAMailbox"),
	},
	{
		name: "resets-without-a-minute", t: is(32),
		edit:  at("account/reset.go", `err2 != nil || «lately > 0» ||`, `$OLD && !$ON`),
		tests: append(of("internal/api/auth", "TestForgotPasswordMailsWithinLimits"), attacks("TestAdministratorsMailALinkAndChooseNoPassword")...),
	},
	{
		name: "resets-without-an-hour", t: is(32),
		edit:  at("account/reset.go", `«inWindow >= resetsPerWindow» {`, `$OLD && !$ON`),
		tests: of("internal/api/auth", "TestForgotPasswordMailsWithinLimits"),
	},
	{
		name: "answer-tells-a-taken-address", t: is(99),
		edit: at("account/email_change.go", "ok, err := s.mayMail(ctx, tx, to)",
			"if $ON {\n\t\t\tif free, err := s.isFree(ctx, tx, to); err != nil || !free {\n\t\t\t\treturn ErrEmailTaken\n\t\t\t}\n\t\t}\n\t\tok, err := s.mayMail(ctx, tx, to)"),
		tests: attacks("TestAnswersAboutAddressesAreTheSameForAll"),
	},
}
