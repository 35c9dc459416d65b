package main

import "slices"

// sessions are mutants of recovery, sessions, and limits.
var sessions = slices.Concat(helped, kept)

// helped are mutants of resets, and of what operators do for users.
var helped = []mutant{
	{
		name: "reset-by-an-old-session-of-staff", t: is(41),
		edit:  at("api/routes.go", `h.MailReset, «recently»`, noOption),
		tests: attacks("TestAdministratorsMailALinkAndChooseNoPassword"),
	},
	{
		name: "reset-of-others-by-users", t: is(41),
		edit:  at("api/guard/guard.go", `if «!slices.ContainsFunc(permissions, who.May)» {`, `$OLD && !$ON`),
		tests: attacks("TestAdministratorsMailALinkAndChooseNoPassword"),
	},
	{
		name: "reset-of-a-blocked-user", t: is(41),
		edit:  at("account/staff_help.go", `s.mayHelp(ctx, tx, c, «!c.Active»)`, `$OLD && !$ON`),
		tests: attacks("TestAdministratorsMailALinkAndChooseNoPassword"),
	},
	{
		name: "revert-by-an-old-session-of-staff", t: is(41),
		edit:  at("api/routes.go", `h.RevertEmail, «recently»`, noOption),
		tests: attacks("TestAdministratorsMailALinkAndChooseNoPassword"),
	},
	{
		name: "revert-by-staff-for-ever", t: is(22, 23),
		edit:  at("account/staff_help.go", `if «t.live(s.Now())» && (err`, `$OLD || $ON`),
		tests: attacks("TestAdministratorsTakeAChangeOfAddressBackWhileItsLinkWorks"),
	},
	{
		name: "printed-password-twice", t: is(41),
		edit: at("account/signin.go", `if «now.PasswordOnce» {`, `$OLD && !$ON`),
		also: []edit{at("account/signin.go", `if «now.PasswordOnce» || newHash`, `$OLD && !$ON`)},
		tests: attacks("TestAPasswordFromTheMachineSignsInOnce", "TestAPasswordFromTheMachineIsGoneWithTheFirstStep",
			"TestOfManySignInsWithAPasswordFromTheMachineOneWins"),
	},
	{
		name: "printed-password-keeps-sessions", t: is(41),
		edit:  at("account/password_change.go", `«s.replacePassword»(ctx, tx, c.ID, hash, kept{})`, keepsSessions),
		tests: attacks("TestAPasswordFromTheMachineSignsInOnce"),
	},
	{
		name: "password-over-another", t: is(41),
		edit:  at("account/password_set.go", `if «c.PasswordHash != ""» {`, `$OLD && !$ON`),
		also:  []edit{at("account/password_set.go", `if «now.PasswordHash != ""» {`, `$OLD && !$ON`)},
		tests: attacks("TestAPasswordIsSetOnlyWhereThereIsNone"),
	},
	{
		name: "password-set-meanwhile", t: is(41),
		edit:  at("account/password_set.go", `if «now.PasswordHash != ""» {`, `$OLD && !$ON`),
		tests: attacks("TestAPasswordIsSetOnlyWhereThereIsNone"),
	},
	{
		name: "password-set-by-an-old-session", t: is(41),
		edit:  at("api/routes.go", `h.SetPassword, perUser(limit.Factors), «recently»`, noOption),
		tests: attacks("TestAPasswordIsSetOnlyWhereThereIsNone"),
	},
	{
		name: "empty-hash-fits-a-password", t: is(47),
		edit:  at("account/signin.go", `if «hash == ""» ||`, `$OLD && !$ON`),
		also:  []edit{at("account/signin.go", `return «s.Hasher.Verify(ctx, hash, secret)»`, "func() (bool, bool, error) {\n\t\tif $ON && hash == `` {\n\t\t\treturn true, false, nil\n\t\t}\n\t\treturn $OLD\n\t}()")},
		tests: attacks("TestARemovedPasswordOpensNothing", "TestAPasswordFromTheMachineSignsInOnce"),
	},
	{
		name: "reset-token-twice", t: is(42),
		edit:  at("account/reset.go", `«s.usableReset»(ctx, tx, r.Hash)`, `mutantIf($ON, func(context.Context, Store, string) (Reset, error) { return r, nil }, $OLD)`),
		tests: of("internal/api/auth", "TestAResetTokenWorksOnce"),
	},
	{
		name: "reset-tokens-of-before", t: is(42),
		edit:  at("account/password_change.go", `«tx.VoidResets(ctx, userID)»`, skipped),
		tests: of("internal/api/auth", "TestAResetTokenWorksOnce"),
	},
}

// kept are mutants of what keeps sessions, and tells their users of others.
var kept = []mutant{
	{
		name: "refresh-token-reused", t: is(97),
		edit:  at("account/session.go", "case «i < 0»:", `i < 0 && !$ON`),
		also:  []edit{at("account/session.go", "case «i+1 < len(s.Replaced)»:", `i >= 0 && i+1 < len(s.Replaced)`)},
		tests: of("internal/api/auth", "TestReuseOfARefreshTokenEndsTheSession"),
	},
	{
		name: "reuse-keeps-the-session", t: is(97),
		edit:  at("account/refresh.go", `return «tx.DeleteSession(ctx, c.ID, session.ID)» // and commit`, skipped),
		tests: of("internal/api/auth", "TestReuseOfARefreshTokenEndsTheSession"),
	},
	{
		name: "refresh-token-in-its-grace-for-ever", t: is(97),
		edit:  at("account/session.go", `return «!now.After(r.At.Add(RefreshGrace))»`, `$OLD || $ON`),
		tests: of("internal/api/auth", "TestReuseOfARefreshTokenEndsTheSession"),
	},
	{
		name: "logout-ends-nothing", t: is(97),
		edit:  at("account/sessions.go", `ignore(«s.Store.DeleteSession(ctx, claims.UserID, claims.SessionID)», errs.NotFound)`, skipped),
		tests: of("internal/account", "TestNothingWorksAfterAConcurrentEnd"),
	},
	{
		name: "shutting-out-keeps-sessions", t: is(97),
		edit:  at("account/password_change.go", `return «tx.DeleteSessionsExcept(ctx, userID, keep.session)»`, skipped),
		tests: of("internal/account", "TestNothingWorksAfterAConcurrentEnd"),
	},
	{
		name: "a-user-who-is-so-is-not-waited-for", t: is(97),
		edit:  at("account/user_change.go", `«tx.Settle(ctx)»`, skippedCall),
		tests: of("internal/account", "TestAChangeThatIsSoAlreadyWaitsForAllProcesses"),
	},
	{
		name: "a-role-that-is-so-is-not-waited-for", t: is(97),
		edit:  at("account/staff/role.go", `«tx.Settle(ctx)»`, skippedCall),
		tests: of("internal/account", "TestAChangeThatIsSoAlreadyWaitsForAllProcesses"),
	},
	{
		name: "a-factor-that-is-gone-is-not-waited-for", t: is(97),
		edit:  at("account/factor.go", `«tx.Settle(ctx)»`, skippedCall),
		tests: of("internal/account", "TestAChangeThatIsSoAlreadyWaitsForAllProcesses"),
	},
	{
		name: "a-stand-in-that-is-over-is-not-waited-for", t: is(97),
		edit:  at("account/impersonate/end.go", `«tx.Settle(ctx)»`, skippedCall),
		tests: of("internal/account", "TestAChangeThatIsSoAlreadyWaitsForAllProcesses"),
	},
	{
		name: "a-key-that-is-revoked-is-not-waited-for", t: is(97),
		edit:  at("account/apikey/service.go", `«tx.Settle(ctx)»`, skippedCall),
		tests: of("internal/account", "TestAChangeThatIsSoAlreadyWaitsForAllProcesses"),
	},
	{
		name: "an-account-that-is-gone-is-not-waited-for", t: is(97),
		edit:  at("account/leave/service.go", `«tx.Settle(ctx)»`, skippedCall),
		tests: of("internal/account", "TestAChangeThatIsSoAlreadyWaitsForAllProcesses"),
	},
	{
		name: "settings-that-are-so-are-not-waited-for", t: is(97),
		edit:  at("operate/signin/service.go", `due = «true»`, `!$ON`),
		tests: of("internal/operate/signin", "TestAChangeIsAnsweredWhenAllReplicasHaveIt"),
	},
	{
		name: "deactivation-keeps-sessions", t: is(97),
		edit:  at("account/user_change.go", `«s.shutOut(ctx, tx, after.ID, kept{})»`, skipped),
		tests: of("internal/account", "TestNothingWorksAfterAConcurrentEnd"),
	},
	{
		name:  "session-refreshed-beyond-its-age",
		edit:  at("account/refresh.go", `session.EndsAt = «s.sessionEnd(c.Role, session.AuthenticatedAt)»`, `mutantIf($ON, time.Time{}, $OLD)`),
		also:  []edit{at("account/refresh.go", "import (\n\t«\"context\"»", "\"context\"\n\t\"time\"")},
		tests: attacks("TestASessionEndsByItsAgeWhateverIsRefreshed", "TestSessionsOfWhoeverBecomesStaffEndAsThoseOfStaff"),
	},
	{
		name:  "session-used-beyond-its-age",
		edit:  at("account/standin.go", `!«over(s.sessionEnd(alive.User.Role, alive.AuthenticatedAt), now)»`, `($OLD && !$ON)`),
		tests: attacks("TestSessionsOfWhoeverBecomesStaffEndAsThoseOfStaff"),
	},
	{
		name:  "token-outlives-its-session",
		edit:  at("account/session.go", `if «s.EndsAt.IsZero()» ||`, `$OLD || $ON`),
		tests: attacks("TestNoTokenOutlivesItsSession"),
	},
	{
		name:  "session-of-staff-as-of-others",
		edit:  at("account/safeguards.go", `if «role != reqctx.RoleUser» {`, `$OLD && !$ON`),
		tests: attacks("TestSessionsOfWhoeverBecomesStaffEndAsThoseOfStaff"),
	},
	{
		name:  "sign-in-in-silence",
		edit:  at("account/activity.go", "if «!known» {\n\t\t\tif err", `$OLD && !$ON`),
		tests: attacks("TestASignInFromElsewhereIsTold", "TestAKnownDeviceIsNoNewsAndNobodyElsesIs"),
	},
	{
		name:  "sign-in-from-any-network",
		edit:  at("account/activity.go", `return «network(address) == here»`, `$OLD || $ON`),
		tests: attacks("TestASignInFromElsewhereIsTold"),
	},
	{
		name:  "sign-in-from-any-address",
		edit:  at("store/account_visit.go", "user_agent = $3 AND «address = $4»", sql("(address = $4 OR TRUE)")),
		tests: attacks("TestASignInFromElsewhereIsTold"),
	},
	{
		name:  "sign-in-told-in-foreign-words",
		edit:  at("account/factor_mails.go", `where := «device.Read(session.UserAgent).String()»`, `mutantIf($ON, session.UserAgent, $OLD)`),
		tests: attacks("TestASignInFromElsewhereIsTold"),
	},
	{
		name:  "refused-second-step-unseen",
		edit:  at("account/activity.go", "v.Address, v.UserAgent = from(ctx)\n\treturn «tx.AddVisit(ctx, v)»", skipped),
		tests: attacks("TestAUserSeesWhatHappenedToTheAccount"),
	},
	{
		name:  "notices-without-a-budget",
		edit:  at("account/mailbudget.go", `mailbox.Counted(address), «noticesADay», 24`, `mutantIf($ON, 1000, $OLD)`),
		tests: attacks("TestWarningsHaveADaysBudget", "TestABreachedPasswordIsToldTwentyTimesADay", "TestNoticesOfSignInsFillNoMailbox"),
	},
	{
		name:  "refund-by-an-old-session",
		edit:  at("api/routes.go", `h.RefundOrder, withKey, «guarded»`, noOption),
		tests: attacks("TestAStolenSessionOfAnAdministratorRefundsAndInstallsNothing"),
	},
	{
		name:  "installation-by-an-old-session",
		edit:  at("api/routes.go", "h.Install, within(installTimeout),\n\t\t\twithKeyByHandler, «guarded»", noOption),
		tests: attacks("TestAStolenSessionOfAnAdministratorRefundsAndInstallsNothing"),
	},
	{
		name:  "users-changed-by-an-old-session",
		edit:  at("api/routes.go", `orMay(permission.WriteStaff), «guarded»`, noOption),
		tests: attacks("TestAStolenSessionOfAnAdministratorRefundsAndInstallsNothing"),
	},
	{
		name:  "secret-read-by-an-old-session",
		edit:  at("api/routes.go", `h.GetSecret, «guarded»`, noOption),
		tests: attacks("TestAStolenSessionOfAnAdministratorRefundsAndInstallsNothing"),
	},
	{
		name:  "sessions-ended-by-an-old-session",
		edit:  at("api/routes.go", `h.EndOtherSessions, «endsSessions»`, noOption),
		tests: attacks("TestAStolenSessionEndsNoOtherUnderASVS"),
	},
	{
		name:  "session-ended-by-an-old-session",
		edit:  at("api/routes.go", `h.EndSession, «endsSessions»`, noOption),
		tests: attacks("TestAStolenSessionEndsNoOtherUnderASVS"),
	},
	{
		name: "passkeys-without-a-limit", t: is(98),
		edit:  at("api/routes.go", `h.PasskeyLogin, «perAddress(limit.Passkey)»`, noOption),
		tests: of("internal/api", "TestEveryWayToTryACredentialHasALimit"),
	},
	{
		name: "links-without-a-limit", t: is(98),
		edit:  at("api/routes.go", `h.VerifyEmail, «perAddress(limit.MailToken)»`, noOption),
		tests: of("internal/api", "TestEveryWayToTryACredentialHasALimit"),
	},
	{
		name: "sign-in-without-a-limit", t: is(101),
		edit:  at("api/routes.go", `h.Login, «perAddress(limit.Login)»`, noOption),
		tests: of("internal/api", "TestLimitedRoutesStopAtTheirLimit"),
	},
	{
		name: "sign-in-tells-who-is-inactive", t: is(99),
		edit: at("account/signin.go", "if «!match || !c.Active» {\n\t\treturn Tokens{}, ErrLogin\n\t}",
			"match && !c.Active && $ON {\n\t\treturn Tokens{}, ErrBlocked\n\t}\n\tif $OLD"),
		tests: of("internal/api/auth", "TestFailedLoginsAnswerTheSameBytes"),
	},
	{
		name: "sign-in-tells-who-is-unknown", t: is(99),
		edit:  at("account/signin.go", "c.ID == \"\" {\n\t\treturn nobody, «nil»", `mutantIf[error]($ON, ErrNoUser, nil)`),
		tests: of("internal/api/auth", "TestFailedLoginsAnswerTheSameBytes"),
	},
	{
		name: "forgotten-password-tells-who-is-unknown", t: is(99),
		edit: at("account/reset.go", "«s.Mailer.Post(ctx,»",
			"if $ON {\n\t\tif _, err := s.Store.UserByEmail(ctx, Key(email)); err != nil {\n\t\t\treturn noUser(err)\n\t\t}\n\t}\n\ts.Mailer.Post(ctx,"),
		tests: of("internal/api/auth", "TestForgotPasswordAnswersTheSameForUnknownAddresses"),
	},
	{
		name: "sign-up-tells-who-is-known", t: is(99),
		edit: at("account/signup.go", "«s.Mailer.Post(ctx,»",
			"if $ON {\n\t\tif _, err := s.Store.UserByEmail(ctx, Key(email)); err == nil {\n\t\t\treturn ErrTaken\n\t\t}\n\t}\n\ts.Mailer.Post(ctx,"),
		tests: attacks("TestSigningUpTellsNobodyWhoHasAnAccount"),
	},
	{
		name: "cookie-from-another-site", t: is(100),
		edit: at("api/auth/cookie.go", "if «!ok» {\n\t\treturn nil, r, errForeignOrigin", `$OLD && !$ON`),
		tests: append(of("internal/api/auth", "TestForeignPagesCannotUseTheRefreshCookie"),
			attacks("TestTheSecondStepKeepsTheRefreshTokenInTheCookie", "TestASignInByPasskeyKeepsTheRefreshTokenInTheCookie")...),
	},
	{
		name: "cookie-with-two-origins", t: is(100),
		edit:  at("api/auth/cookie.go", `err != nil || «len(r.Header.Values("Origin")) != 1» ||`, `$OLD && !$ON`),
		tests: of("internal/api/auth", "TestForeignPagesCannotUseTheRefreshCookie"),
	},
	{
		name: "refresh-token-in-the-body-too", t: is(100),
		edit:  at("api/auth/cookie.go", `t.Refresh = «""»`, `mutantIf($ON, t.Refresh, "")`),
		tests: attacks("TestTheSecondStepKeepsTheRefreshTokenInTheCookie", "TestASignInByPasskeyKeepsTheRefreshTokenInTheCookie"),
	},
	{
		name: "account-in-caches", t: is(100),
		edit:  at("api/web/respond.go", "«NoStore(w)»\n\t\treturn h(w, r)", "if !$ON {\n\t\t\t$OLD\n\t\t}"),
		tests: attacks("TestRoutesAboutAccountsTakeNoCookieAndAreNotKept"),
	},
	{
		name: "breached-password-in-silence", t: is(101),
		edit:  at("account/breached.go", `return «s.mailBreached(ctx, tx, post, u)»`, skipped),
		tests: attacks("TestABreachedPasswordIsToldOnce"),
	},
	{
		name: "breached-password-found-in-silence", t: is(101),
		edit:  at("account/signin.go", `if err := «s.findBreached(ctx, c, secret)»`, skipped),
		tests: attacks("TestABreachedPasswordIsToldOnce"),
	},
	{
		name: "breached-password-told-each-time", t: is(101),
		edit:  at("account/breached.go", `«s.Breached.Has(secret) == !c.BreachedAt.IsZero()» {`, `mutantIf($ON, !s.Breached.Has(secret), $OLD)`),
		also:  []edit{at("account/breached.go", `if «!c.BreachedAt.IsZero()» { // by`, `$OLD && !$ON`)},
		tests: attacks("TestABreachedPasswordIsToldOnce"),
	},
	{
		name: "breached-password-is-chosen", t: is(101),
		edit:  at("account/rules.go", `case «rules.RefuseBreached» &&`, `$OLD && !$ON`),
		tests: attacks("TestABreachedPasswordIsRefusedWhereverOneIsChosen"),
	},
	{
		name: "made-up-device-is-known", t: is(66, 101),
		edit:  at("store/account_device.go", "u.email_key = $1 AND «d.cookie_hash = $2»", sql("(d.cookie_hash = $2 OR TRUE)")),
		tests: of("internal/api", "TestManyAddressesAreSlowedAtOneAccountAndTheOwnerIsNotLockedOut"),
	},
	{
		name:  "device-of-another-user",
		edit:  at("store/account_device.go", "WHERE «user_id = $2» AND cookie_hash = $3", sql("(user_id = $2 OR TRUE)")),
		tests: attacks("TestAKnownDeviceIsNoNewsAndNobodyElsesIs"),
	},
	{
		name:  "device-for-ever",
		edit:  at("store/account_device.go", "cookie_hash = $3 AND «last_at_ms > $4»", sql("(last_at_ms > $4 OR TRUE)")),
		tests: attacks("TestAKnownDeviceIsNoNewsAndNobodyElsesIs"),
	},
	{
		name:  "devices-outlive-their-sessions",
		edit:  at("store/account_session.go", "if err := «a.forgetOtherDevices(ctx, userID, id)»", skipped),
		tests: attacks("TestABrowserThatIsShutOutIsForgotten"),
	},
	{
		name:  "device-outlives-its-session",
		edit:  at("account/sessions.go", "if err := «tx.ForgetDevice(ctx, userID, id)»", skipped),
		tests: attacks("TestABrowserThatIsShutOutIsForgotten"),
	},
}
