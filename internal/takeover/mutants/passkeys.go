package main

import "slices"

// passkeys are mutants of passkeys, and of the last way in.
var passkeys = slices.Concat(ceremonies, answers)

// ceremonies are mutants of what package account does with answers.
var ceremonies = []mutant{
	{
		name: "challenge-of-a-passkey-twice", t: is(67),
		edit:  at("store/account_passkey.go", "«DELETE FROM ceremonies»\n", sql("UPDATE ceremonies SET kind = kind")),
		tests: attacks("TestAChallengeOfAPasskeyWorksOnceInTimeAndForItsCeremony", "TestOfManySignInsWithOneProofOneWins"),
	},
	{
		name: "challenge-of-a-passkey-late", t: is(67),
		edit:  at("store/account_passkey.go", "«AND created_at_ms > $6»", sql("AND (created_at_ms > $6 OR TRUE)")),
		tests: attacks("TestAChallengeOfAPasskeyWorksOnceInTimeAndForItsCeremony"),
	},
	{
		name: "challenge-of-another-ceremony", t: is(67),
		edit: at("store/account_passkey.go", "AND «kind = $2» AND", sql("(kind = $2 OR TRUE)")),
		also: []edit{
			at("store/account_passkey.go", "«COALESCE(user_id, '') = $3»", sql("(COALESCE(user_id, '') = $3 OR TRUE)")),
			at("store/account_passkey.go", "«COALESCE(session_id, '') = $4»", sql("(COALESCE(session_id, '') = $4 OR TRUE)")),
			at("store/account_passkey.go", "«COALESCE(sign_in_challenge, '') = $5»", sql("(COALESCE(sign_in_challenge, '') = $5 OR TRUE)")),
		},
		tests: attacks("TestAChallengeOfAPasskeyWorksOnceInTimeAndForItsCeremony"),
	},
	{
		name: "challenge-of-another-kind", t: is(67),
		edit:  at("store/account_passkey.go", "AND «kind = $2» AND", sql("(kind = $2 OR TRUE)")),
		tests: attacks("TestAChallengeOfAPasskeyWorksOnceInTimeAndForItsCeremony"),
	},
	{
		name: "challenge-of-another-user", t: is(68),
		edit: at("store/account_passkey.go", "«COALESCE(user_id, '') = $3»", sql("(COALESCE(user_id, '') = $3 OR TRUE)")),
		also: []edit{at("store/account_passkey.go", "«COALESCE(session_id, '') = $4»",
			sql("(COALESCE(session_id, '') = $4 OR TRUE)"))},
		tests: attacks("TestAPasskeyIsAddedWhereItWasAskedForOnly"),
	},
	{
		name: "challenge-of-another-session", t: is(68),
		edit:  at("store/account_passkey.go", "«COALESCE(session_id, '') = $4»", sql("(COALESCE(session_id, '') = $4 OR TRUE)")),
		tests: attacks("TestAPasskeyIsAddedWhereItWasAskedForOnly", "TestAStolenSessionAddsAndRemovesNoPasskey"),
	},
	{
		name: "challenge-of-another-sign-in", t: is(67),
		edit: at("store/account_passkey.go", "«COALESCE(sign_in_challenge, '') = $5»",
			sql("(COALESCE(sign_in_challenge, '') = $5 OR TRUE)")),
		tests: attacks("TestAChallengeOfAPasskeyWorksOnceInTimeAndForItsCeremony"),
	},
	{
		name: "passkey-of-another-user", t: is(69),
		edit:  at("account/passkey_signin.go", `err == nil && «p.UserID != c.ID» {`, `$OLD && !$ON`),
		tests: attacks("TestTheHandleOfAPasskeyIsItsUsers"),
	},
	{
		name: "handle-of-another-user", t: is(69),
		edit:  at("account/passkey_signin.go", `len(handle) > 0 && «!bytes.Equal(handle, p.Handle)» {`, `$OLD && !$ON`),
		tests: attacks("TestTheHandleOfAPasskeyIsItsUsers"),
	},
	{
		name: "no-handle", t: is(69),
		edit:  at("account/passkey_signin.go", `err == nil && «len(answer.UserHandle()) == 0» {`, `$OLD && !$ON`),
		tests: attacks("TestTheHandleOfAPasskeyIsItsUsers"),
	},
	{
		name: "known-passkey-is-taken-over", t: is(70),
		edit: at("store/account_passkey.go", "ON CONFLICT (credential_id) «DO NOTHING»",
			sql("DO UPDATE SET user_id = excluded.user_id, public_key = excluded.public_key")),
		tests: attacks("TestAPasskeyThatSomebodyHasIsNotAddedAgain"),
	},
	{
		name: "passkey-of-an-inactive-user", t: is(76),
		edit:  at("account/passkey_signin.go", `if «!c.Active» {`, `$OLD && !$ON`),
		tests: attacks("TestAPasskeyOfAnUnprovenOrInactiveAccountOpensNothing"),
	},
	{
		name: "sessions-outlive-their-passkey", t: is(73),
		edit:  at("account/factor_remove.go", `if err := «tx.EndSessionsBy(ctx, c.ID, p.method(), except)»`, skipped),
		tests: attacks("TestSessionsEndWithTheirPasskey"),
	},
	{
		name: "session-at-hand-keeps-its-passkey", t: is(73),
		edit:  at("account/factor_remove.go", `if err := «s.lower(ctx, tx, except, p.method())»`, skipped),
		tests: attacks("TestSessionsEndWithTheirPasskey"),
	},
	{
		name:  "passkey-keeps-sessions-of-one-factor",
		edit:  at("account/passkey_add.go", `if err := «tx.DeleteSessionsExcept(ctx, c.ID, session.ID)»`, skipped),
		tests: attacks("TestAPasskeyIsWorthTwoFactorsAndThePasswordOne"),
	},
	{
		name: "passkeys-of-others-are-listed", t: is(74),
		edit:  at("store/account_passkey.go", "` WHERE «p.user_id = $1» ORDER BY p.created_at_ms, p.id`", sql("(p.user_id = $1 OR TRUE)")),
		tests: attacks("TestPasskeysOfOthersAreNotThere"),
	},
	{
		name: "passkeys-of-others-are-renamed", t: is(74),
		edit:  at("store/account_passkey.go", "SET name = $1 WHERE id = $2 AND «user_id = $3»", sql("(user_id = $3 OR TRUE)")),
		tests: attacks("TestPasskeysOfOthersAreNotThere"),
	},
	{
		name: "ids-of-passkeys-without-a-password", t: is(75),
		edit: at("account/passkey_signin.go", "s.openChallenge(ctx, in.Challenge)\n\t«if err != nil {\n\t\treturn passkey.Request{}, err\n\t}»",
			"if err != nil && $ON {\n\t\treturn s.Passkeys.Request(in.Challenge, []passkey.Credential{{ID: `x`}}), nil\n\t}\n\t$OLD"),
		tests: attacks("TestIdsOfPasskeysAreToldAfterThePasswordOnly"),
	},
	{
		name: "last-passkey-is-removed", t: is(46),
		edit:  at("account/factor_remove.go", `if err := «s.keepsAWay(ctx, tx, c, f)»`, skipped),
		tests: attacks("TestTheLastPasskeyOfAnAccountWithoutPasswordStays"),
	},
	{
		name: "all-passkeys-are-removed", t: is(46),
		edit:  at("account/factor_remove.go", `if err := «s.keepsAWay(ctx, tx, c, SecondFactors{})»`, skipped),
		tests: attacks("TestTheLastPasskeyOfAnAccountWithoutPasswordStays"),
	},
	{
		name: "one-passkey-is-enough", t: is(46),
		edit:  at("account/factor_remove.go", `f.Passkeys == 1 && «f.RecoveryCodes > 0» {`, `$OLD || $ON`),
		tests: attacks("TestTheLastPasskeyOfAnAccountWithoutPasswordStays"),
	},
	{
		name: "staff-are-left-a-way-that-is-closed-to-them", t: is(46),
		edit:  at("store/account_passkey.go", "p.enabled «AND (p.staff OR u.role = 'USER')»", sql("")),
		tests: attacks("TestStaffKeepAWayInThatIsForStaff"),
	},
	{
		name:  "passkeys-of-another-name-are-ways-in",
		edit:  at("store/account_factor.go", "FROM passkeys WHERE user_id = $1 AND «rp_id = $2»", sql("(rp_id = $2 OR TRUE)")),
		tests: attacks("TestPasskeysOfAnotherNameAreNoWayIn", "TestNobodyIsAskedForAPasskeyOfAnotherName"),
	},
	{
		name:  "passkeys-of-another-name-are-no-factors",
		edit:  at("account/factor.go", `f.TOTP || «f.Passkeys+f.Foreign > 0»`, `mutantIf($ON, f.Passkeys > 0, $OLD)`),
		tests: attacks("TestPasskeysOfAnotherAddressStayFactors", "TestNobodyIsAskedForAPasskeyOfAnotherName"),
	},
	{
		name: "password-is-removed-by-an-old-session", t: is(47),
		edit:  at("api/routes.go", `h.RemovePassword, perUser(limit.Factors), «recently»`, noOption),
		tests: attacks("TestAStolenSessionDoesNotRemoveThePassword"),
	},
	{
		name: "password-is-removed-as-the-last-way", t: is(46, 47),
		edit:  at("account/password_remove.go", `if err := «s.worksWithout(ctx, tx, c, f)»`, skipped),
		tests: attacks("TestARemovedPasswordOpensNothing", "TestOfTwoRemovalsAtOnceOneLeavesAWay"),
	},
	{
		name: "removed-password-keeps-sessions", t: is(47),
		edit:  at("account/password_remove.go", `«s.replacePassword»(ctx, tx, c.ID, "", kept{session: sessionID})`, keepsSessions),
		tests: attacks("TestARemovedPasswordOpensNothing"),
	},
	{
		name: "removed-password-works", t: is(47),
		edit:  at("account/password_remove.go", `«s.replacePassword»(ctx, tx, c.ID, "", kept{session: sessionID})`, keepsPassword),
		tests: attacks("TestARemovedPasswordOpensNothing"),
	},
	{
		name: "passkey-by-an-old-session", t: is(58),
		edit:  at("api/routes.go", `h.NewPasskeyOptions, perUser(limit.Factors), «recently»`, noOption),
		also:  []edit{at("api/routes.go", `h.AddPasskey, perUser(limit.Factors), «recently»`, noOption)},
		tests: attacks("TestAStolenSessionAddsAndRemovesNoPasskey"),
	},
	{
		name: "passkey-off-by-an-old-session", t: is(58),
		edit:  at("api/routes.go", `h.RemovePasskey, perUser(limit.Factors), «recently»`, noOption),
		tests: attacks("TestAStolenSessionAddsAndRemovesNoPasskey"),
	},
	{
		name: "copied-passkey-in-silence", t: is(72),
		edit:  at("account/passkey/passkey.go", `before != 0 && «u.Counter <= before»`, `$OLD && !$ON`),
		tests: append(of("internal/account/passkey", "TestACounterFallsOnlyWhereThereIsOne"), attacks("TestChangesAndCopiesOfPasskeysAreToldAndRecorded")...),
	},
}

var (
	forged = append(of("internal/account/passkey", "TestForgedAnswersAreRefused"), attacks("TestForgedPasskeysSignNobodyInAndAreNotAdded")...)
	alone  = forged[:1]
)

// answers are mutants of what package passkey checks.
var answers = []mutant{
	{
		name: "answer-of-any-origin", t: is(71),
		edit: at("account/passkey/verify.go", `if «!slices.Contains(p.Origins, client.Origin)» {`, `$OLD && !$ON`),
		also: []edit{at("account/passkey/verify.go", `client.Verify(client.Challenge, kind, «p.Origins», nil`,
			`mutantIf($ON, []string{client.Origin}, $OLD)`)},
		tests: forged,
	},
	{
		name: "answer-of-another-spelling", t: is(71),
		edit:  at("account/passkey/verify.go", `if «!slices.Contains(p.Origins, client.Origin)» {`, `$OLD && !$ON`),
		tests: alone,
	},
	{
		name: "answer-of-any-ceremony", t: is(71),
		edit: at("account/passkey/verify.go", `client.Verify(client.Challenge, «kind», p.Origins`,
			`mutantIf($ON, protocol.CeremonyType(client.Type), $OLD)`),
		tests: forged,
	},
	{
		name: "answer-inside-of-another-page", t: is(71),
		edit: at("account/passkey/verify.go", "«if err != nil {\n\t\treturn err\n\t}\n\tparty»",
			"if $ON && client.CrossOrigin {\n\t\terr = nil\n\t}\n\tif err != nil {\n\t\treturn err\n\t}\n\tparty"),
		tests: forged,
	},
	{
		name: "answer-for-another-host", t: is(71),
		edit:  at("account/passkey/verify.go", `auth.Verify(«party[:]», nil`, `mutantIf($ON, auth.RPIDHash, party[:])`),
		tests: forged,
	},
	{
		name: "answer-of-nobody-verified", t: is(72),
		edit:  at("account/passkey/verify.go", `auth.Verify(party[:], nil, «true», true)`, `!$ON`),
		tests: forged,
	},
	{
		name: "answer-of-nobody-present", t: is(72),
		edit:  at("account/passkey/verify.go", `auth.Verify(party[:], nil, true, «true»)`, `!$ON`),
		tests: forged,
	},
	{
		name: "answer-synchronized-impossibly", t: is(72),
		edit:  at("account/passkey/verify.go", `auth.Flags.HasBackupState() && «!auth.Flags.HasBackupEligible()» {`, `$OLD && !$ON`),
		tests: forged,
	},
	{
		name: "answer-synchronized-all-of-a-sudden", t: is(72),
		edit:  at("account/passkey/verify.go", `if «auth.Flags.HasBackupEligible() != c.BackupEligible» {`, `$OLD && !$ON`),
		tests: forged,
	},
	{
		name: "answer-with-any-signature", t: is(72),
		edit:  at("account/passkey/verify.go", `answer.Signature); «err != nil || !ok» {`, `$OLD && !$ON`),
		tests: forged,
	},
	{
		name: "answer-with-any-algorithm", t: is(72),
		edit:  at("account/passkey/verify.go", `if «!slices.Contains(algorithms, alg)» {`, `$OLD && !$ON`),
		tests: forged,
	},
	{
		name: "answer-with-a-weak-key", t: is(72),
		edit:  at("account/passkey/verify.go", `«bits < minRSA» || bits`, `$OLD && !$ON`),
		tests: alone,
	},
	{
		name: "answer-of-another-passkey", t: is(72),
		edit:  at("account/passkey/verify.go", `«len(id) == 0 || !slices.Equal(id, r.data.RawID)» {`, `$OLD && !$ON`),
		tests: alone,
	},
}
