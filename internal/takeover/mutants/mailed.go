package main

// mailed are mutants of the sign-in by a mailed link or code.
var mailed = []mutant{
	{
		name: "mail-signs-in-unproven", t: is(1, 6, 36),
		edit:  at("account/mailed.go", "if «!c.ProvenAt.IsZero()» {\n\t\treturn c, nil", `$OLD || $ON`),
		tests: attacks("TestAMailReclaimsAnUnprovenAccount"),
	},
	{
		name: "mail-to-the-typed-address", t: is(24, 26, 27, 33),
		edit:  at("account/mailed.go", `s.letterMailedSignIn(ctx, «c.User», token, code)`, `mutantIf($ON, User{Email: email}, $OLD)`),
		tests: attacks("TestMailsToSignInWithCannotBeDiverted"),
	},
	{
		name: "flow-without-its-link", t: is(31, 96),
		edit:  at("account/mailed.go", `t.Link == "" || «subtle.ConstantTimeCompare([]byte(t.Link), []byte(ids.HashLinkToken(in.Token))) != 1» {`, `$OLD && !$ON`),
		tests: attacks("TestALinkSignsInWhereItWasAskedForOnly"),
	},
	{
		name: "flow-without-its-code", t: is(43, 44),
		edit:  at("account/mailed.go", `if «!isTyped(t.Code, flow, in.Code)» {`, `$OLD && !$ON`),
		tests: attacks("TestACodeBearsFiveTries", "TestALinkSignsInWhereItWasAskedForOnly"),
	},
	{
		name: "flow-of-another-site", t: is(31, 92, 96),
		edit:  at("api/auth/mailed.go", `h.fromOwnPage(r); «!own» {`, `$OLD && !$ON`),
		tests: attacks("TestALinkSignsInWhereItWasAskedForOnly"),
	},
	{
		name: "code-bears-all-tries", t: is(43, 44),
		edit:  at("store/account_mail_token.go", "WHERE token_hash = $1 AND «tries < $2»", sql("(tries < $2 OR TRUE)")),
		also:  []edit{at("account/mailed.go", `if «tries > typedTries» {`, `$OLD && !$ON`)},
		tests: attacks("TestACodeBearsFiveTries"),
	},
	{
		name: "code-bears-tries-for-each-mail", t: is(43, 44),
		edit:  at("account/mailed.go", `if «tries > typedTries» {`, `$OLD && !$ON`),
		tests: attacks("TestACodeBearsFiveTries"),
	},
	{
		name: "code-of-a-few-bits", t: is(43, 44),
		edit:  at("account/typed.go", `newCode(«typedBytes»)`, `mutantIf($ON, 2, $OLD)`),
		tests: attacks("TestACodeBearsFiveTries"),
	},
	{
		name: "mail-for-ever", t: is(43, 44),
		edit:  at("account/mailed.go", `|| «!t.live(s.Now())»:`, `$OLD && !$ON`),
		also:  []edit{at("account/mailtoken.go", `t.Kind != kind || «!t.live(s.Now())»)`, `$OLD && !$ON`)},
		tests: attacks("TestAMailToSignInWithEndsAfterTenMinutes"),
	},
	{
		name: "mail-outlives-generation", t: is(45),
		edit:  at("account/mailed.go", `!c.Active || «t.Generation != c.Generation» ||`, `$OLD && !$ON`),
		tests: attacks("TestAMailToSignInWithDiesWithWhatItStandsOn"),
	},
	{
		name: "mail-signs-in-twice", t: is(85),
		edit:  at("account/mailed.go", `if err := «tx.TakeMailToken(ctx, t.Hash)»`, skipped),
		tests: attacks("TestAMailSignsInOnce", "TestOfManySignInsWithOneMailOneWins"),
	},
	{
		name: "code-in-the-clear", t: is(90, 108),
		edit:  at("account/typed.go", "«mac.Write([]byte(plainCode(typed)))»", "if $ON {\n\t\treturn plainCode(typed)\n\t}\n\t$OLD"),
		tests: attacks("TestTheDatabaseHasNoMailedWayIn"),
	},
	{
		name: "code-without-the-flow-as-key", t: is(90, 108),
		edit: at("account/typed.go", "«mac.Write([]byte(plainCode(typed)))»",
			"if $ON {\n\t\tsum := sha256.Sum256([]byte(plainCode(typed)))\n\t\treturn hex.EncodeToString(sum[:])\n\t}\n\t$OLD"),
		tests: attacks("TestTheDatabaseHasNoMailedWayIn"),
	},
	{
		name: "flow-cookie-without-its-prefix", t: is(92),
		edit:  at("api/auth/flow.go", "name := «flowCookie»", `mutantIf($ON, flowCookieLocal, flowCookie)`),
		tests: of("internal/api/auth", "TestTheFlowIsForItsBrowserAndItsOrigin"),
	},
	{
		name: "flow-cookie-of-a-neighbor", t: is(92),
		edit:  at("api/auth/flow.go", "if «hosts.IsLoopback(r.Host)» {", `$OLD || $ON`),
		tests: of("internal/api/auth", "TestTheFlowIsForItsBrowserAndItsOrigin"),
	},
	{
		name: "flow-cookie-set-by-another-site", t: is(92),
		edit:  at("api/auth/flow.go", "if «!ok» {", `$OLD && !$ON`),
		tests: append(of("internal/api/auth", "TestTheFlowIsForItsBrowserAndItsOrigin"), attacks("TestALinkSignsInWhereItWasAskedForOnly")...),
	},
	{
		name: "flow-cookie-among-several", t: is(82, 92),
		edit: at("api/auth/flow.go", "«len(sent) == 1» {", `len(sent) >= 1 && $ON || $OLD`),
		tests: append(of("internal/api/auth", "TestTheFlowIsForItsBrowserAndItsOrigin"),
			attacks("TestALinkSignsInWhereItWasAskedForOnly", "TestWhatComesBackBelongsToTheBrowserThatLeft")...),
	},
	{
		name: "no-flow-for-nobody", t: is(99),
		edit:  at("account/mailed.go", "return «tx.CreateMailToken(ctx, t)»\n", `mutantSkip($ON && t.UserID == "", func() error { return $OLD })`),
		tests: attacks("TestSigningInByMailTellsNobodyWhoHasAnAccount"),
	},
	{
		name: "mail-to-inactive-users", t: is(99),
		edit:  at("account/mailed.go", "err == nil && «c.Active» {", `$OLD || $ON`),
		tests: attacks("TestSigningInByMailTellsNobodyWhoHasAnAccount"),
	},
	{
		name:  "mail-for-staff",
		edit:  at("account/mailed.go", "case wanted && «c.isStaff()»:", `$OLD && !$ON`),
		tests: attacks("TestStaffDoNotSignInByMail"),
	},
	{
		name:  "mail-for-somebody-who-became-staff",
		edit:  at("account/mailed.go", "case «c.isStaff()»: // since", `$OLD && !$ON`),
		tests: attacks("TestStaffDoNotSignInByMail"),
	},
	{
		name:  "mail-signs-in-uninvited",
		edit:  at("account/mailed.go", "return «s.LastRules().MailedSignIn» && s.sendsMail()", `$OLD || $ON`),
		tests: attacks("TestNobodySignsInByMailUnlessItIsOn"),
	},
}
