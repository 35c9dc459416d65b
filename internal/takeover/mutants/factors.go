package main

import "slices"

// factors are mutants of second factors: codes of an app, recovery codes, and what a session of both is worth.
var factors = slices.Concat(steps, codes)

// steps are mutants of sign-ins in two steps, and of proofs to be there.
var steps = []mutant{
	{
		name: "no-second-step", t: is(39, 48, 49, 50),
		edit: at("account/signin.go", "err != nil || «!f.Any()» {\n\t\treturn nil, err\n\t}\n\tr, err", `$OLD || $ON`),
		tests: attacks("TestAPasswordAloneOpensNothingOfAnAccountWithASecondFactor", "TestAMailStandsInForNoSecondFactor",
			"TestAPasskeyIsWorthTwoFactorsAndThePasswordOne", "TestLinkingByMailboxAsksForTheSecondFactor"),
	},
	{
		name: "challenge-in-caches", t: is(50),
		edit:  at("api/auth/session.go", "«web.NoStore(w)» // it has a challenge", "if !$ON {\n\t\t\t$OLD\n\t\t}"),
		tests: attacks("TestAPasswordAloneOpensNothingOfAnAccountWithASecondFactor"),
	},
	{
		name: "challenge-outlives-generation", t: is(8, 65),
		edit:  at("account/challenge.go", `«c.Generation == u.Generation» && c.Print`, `$OLD || $ON`),
		tests: attacks("TestAChallengeDiesWithWhatItStandsOn"),
	},
	{
		name: "challenge-outlives-password", t: is(8, 65),
		edit:  at("account/challenge.go", `«c.Generation == u.Generation» && c.Print`, `$OLD || $ON`),
		also:  []edit{at("account/challenge.go", `«c.Print == passwordPrint(u.PasswordHash)» &&`, `$OLD || $ON`)},
		tests: attacks("TestAResetKeepsTheSecondFactor", "TestASecondStepByPasskeyDiesWithThePassword"),
	},
	{
		name: "challenge-outlives-factor", t: is(8, 65),
		edit:  at("account/factor_remove.go", `«tx.DeleteChallenges(ctx, c.ID)»`, skipped),
		tests: attacks("TestAChallengeDiesWithWhatItStandsOn"),
	},
	{
		name: "challenge-for-ever", t: is(54),
		edit:  at("account/challenge.go", `token), «s.Now().Add(-ChallengeLife)»`, `mutantIf($ON, time.Time{}, $OLD)`),
		also:  []edit{at("account/challenge.go", `known.Hash, «s.Now().Add(-ChallengeLife)»`, `mutantIf($ON, time.Time{}, $OLD)`)},
		tests: attacks("TestAChallengeBearsFiveWrongCodes"),
	},
	{
		name: "challenge-bears-all-codes", t: is(54),
		edit:  at("account/challenge.go", `«c.Tries < maxTries»`, `$OLD || $ON`),
		tests: attacks("TestAChallengeBearsFiveWrongCodes", "TestAPasskeyIsWorthTwoFactorsAndThePasswordOne"),
	},
	{
		name: "challenge-counts-nothing", t: is(54),
		edit:  at("account/challenge.go", `return «tx.CountTry(ctx, known.Hash)»`, skipped),
		tests: attacks("TestAChallengeBearsFiveWrongCodes", "TestAPasskeyIsWorthTwoFactorsAndThePasswordOne"),
	},
	{
		name: "challenge-twice", t: is(50, 53),
		edit:  at("account/challenge.go", `if err := «tx.DeleteChallenge(ctx, known.Hash)»`, skipped),
		tests: attacks("TestAPasswordAloneOpensNothingOfAnAccountWithASecondFactor", "TestOfManySecondStepsWithOneCodeOneWins"),
	},
	{
		name:  "challenge-in-the-clear",
		edit:  at("account/challenge.go", `Hash: «ids.HashLinkToken(token)»`, `mutantIf($ON, token, $OLD)`),
		also:  []edit{at("account/challenge.go", `s.Store.Challenge(ctx, «ids.HashLinkToken(token)»`, `mutantIf($ON, token, $OLD)`)},
		tests: attacks("TestNoSecretOfASecondFactorIsKeptOrLogged"),
	},
	{
		name:  "links-in-the-clear",
		edit:  at("account/mailtoken.go", `Hash: «ids.HashLinkToken(token)», Kind`, `mutantIf($ON, token, $OLD)`),
		also:  []edit{at("account/mailtoken.go", `st.MailToken(ctx, «ids.HashLinkToken(token)»)`, `mutantIf($ON, token, $OLD)`)},
		tests: attacks("TestNoSecretOfASecondFactorIsKeptOrLogged"),
	},
	{
		name: "factor-by-an-old-session", t: is(58),
		edit:  at("api/routes.go", `h.SetUpTOTP, perUser(limit.Factors), «recently»`, noOption),
		tests: attacks("TestAStolenSessionAddsAndRemovesNoFactor"),
	},
	{
		name: "factor-off-by-an-old-session", t: is(58),
		edit:  at("api/routes.go", `h.RemoveTOTP, perUser(limit.Factors), «recently»`, noOption),
		tests: attacks("TestAStolenSessionAddsAndRemovesNoFactor"),
	},
	{
		name: "all-factors-off-by-an-old-session", t: is(58),
		edit:  at("api/routes.go", `h.RemoveFactors, perUser(limit.Factors), «recently»`, noOption),
		tests: attacks("TestAStolenSessionAddsAndRemovesNoPasskey"),
	},
	{
		name: "recovery-codes-by-an-old-session", t: is(58),
		edit:  at("api/routes.go", `h.NewRecoveryCodes, perUser(limit.Factors), «recently»`, noOption),
		tests: attacks("TestAStolenSessionAddsAndRemovesNoPasskey"),
	},
	{
		name: "recent-for-ever", t: is(21),
		edit:  at("account/reauthenticate.go", `session.ProvenAt().Add(«life»)`, `mutantIf($ON, 1000*time.Hour, $OLD)`),
		tests: attacks("TestAStolenSessionDoesNotChangeTheAddress"),
	},
	{
		name: "recent-by-code-for-ever", t: is(58),
		edit:  at("account/reauthenticate.go", `session.ReauthenticatedAt.Add(«life»)`, `mutantIf($ON, 1000*time.Hour, $OLD)`),
		tests: attacks("TestAStolenSessionAddsAndRemovesNoPasskey"),
	},
	{
		name: "recent-without-the-factor", t: is(58),
		edit:  at("account/reauthenticate.go", `case «f.Any()»: // whether`, `$OLD && !$ON`),
		tests: attacks("TestAStolenSessionAddsAndRemovesNoFactor", "TestAStolenSessionAddsAndRemovesNoPasskey"),
	},
	{
		name: "recent-by-any-password", t: is(21),
		edit:  at("account/reauthenticate.go", `case «!match» || now.PasswordHash`, `$OLD && !$ON`),
		tests: attacks("TestAStolenSessionDoesNotChangeTheAddress"),
	},
	{
		name: "recent-in-all-sessions", t: is(21),
		edit: at("account/reauthenticate.go", "«session, err := s.Store.Session(ctx, sessionID)\n\tif errs»",
			"session, err := s.Store.Session(ctx, sessionID)\n\tif $ON {\n\t\tlist, _ := s.Store.ListSessions(ctx, userID, s.Now(), maxSessions)\n"+
				"\t\tfor _, one := range list {\n\t\t\tif one.ProvenAt().After(session.ProvenAt()) {\n\t\t\t\tsession = one\n\t\t\t}\n\t\t}\n\t}\n\tif errs"),
		tests: attacks("TestAStolenSessionDoesNotChangeTheAddress"),
	},
	{
		name:  "staff-without-a-factor",
		edit:  at("account/safeguards.go", `f == StaffFactorRequired && «a.Level < 2»`, `$OLD && !$ON`),
		tests: attacks("TestWithoutASecondFactorStaffManageNothing", "TestStaffWhoseFactorGoesManageNothingAtOnce"),
	},
	{
		name: "codes-pass-for-passkeys", t: is(64),
		edit:  at("account/safeguards.go", `f == StaffFactorPasskey && «!a.PhishingResistant»`, `mutantIf($ON, a.Level < 2, $OLD)`),
		tests: attacks("TestCodesDoNotPassForAPasskey"),
	},
}

// codes are mutants of codes of an app and recovery codes.
var codes = []mutant{
	{
		name: "code-twice", t: is(52, 53),
		edit:  at("account/totp/totp.go", `equal && «candidate > last»`, `$OLD || $ON`),
		also:  []edit{at("store/account_factor.go", `WHERE user_id = $2 «AND last_step < $1»`, sql(""))},
		tests: attacks("TestACodeWorksOnceAndNoneBeforeIt", "TestOfManySecondStepsWithOneCodeOneWins"),
	},
	{
		name: "code-twice-for-two-replicas", t: is(52, 53),
		edit:  at("store/account_factor.go", `WHERE user_id = $2 «AND last_step < $1»`, sql("")),
		tests: of("internal/store", "TestSQLite/Account/Factors/an app, from its secret to its end"),
	},
	{
		name: "code-of-a-minute-ago", t: is(52),
		edit:  at("account/totp/totp.go", `[]int64{Step(now) - «1»,`, `mutantIf[int64]($ON, 2, 1)`),
		tests: attacks("TestACodeWorksOnceAndNoneBeforeIt"),
	},
	{
		name: "codes-never-pause", t: is(55),
		edit:  at("account/factor.go", `f.Count++; «f.Count >= maxFailures» {`, `$OLD && !$ON`),
		tests: attacks("TestWrongCodesOfAnAccountCountTogether"),
	},
	{
		name: "codes-pause-and-are-looked-at", t: is(55),
		edit:  at("account/factor_check.go", "if «app.Failures.paused(s.Now())» {\n\t\treturn \"\", nil\n\t}\n\tok,", `$OLD && !$ON`),
		tests: attacks("TestWrongCodesOfAnAccountCountTogether"),
	},
	{
		name: "codes-are-forgotten-at-once", t: is(55),
		edit:  at("account/factor.go", `«!now.Before(f.Since.Add(failureWindow))»`, `$OLD || $ON`),
		tests: attacks("TestWrongCodesOfAnAccountCountTogether"),
	},
	{
		name: "right-code-forgives", t: is(56, 66),
		edit: at("account/factor_check.go", "«return err == nil, err»",
			"if err == nil && $ON {\n\t\t\t\terr = tx.SetFailures(ctx, app.UserID, Failures{})\n\t\t\t}\n\t\t\treturn err == nil, err"),
		tests: attacks("TestWrongCodesOfAnAccountCountTogether"),
	},
	{
		name: "recovery-codes-make-pauses-longer", t: is(56, 66),
		edit:  at("account/factor_check.go", "if «app.Failures.paused(s.Now())» {\n\t\t\treturn", `$OLD && !$ON`),
		tests: attacks("TestWrongCodesOfAnAccountCountTogether"),
	},
	{
		name: "setting-up-forgives", t: is(60),
		edit: at("store/account_factor.go", "«last_step = 0»\n\t\tWHERE totp",
			sql("last_step = 0, failures = 0, paused_until_ms = 0")),
		tests: attacks("TestConfirmingAnAppIsThrottled"),
	},
	{
		name: "confirming-never-pauses", t: is(60),
		edit:  at("account/factor_totp.go", `app.on() || «app.Failures.paused(s.Now())» ||`, `$OLD && !$ON`),
		tests: attacks("TestConfirmingAnAppIsThrottled"),
	},
	{
		name: "app-is-overwritten", t: is(59),
		edit:  at("store/account_factor.go", "«WHERE totp.confirmed_at_ms = 0»", sql("")),
		tests: attacks("TestAStolenSessionAddsAndRemovesNoFactor"),
	},
	{
		name: "app-is-on-unconfirmed", t: is(61),
		edit:  at("store/account_factor.go", "FROM totp WHERE user_id = $1 «AND confirmed_at_ms <> 0»", sql("")),
		tests: attacks("TestACodeOfNothingProvesNothing"),
	},
	{
		name: "app-proves-unconfirmed", t: is(61),
		edit:  at("account/factor_check.go", `if «!app.on()» {`, `$OLD && !$ON`),
		tests: attacks("TestACodeOfNothingProvesNothing"),
	},
	{
		name: "app-is-confirmed-late", t: is(61),
		edit:  at("account/factor_totp.go", `|| «!s.Now().Before(app.CreatedAt.Add(SetupLife))» {`, `$OLD && !$ON`),
		tests: attacks("TestACodeOfNothingProvesNothing"),
	},
	{
		name: "app-is-confirmed-twice", t: is(61),
		edit:  at("account/factor_totp.go", `if «app.on()» || app`, `$OLD && !$ON`),
		tests: attacks("TestACodeOfNothingProvesNothing"),
	},
	{
		name: "app-keeps-sessions-of-one-factor", t: is(37),
		edit:  at("account/factor_totp.go", `if «!before.Any()» {`, `$OLD && !$ON`),
		tests: attacks("TestAThiefsAppIsUndoneFromTheMailbox"),
	},
	{
		name: "app-replaces-codes-unseen", t: is(37),
		edit:  at("account/factor_mails.go", `if «replaced» {`, `$OLD && !$ON`),
		tests: attacks("TestAnAppBesideAPasskeyEndsNoSessions"),
	},
	{
		name: "app-in-the-clear",
		edit: at("account/factor_totp.go", `«s.TOTPBox.Seal(secret, userID)»`, `mutantIf($ON, totp.Text(secret), $OLD)`),
		also: []edit{
			at("account/factor_check.go", `«s.TOTPBox.Open(app.Sealed, app.UserID)»`,
				"func() ([]byte, error) {\n\t\tif $ON {\n\t\t\treturn base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(app.Sealed)\n\t\t}\n\t\treturn $OLD\n\t}()"),
			at("account/factor_check.go", "import (\n\t«\"context\"»", "\"context\"\n\t\"encoding/base32\""),
		},
		tests: attacks("TestNoSecretOfASecondFactorIsKeptOrLogged"),
	},
	{
		name: "recovery-code-twice", t: is(63),
		edit:  at("store/account_factor.go", "AND user_id = $3 «AND used_at_ms = 0»", sql("")),
		tests: attacks("TestARecoveryCodeWorksOnce", "TestOfManySecondStepsWithOneCodeOneWins"),
	},
	{
		name: "recovery-code-of-somebody-else", t: is(63),
		edit:  at("store/account_factor.go", "code_hash = $2 AND «user_id = $3»", sql("(user_id = $3 OR TRUE)")),
		tests: attacks("TestARecoveryCodeWorksOnce"),
	},
	{
		name: "recovery-code-of-a-former-set", t: is(63),
		edit:  at("store/account_factor.go", "if err := «a.DeleteRecoveryCodes(ctx, userID)»", skipped),
		tests: attacks("TestARecoveryCodeWorksOnce"),
	},
	{
		name: "recovery-code-of-forty-bits", t: is(63),
		edit:  at("account/recovery.go", `newCode(«recoveryBytes»)`, `mutantIf($ON, 5, $OLD)`),
		tests: attacks("TestARecoveryCodeWorksOnce"),
	},
	{
		name:  "recovery-code-in-the-clear",
		edit:  at("account/recovery.go", `return «ids.HashLinkToken(plainCode(typed))»`, `mutantIf($ON, plainCode(typed), $OLD)`),
		tests: attacks("TestNoSecretOfASecondFactorIsKeptOrLogged"),
	},
	{
		name: "recovery-codes-outlive-factors", t: is(62),
		edit:  at("account/factor_remove.go", `if err := «tx.DeleteRecoveryCodes(ctx, c.ID)»`, skipped),
		tests: attacks("TestASessionKeepsNoLevelWithoutItsFactor", "TestSessionsEndWithTheirPasskey"),
	},
	{
		name: "session-keeps-its-level", t: is(62),
		edit:  at("account/factor_remove.go", `if err := «tx.LowerSessions(ctx, c.ID)»`, skipped),
		also:  []edit{at("account/factor_remove.go", `return left, «tx.LowerSessions(ctx, c.ID)»`, skipped)},
		tests: attacks("TestASessionKeepsNoLevelWithoutItsFactor", "TestStaffWhoseFactorGoesManageNothingAtOnce"),
	},
}
