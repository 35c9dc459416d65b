package main

// before are mutants of what keeps an account from whoever made it with the victim's address.
var before = []mutant{
	{
		name: "unproven-adds-app", t: is(3),
		edit:  at("account/factor_totp.go", `if err := «s.mayAdd(c)»; err != nil {`, `mutantIf($ON, nil, $OLD)`),
		tests: attacks("TestAnUnprovenAccountGetsNoSecondFactor"),
	},
	{
		name: "unproven-asks-for-passkey", t: is(3, 76),
		edit: at("account/passkey_add.go", "if err := «s.mayAdd(c)»; err != nil {\n\t\t\treturn err\n\t\t}\n\t\tlist,",
			`mutantIf($ON, nil, $OLD)`),
		tests: attacks("TestAPasskeyOfAnUnprovenOrInactiveAccountOpensNothing"),
	},
	{
		name: "unproven-adds-passkey", t: is(3, 76),
		edit: at("account/passkey_add.go", "if err := «s.mayAdd(c)»; err != nil {\n\t\t\treturn err\n\t\t}\n\t\tlive,",
			`mutantIf($ON, nil, $OLD)`),
		also:  []edit{at("api/routes.go", `h.AddPasskey, perUser(limit.Factors), recently, «then(h.CheckProven)»`, noOption)},
		tests: attacks("TestAPasskeyOfAnUnprovenOrInactiveAccountOpensNothing"),
	},
	{
		name: "session-goes-on-after-its-end", t: is(2, 4),
		edit:  at("account/reauthenticate.go", `return «noSession(err)»`, `mutantIf($ON, nil, $OLD)`),
		tests: of("internal/account", "TestWhatASessionWasAboutToDoEndsWithIt"),
	},
	{
		name: "reset-without-reclaim", t: is(2, 3),
		edit:  at("account/reset.go", `if «!c.ProvenAt.IsZero()» {`, `$OLD || $ON`),
		tests: attacks("TestReclaimRemovesFactors", "TestASessionFromBeforeDiesWhenTheMailboxIsProven"),
	},
	{
		name: "reclaim-keeps-password", t: is(1, 5, 6, 36),
		edit: at("account/reclaim.go", `«s.replacePassword»(ctx, tx, c.ID, "", kept{})`,
			keepsPassword),
		tests: attacks("TestAMailReclaimsAnUnprovenAccount", "TestLinkingAnUnprovenAccountReclaimsIt"),
	},
	{
		name: "reclaim-keeps-sessions", t: is(1, 2),
		edit:  at("account/reclaim.go", `«s.replacePassword»(ctx, tx, c.ID, "", kept{})`, keepsSessions),
		tests: attacks("TestASessionFromBeforeDiesWhenTheMailboxIsProven", "TestAMailReclaimsAnUnprovenAccount"),
	},
	{
		name: "reclaim-keeps-changes-of-address", t: is(4),
		edit:  at("account/reclaim.go", `LinkDisown, «LinkChange», LinkRevert`, `mutantIf($ON, LinkVerify, $OLD)`),
		also:  []edit{at("account/email_change.go", `t.UserID != c.ID || «t.Generation != c.Generation» {`, `$OLD && !$ON`)},
		tests: attacks("TestAChangeOfAddressFromBeforeDiesWithRecovery"),
	},
	{
		name: "reclaim-keeps-proofs", t: is(1, 6, 36),
		edit:  at("account/reclaim.go", `[]LinkKind{«LinkVerify», LinkDisown`, `mutantIf($ON, LinkChange, $OLD)`),
		also:  []edit{at("account/email_verify.go", `«t.Generation != c.Generation» || t.Address`, `$OLD && !$ON`)},
		tests: attacks("TestAMailReclaimsAnUnprovenAccount"),
	},
	{
		name: "reclaim-keeps-pending-mails", t: is(1, 6, 36),
		edit:  at("account/reclaim.go", `LinkNotMe, «LinkSignIn», LinkReauth}`, `mutantIf($ON, LinkNotMe, $OLD)`),
		also:  []edit{at("account/mailed.go", `!c.Active || «t.Generation != c.Generation» ||`, `$OLD && !$ON`)},
		tests: attacks("TestAMailReclaimsAnUnprovenAccount"),
	},
	{
		name: "reclaim-keeps-ways-in", t: is(3),
		edit:  at("account/reclaim.go", `«tx.RemoveWays(ctx, c.ID, ways)»`, skipped),
		tests: attacks("TestReclaimRemovesFactors", "TestAPasskeyOfAnUnprovenOrInactiveAccountOpensNothing"),
	},
	{
		name: "reclaim-keeps-app", t: is(3),
		edit:  at("store/account_ways.go", "DELETE FROM totp WHERE user_id = $1 «AND» (created", sql("AND FALSE AND")),
		tests: attacks("TestReclaimRemovesFactors"),
	},
	{
		name: "reclaim-keeps-passkeys", t: is(3, 76),
		edit:  at("store/account_ways.go", `append(tables, «"passkeys"»,`, `mutantIf($ON, "recovery_codes", $OLD)`),
		tests: attacks("TestAPasskeyOfAnUnprovenOrInactiveAccountOpensNothing"),
	},
	{
		name: "reclaim-keeps-recovery-codes", t: is(3),
		edit:  at("store/account_ways.go", `"passkeys", «"recovery_codes"»,`, `mutantIf($ON, "passkeys", $OLD)`),
		tests: attacks("TestReclaimRemovesFactors"),
	},
	{
		name: "reclaim-keeps-challenges", t: is(2),
		edit:  at("store/account_ways.go", `[]string{«"sign_in_challenges"»`, `mutantIf($ON, "identities", $OLD)`),
		tests: of("internal/store", removesWays),
	},
	{
		name: "reclaim-keeps-ceremonies", t: is(2),
		edit:  at("store/account_ways.go", `, «"ceremonies"»`, `mutantIf($ON, "identities", $OLD)`),
		tests: of("internal/store", removesWays),
	},
	{
		name: "reclaim-keeps-flows", t: is(2),
		edit:  at("store/account_ways.go", `, «"oidc_flows"»`, `mutantIf($ON, "identities", $OLD)`),
		tests: of("internal/store", removesWays),
	},
	{
		name: "reclaim-keeps-identities", t: is(2),
		edit:  at("store/account_ways.go", `, «"identities"»`, `mutantIf($ON, "oidc_flows", $OLD)`),
		tests: of("internal/store", removesWays),
	},
	{
		name: "reclaim-keeps-api-keys", t: is(2),
		edit:  at("store/account_ways.go", `, «"api_keys"»`, `mutantIf($ON, "identities", $OLD)`),
		tests: of("internal/store", removesWays),
	},
	{
		name: "proof-in-any-session", t: is(7),
		edit: at("account/email_verify.go", `if «t.UserID != c.ID» || t.Generation`, `$OLD && !$ON`),
		also: []edit{at("account/email_verify.go", `t.Generation != c.Generation || «t.Address != c.Email» {`,
			`t.Address != c.Email && !$ON`)},
		tests: attacks("TestALinkThatProvesAnAddressNeedsASessionOfItsAccount"),
	},
	{
		name: "disown-a-proven-account", t: is(9),
		edit:  at("account/email_verify.go", `if «!c.ProvenAt.IsZero()» || c.isStaff()`, `$OLD && !$ON`),
		also:  []edit{at("account/email_verify.go", `LinkVerify, «LinkDisown»); err`, `mutantIf($ON, LinkVerify, $OLD)`)},
		tests: attacks("TestALinkThatShutsAnAccountIsDeadOnceItIsProvenOrUsed"),
	},
	{
		name: "disown-staff", t: is(9),
		edit:  at("account/email_verify.go", `|| «c.isStaff()» || t.Address`, `$OLD && !$ON`),
		tests: attacks("TestALinkThatShutsAnAccountIsDeadOnceItIsProvenOrUsed"),
	},
	{
		name: "disowned-is-active", t: is(30),
		edit:  at("account/email_verify.go", `«tx.SetActive(ctx, c.ID, false)»`, skipped),
		tests: attacks("TestAnAccountThatItsMailboxDisownsOpensNothing"),
	},
	{
		name: "disowned-keeps-its-ways", t: is(30),
		edit:  at("account/email_verify.go", `if err := «s.reclaim(ctx, tx, c)»`, skipped),
		tests: attacks("TestAnAccountThatItsMailboxDisownsOpensNothing"),
	},
	{
		name: "disowned-keeps-its-address", t: is(30),
		edit:  at("account/email_verify.go", `«ids.New()+disowned»`, `mutantIf($ON, c.Email, $OLD)`),
		tests: attacks("TestAnAccountThatItsMailboxDisownsOpensNothing"),
	},
	{
		name: "disowned-address-is-known", t: is(9),
		edit:  at("account/email_verify.go", `c.ID, «ids.New()+disowned», c.ProvenAt`, `mutantIf($ON, c.ID+disowned, $OLD)`),
		tests: attacks("TestAnAccountCannotBeKeptFromBeingDisowned"),
	},
	{
		name: "set-up-beside-an-administrator", t: is(17),
		edit: at("account/setup.go", `else if «has» {`, `$OLD && !$ON`),
		also: []edit{at("account/setup.go", `return «!has», err
}

// NeedsSetup`, `$OLD || $ON`)},
		tests: of("internal/account", "TestSetUpNeedsThatThereIsNoAdministrator"),
	},
	{
		name: "set-up-outlives-a-promotion", t: is(17),
		edit:  at("account/user_change.go", `if «after.isAdmin()» && !before.isAdmin() {`, `$OLD && !$ON`),
		tests: of("internal/account", "TestSetUpTokenEnds"),
	},
}
