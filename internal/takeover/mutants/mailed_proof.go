package main

// proofs are mutants of the proof by a mailed code inside a session.
var proofs = []mutant{
	{
		name: "proof-beside-the-password", t: is(21, 49),
		edit:  at("account/reauthenticate_mail.go", `|| «c.PasswordHash != ""» {`, `$OLD && !$ON`),
		tests: attacks("TestAMailedProofPassesByNothingStronger"),
	},
	{
		name: "proof-beside-a-factor", t: is(21, 49),
		edit:  at("account/reauthenticate_mail.go", "err == nil && «!f.Any()», err", `$OLD || $ON`),
		tests: attacks("TestAMailedProofPassesByNothingStronger"),
	},
	{
		name: "proof-as-second-step", t: is(39),
		edit:  at("account/challenge.go", "MethodRecovery, «MethodPasskey»)", `mutantIf($ON, MethodEmail, $OLD)`),
		tests: attacks("TestAMailedProofIsNoSecondStep"),
	},
	{
		name: "proof-bears-tries-for-each-mail", t: is(43, 44),
		edit:  at("account/reauthenticate_mail.go", "tries += «t.Tries»", `mutantIf($ON, max(t.Tries-tries, 0), $OLD)`),
		tests: attacks("TestMailedProofsBearFiveWrongCodes"),
	},
	{
		name: "proof-for-ever", t: is(43, 44),
		edit:  at("account/reauthenticate_mail.go", "if «!t.live(s.Now())» {", `$OLD && !$ON`),
		tests: attacks("TestAMailedProofEndsAfterTenMinutes"),
	},
	{
		name:  "proof-of-any-session",
		edit:  at("account/reauthenticate_mail.go", "if «t.SessionID == sessionID» {", `$OLD || $ON`),
		tests: attacks("TestAMailedProofIsForItsSession"),
	},
	{
		name: "proof-outlives-generation", t: is(45),
		edit:  at("account/reauthenticate_mail.go", "if «last.Generation != c.Generation» ||", `$OLD && !$ON`),
		tests: attacks("TestAMailedProofDiesWithWhatItStandsOn"),
	},
	{
		name: "proof-works-twice", t: is(85),
		edit:  at("account/reauthenticate_mail.go", "if err := «tx.TakeMailToken(ctx, t.Hash)»", skipped),
		tests: attacks("TestAMailedCodeProvesOnceThatSomebodyIsThere", "TestOfManyMailedProofsOneWins"),
	},
	{
		name: "proof-within-the-budget-of-strangers", t: is(32),
		edit:  at("account/mailbudget.go", `«"code:"», address`, `mutantIf($ON, "account:", $OLD)`),
		tests: attacks("TestMailedProofsHaveABudgetOfTheirOwn"),
	},
	{
		name: "proof-without-a-key", t: is(90),
		edit:  at("account/reauthenticate_mail.go", "return «string(key) + t.Hash»", `mutantIf($ON, t.Hash, $OLD)`),
		tests: attacks("TestTheDatabaseHasNoMailedProof"),
	},
	{
		name:  "proof-without-mail",
		edit:  at("account/reauthenticate_mail.go", "if «!s.sendsMail()» ||", `$OLD && !$ON`),
		tests: attacks("TestNobodyProvesByMailWhereNoneIsSent"),
	},
}
