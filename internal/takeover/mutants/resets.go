package main

// resets are mutants of how somebody who lost a factor, or did not switch it on, is helped.
var resets = []mutant{
	{
		name: "removal-at-once", t: is(40),
		edit:  at("account/factor_reset.go", `now.Add(«factorResetDelay»)`, `mutantIf($ON, 0, $OLD)`),
		tests: attacks("TestAMailboxAloneHasNoSecondFactorRemoved"),
	},
	{
		name: "removal-before-its-time", t: is(40),
		edit:  at("account/factor_reset.go", `r.live(now) && «!now.Before(r.DueAt)»`, `$OLD || $ON`),
		tests: attacks("TestAMailboxAloneHasNoSecondFactorRemoved"),
	},
	{
		name: "removal-for-ever", t: is(40),
		edit:  at("account/factor_reset.go", `return «r.live(now)» && !now`, `$OLD || $ON`),
		tests: attacks("TestAPlannedRemovalEndsByItself"),
	},
	{
		name: "removal-by-its-user", t: is(40),
		edit:  at("api/guard/guard.go", `if «!slices.ContainsFunc(permissions, who.May)» {`, `$OLD && !$ON`),
		tests: attacks("TestAMailboxAloneHasNoSecondFactorRemoved"),
	},
	{
		name: "removal-by-an-old-session", t: is(40),
		edit:  at("api/routes.go", `h.PlanFactorReset, «recently»`, noOption),
		tests: attacks("TestAMailboxAloneHasNoSecondFactorRemoved"),
	},
	{
		name: "removal-told-to-one-address", t: is(40),
		edit:  at("account/factor_reset.go", `[]string{c.Email}, «former»...)`, `mutantIf($ON, nil, $OLD)`),
		tests: attacks("TestAMailboxAloneHasNoSecondFactorRemoved"),
	},
	{
		name: "removal-planned-twice", t: is(40),
		edit:  at("account/factor_reset.go", "err == nil && «r.live(s.Now())» {\n\t\t\tat", `$OLD && !$ON`),
		tests: attacks("TestAMailboxAloneHasNoSecondFactorRemoved"),
	},
	{
		name: "removal-in-silence", t: is(40),
		edit:  at("account/factor_reset.go", "if «!s.sendsMail()» {\n\t\t\treturn ErrQuietReset", `$OLD && !$ON`),
		tests: attacks("TestNoRemovalIsPlannedWithoutMail"),
	},
	{
		name: "removal-goes-on-after-its-link", t: is(40),
		edit:  at("account/factor_reset.go", "_, err := «s.endFactorReset»(ctx, tx, c)\n\t\treturn err", callsNothingOff),
		tests: attacks("TestAPlannedRemovalIsCalledOff"),
	},
	{
		name: "removal-keeps-its-links", t: is(40),
		edit:  at("account/factor_reset.go", `return «tx.DeleteMailTokens(ctx, userID, LinkKeepFactor)»`, skipped),
		tests: attacks("TestAPlannedRemovalIsCalledOff", "TestAPlannedRemovalEndsWhereItsUserShowsAFactor"),
	},
	{
		name: "removal-goes-on-after-a-second-step", t: is(40),
		edit:  at("account/challenge.go", `_, err := «s.endFactorReset»(ctx, tx, c)`, callsNothingOff),
		tests: attacks("TestAPlannedRemovalIsCalledOff"),
	},
	{
		name: "removal-goes-on-after-a-passkey", t: is(40),
		edit:  at("account/passkey_signin.go", `_, err := «s.endFactorReset»(ctx, tx, c)`, callsNothingOff),
		tests: attacks("TestAPlannedRemovalTakesPasskeysAndEndsWithASignInByOne"),
	},
	{
		name: "removal-goes-on-after-a-proof", t: is(40),
		edit:  at("account/reauthenticate.go", `_, err := «s.endFactorReset»(ctx, tx, c)`, callsNothingOff),
		tests: attacks("TestAPlannedRemovalEndsWhereItsUserShowsAFactor"),
	},
	{
		name: "removal-goes-on-after-a-new-passkey", t: is(40),
		edit:  at("account/passkey_add.go", `_, err := «s.endFactorReset»(ctx, tx, c)`, callsNothingOff),
		tests: attacks("TestAPlannedRemovalEndsWhereItsUserShowsAFactor"),
	},
	{
		name: "removal-goes-on-after-a-new-app", t: is(40),
		edit:  at("account/factor_totp.go", `_, err := «s.endFactorReset»(ctx, tx, c)`, callsNothingOff),
		tests: attacks("TestAPlannedRemovalEndsWhereItsUserShowsAFactor"),
	},
	{
		name: "removal-goes-on-after-new-codes", t: is(40),
		edit:  at("account/recovery.go", `_, err := «s.endFactorReset»(ctx, tx, c)`, callsNothingOff),
		tests: attacks("TestAPlannedRemovalEndsWhereItsUserShowsAFactor"),
	},
	{
		name: "removal-goes-on-after-one-less", t: is(40),
		edit:  at("account/factor_remove.go", `_, err := «s.endFactorReset»(ctx, tx, c)`, callsNothingOff),
		tests: attacks("TestAPlannedRemovalEndsWhereItsUserShowsAFactor"),
	},
	{
		name: "reclaim-stops-what-stops-a-removal", t: is(40),
		edit:  at("account/reclaim.go", `if «ways.Factors» { // else`, `$OLD || $ON`),
		tests: attacks("TestReclaimOfStaffKeepsTheLinkThatStopsARemoval"),
	},
	{
		name: "reclaim-takes-factors-of-staff", t: is(40),
		edit:  at("account/reclaim.go", `Ways{Factors: «!c.isStaff()»}`, `$OLD || $ON`),
		tests: attacks("TestReclaimOfStaffKeepsTheLinkThatStopsARemoval"),
	},
	{
		name: "not-me-keeps-sessions", t: is(37),
		edit:  at("account/factor_remove.go", `return «tx.DeleteSessionsExcept(ctx, c.ID, "")»`, skipped),
		tests: attacks("TestAThiefsAppIsUndoneFromTheMailbox"),
	},
	{
		name: "not-me-keeps-what-was-begun", t: is(37),
		edit:  at("account/factor_remove.go", `if err := «tx.RaiseGeneration(ctx, c.ID)»`, skipped),
		tests: attacks("TestUndoingAThiefsAppEndsWhatWasBegun"),
	},
	{
		name: "not-me-keeps-new-codes", t: is(37),
		edit:  at("account/factor_remove.go", `if err := «tx.DeleteRecoveryCodesSince(ctx, c.ID, t.CreatedAt)»`, skipped),
		tests: attacks("TestAThiefsPasskeyIsUndoneFromTheMailbox"),
	},
	{
		name: "not-me-removes-another-app", t: is(37),
		edit:  at("account/factor_remove.go", `if «!app.ConfirmedAt.Equal(t.CreatedAt)» {`, `$OLD && !$ON`),
		tests: attacks("TestAThiefsPasskeyIsUndoneFromTheMailbox"),
	},
	{
		name: "not-me-for-ever", t: is(37),
		edit:  at("account/mailtoken.go", `LinkNotMe: «72» * time.Hour`, `mutantIf[time.Duration]($ON, 1000, 72)`),
		tests: attacks("TestAThiefsAppIsUndoneFromTheMailbox"),
	},
}
