package main

// apiKeys are mutants of what keeps API keys from doing more than they should.
var apiKeys = []mutant{
	{
		name: "unproven-makes-a-key", t: is(3),
		edit:  at("account/apikey/own.go", `case «!owner.Proven && s.Outbox != nil»:`, `$OLD && !$ON`),
		also:  []edit{at("api/routes.go", `first(withFactor), «then(h.CheckProven)»`, noOption)},
		tests: attacks("TestAnUnprovenAccountGetsNoKeyAndAReclaimedOneKeepsNone"),
	},
	{
		name:  "key-for-an-ended-session",
		edit:  at("account/apikey/own.go", `return errs.Missing(«tx.InSession(ctx, sessionID)», errSignedOut)`, skipped),
		also:  []edit{at("api/route.go", `if «!r.lasting» { // a call to a plugin is watched`, `$OLD && !$ON`)},
		tests: attacks("TestNoKeyIsMadeByWhomARecoverySignedOut"),
	},
	{
		name: "keys-survive-a-new-password", t: is(35),
		edit:  at("account/password_change.go", `if err := «tx.EndKeys(ctx, userID, keep.keys, s.Now())»; err != nil {`, skipped),
		tests: attacks("TestKeysEndWithThePasswordUnlessTheirUserKeepsThem", "TestAKeyEndsWithItsOwnerForGood"),
	},
	{
		name: "key-names-its-owner", t: is(105),
		edit:  at("api/auth/apikey.go", `in, err := «web.ReadStrictly»(w, r, func(in apikey.Form)`, `mutantIf($ON, web.ReadInput[apikey.Form], web.ReadStrictly[apikey.Form])`),
		tests: attacks("TestNoFieldMakesAKeyForSomebodyElse"),
	},
	{
		name: "key-of-somebody-else", t: is(105),
		edit:  at("account/apikey/own.go", `if «k.UserID != userID» || k.AccountID`, `$OLD && !$ON`),
		tests: attacks("TestNoFieldMakesAKeyForSomebodyElse"),
	},
	{
		name: "key-beyond-its-owner", t: is(106),
		edit:  at("account/apikey/key.go", `who.Rights = k.UserID, h.Role, «k.Scopes.Rights.And(h.Rights)»`, `mutantIf($ON, k.Scopes.Rights, $OLD)`),
		tests: attacks("TestAKeyMayDoNoMoreThanItsOwner"),
	},
	{
		name: "key-beyond-its-scopes", t: is(106),
		edit:  at("account/apikey/key.go", `who.Rights = k.UserID, h.Role, «k.Scopes.Rights.And(h.Rights)»`, `mutantIf($ON, h.Rights, $OLD)`),
		tests: attacks("TestAKeyMayDoNoMoreThanItsOwner"),
	},
	{
		name: "scopes-that-nobody-holds", t: is(106),
		edit:  at("account/apikey/service.go", `if name := rights.Lacks(scopes.Rights); «name != ""» {`, `$OLD && !$ON`),
		tests: attacks("TestAKeyMayDoNoMoreThanItsOwner", "TestWhoManagesKeysGetsNoMoreByThem"),
	},
	{
		name: "managers-end-keys-above-them", t: is(106),
		edit:  at("account/apikey/service.go", `if name := rights.Lacks(above); «name != ""» {`, `$OLD && !$ON`),
		tests: attacks("TestWhoManagesKeysGetsNoMoreByThem"),
	},
	{
		name: "managers-act-on-services-above-them", t: is(106),
		edit:  at("account/apikey/service_account.go", `name := rights.Lacks(k.Scopes.Rights.And(k.Ceiling)); «name != ""» &&`, `$OLD && !$ON`),
		tests: attacks("TestWhoManagesKeysGetsNoMoreByThem"),
	},
	{
		name: "managers-rename-keys-above-them", t: is(106),
		edit:  at("account/apikey/service_account.go", "if err := «s.notAbove(rights, k)»; err != nil {\n\t\t\treturn err\n\t\t}\n\t\tk.Name", skipped),
		tests: attacks("TestWhoManagesKeysGetsNoMoreByThem"),
	},
	{
		name:  "key-calls-accounts-uncounted",
		edit:  at("api/route.go", `«rt.limits.Count(w, req, limit.APIKey, who.Key.ID)»`, skipped),
		tests: of("internal/api", "TestEveryCallWithAKeyCounts"),
	},
	{
		name: "keys-open-accounts", t: is(107),
		edit:  at("api/route.go", `case «strings.Contains(r.pattern, " /auth/")» || r.recent`, `$OLD && !$ON`),
		tests: attacks("TestNoKeyOpensWhatLetsPeopleIn"),
	},
	{
		name: "keys-open-administration-of-access", t: is(107),
		edit:  at("api/route.go", `case r.by == staffMembers && r.permits[0] != permission.Any && «!apikey.IsScope(r.permits[0])»:`, `$OLD && !$ON`),
		tests: append(of("internal/api", "TestWhatAKeyNeedsIsAPropertyOfRows", "TestEveryRoleOpensWhatTheTableSays"), attacks("TestNoKeyOpensWhatLetsPeopleIn")...),
	},
	{
		name: "keys-give-roles", t: is(107),
		edit:  at("api/admin/users.go", `if «in.Role != nil» {`+"\n\t\tif err := guard", `$OLD && !$ON`),
		tests: attacks("TestNoKeyOpensWhatLetsPeopleIn"),
	},
	{
		name: "former-secret-for-ever", t: is(108),
		edit:  at("account/apikey/key.go", `return k.Previous != "" && «now.Before(k.PreviousUntil)» &&`, `($OLD || $ON)`),
		tests: attacks("TestOfManyRotationsAtOnceOneWins"),
	},
	{
		name: "rotations-at-once", t: is(108),
		edit:  at("account/apikey/service.go", `if «!k.RenewedAt.IsZero()» && now.Before`, `$OLD && !$ON`),
		tests: attacks("TestOfManyRotationsAtOnceOneWins"),
	},
	{
		name: "former-secret-outlives-its-end", t: is(108),
		edit:  at("account/apikey/service.go", `if «end.Before(until)» {`, `$OLD && !$ON`),
		tests: attacks("TestAReplacedSecretLivesNoLongerThanItWouldHave"),
	},
	{
		name: "expired-keys-work", t: is(108),
		edit:  at("account/apikey/key.go", `k.RevokedAt.IsZero() && («k.ExpiresAt.IsZero()» ||`, `($OLD || $ON)`),
		tests: attacks("TestAKeyThatEndedIsToldFromNone"),
	},
	{
		name: "tokens-are-logged", t: is(108),
		edit:  at("base/redact/redact.go", `return «tokens.ReplaceAllLiteralString(text, mark)»`, `mutantIf($ON, text, $OLD)`),
		tests: of("internal/base/redact", "TestTokensDoNotReachTheLog"),
	},
}
