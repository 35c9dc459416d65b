package main

// roles are mutants of what keeps staff from giving, and extensions from getting, more than they have.
var roles = []mutant{
	{
		name:  "rights-of-when-it-began",
		edit:  at("api/route.go", `if «!r.lasting» { // a call to a plugin is watched`, `$OLD && !$ON`),
		tests: attacks("TestNobodyUsesRightsThatWereTakenWhileTheySend"),
	},
	{
		name: "role-above-ones-own", t: is(103),
		edit:  at("account/user_change.go", `return «CheckAbove(ctx, tx, after.Role)»`, `mutantIf($ON, nil, $OLD)`),
		tests: attacks("TestNobodyGivesMoreThanTheyHave"),
	},
	{
		name: "own-role-changed", t: is(103),
		edit:  at("account/user_change.go", `if «before.ID == reqctx.CallerFrom(ctx).UserID» && before.Role`, `$OLD && !$ON`),
		tests: attacks("TestNobodyGivesMoreThanTheyHave"),
	},
	{
		name: "own-role-edited", t: is(103),
		edit:  at("account/staff/role.go", `case «string(reqctx.CallerFrom(ctx).Role) == name»:`, `$OLD && !$ON`),
		tests: attacks("TestNobodyGivesMoreThanTheyHave"),
	},
	{
		name: "role-of-foreign-permissions", t: is(103),
		edit: at("account/staff/role.go", "if err := «CheckAbove(ctx, \"\", r.Rights())»; err != nil {\n\t\t\treturn err\n\t\t}\n\t\tall,",
			`mutantIf($ON, nil, $OLD)`),
		tests: attacks("TestNobodyGivesMoreThanTheyHave"),
	},
	{
		name: "acts-on-those-above", t: is(103),
		edit:  at("account/staff/above.go", `who.Rights.Lacks(rights); «name != ""» {`, `$OLD && !$ON`),
		tests: attacks("TestNobodyGivesMoreThanTheyHave"),
	},
	{
		name: "plugin-gets-all-it-asks-for", t: is(104),
		edit:  at("extension/plugin/consent.go", "if «mayConsent(ctx, name)» {\n\t\t\tgiven", `$OLD || $ON`),
		tests: attacks("TestAPluginGetsNoMoreThanWhoeverInstallsItHas"),
	},
	{
		name: "consent-beyond-ones-own", t: is(104),
		edit:  at("extension/plugin/consent.go", `!slices.Contains(before, name) && «!mayConsent(ctx, name)» {`, `$OLD && !$ON`),
		tests: attacks("TestAPluginGetsNoMoreThanWhoeverInstallsItHas"),
	},
	{
		name: "consent-for-other-code", t: is(104),
		edit:  at("extension/plugin/consent.go", `trusted := «extension.CheckTrust(ctx) == nil»`, `$OLD || $ON`),
		tests: attacks("TestAPluginGetsNoMoreThanWhoeverInstallsItHas", "TestAnOperatorPutsNoScriptOnTheShopsOrigin"),
	},
	{
		name: "rollback-to-other-consents", t: is(104),
		edit:  at("extension/plugin/consent.go", `checkConsent(ctx, «consents», in.Granted)`, `mutantIf($ON && consents != nil, in.Granted, $OLD)`),
		tests: attacks("TestAPluginGetsNoMoreThanWhoeverInstallsItHas"),
	},
	{
		name: "theme-app-of-an-operator", t: is(113),
		edit:  at("extension/theme/service.go", `if «IsApp(next.Kind)» { // it runs`, `$OLD && !$ON`),
		tests: attacks("TestAnOperatorPutsNoScriptOnTheShopsOrigin"),
	},
	{
		name: "settings-of-an-operator", t: is(113),
		edit: at("extension/plugin/consent.go", "before.actsOnOrigin(), after.actsOnOrigin())) > 0 {\n\t\treturn «extension.CheckTrust(ctx)»",
			`mutantIf($ON, nil, $OLD)`),
		tests: attacks("TestAnOperatorPutsNoScriptOnTheShopsOrigin"),
	},
	{
		name:  "key-without-the-factor",
		edit:  at("api/routes.go", `«first(withFactor)», then(h.CheckProven)),`, noOption),
		tests: attacks("TestAPasswordAloneGetsNoKeyWhereStaffNeedAFactor"),
	},
	{
		name:  "key-is-replaced-without-the-factor",
		edit:  at("api/routes.go", "recently, unkept,\n\t\t\t«first(withFactor)»),", noOption),
		tests: attacks("TestAPasswordAloneGetsNoKeyWhereStaffNeedAFactor"),
	},
	{
		name: "consent-by-key", t: is(104),
		edit:  at("extension/plugin/consent.go", `if extension.CheckTrust(ctx) == nil && «!who.HasKey()» {`, `$OLD || $ON`),
		tests: attacks("TestAKeyConsentsToNothing"),
	},
	{
		name:  "staff-in-sessions-that-staff-may-not-begin",
		edit:  at("account/user_change.go", `if err := «s.endClosedToStaff(ctx, tx, after.ID)»; err`, skipped),
		tests: attacks("TestWhoeverBecomesStaffLosesSessionsThatStaffMayNotBegin"),
	},
	{
		name:  "staff-in-sessions-of-any-provider",
		edit:  at("account/staff_method.go", `return «p.Staff» && p.Issuer`, `$OLD || $ON`),
		tests: attacks("TestWhoeverBecomesStaffLosesSessionsThatStaffMayNotBegin", "TestAnInvitationIsNotAcceptedInASessionThatStaffMayNotBegin"),
	},
	{
		name:  "staff-by-a-second-step-from-before",
		edit:  at("account/staff_method.go", `return «tx.DeleteChallenges(ctx, userID)»`, skipped),
		tests: attacks("TestWhoeverBecomesStaffLosesSessionsThatStaffMayNotBegin"),
	},
}
