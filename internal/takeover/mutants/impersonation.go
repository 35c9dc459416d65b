package main

// standIns are mutants of what keeps staff who act as a user from more than looking.
var standIns = []mutant{
	{
		name: "acts-as-staff", t: is(109),
		edit:  at("account/impersonate/start.go", `case «c.Role != reqctx.RoleUser»:`, `$OLD && !$ON`),
		tests: attacks("TestNobodyActsAsStaffAsThemselvesOrAsTheBlocked"),
	},
	{
		name: "acts-as-the-blocked", t: is(109),
		edit:  at("account/impersonate/start.go", `case «!c.Active»:`, `$OLD && !$ON`),
		tests: attacks("TestNobodyActsAsStaffAsThemselvesOrAsTheBlocked"),
	},
	{
		name: "acts-as-a-service", t: is(109),
		edit:  at("account/impersonate/start.go", `case «who.SessionID == ""»:`, `$OLD && !$ON`),
		tests: attacks("TestNobodyActsAsStaffAsThemselvesOrAsTheBlocked"),
	},
	{
		name: "acts-although-off", t: is(109),
		edit:  at("account/impersonate/start.go", `case «mode == account.ImpersonationOff»:`, `$OLD && !$ON`),
		tests: attacks("TestNobodyActsAsStaffAsThemselvesOrAsTheBlocked"),
	},
	{
		name: "writes-without-the-right", t: is(109),
		edit:  at("account/impersonate/start.go", `if write && «!who.May(permission.ImpersonateToWrite)» {`, `$OLD && !$ON`),
		tests: attacks("TestNobodyActsAsStaffAsThemselvesOrAsTheBlocked"),
	},
	{
		name: "manages-as-a-user", t: is(110),
		edit:  at("api/guard/standin.go", `case «may == Nothing»:`, `$OLD && !$ON`),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing"),
	},
	{
		name: "read-only-writes", t: is(110),
		edit:  at("api/guard/standin.go", `case writes && «!who.Writes»:`, `$OLD && !$ON`),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing"),
	},
	{
		name: "writes-what-is-the-users", t: is(110),
		edit:  at("api/guard/standin.go", `case writes && «may == ReadsOnly»:`, `$OLD && !$ON`),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing"),
	},
	{
		name: "read-only-upgrades", t: is(110),
		edit:  at("api/guard/standin.go", `«len(r.Header["Upgrade"]) > 0»`, `$OLD && !$ON`),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing", "TestWhatStaffHoldOpenAsAUserEndsWithIt"),
	},
	{
		name: "held-open-for-ever", t: is(111),
		edit:  at("api/plugincall/leash.go", `case «errs.KindOf(err) == errs.Unauthenticated»:`, `$OLD && !$ON`),
		tests: attacks("TestWhatStaffHoldOpenAsAUserEndsWithIt"),
	},
	{
		name: "reviews-as-a-user", t: is(110),
		edit:  at("api/routes.go", `users, h.WriteReview, «byUserOnly»`, noOption),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing"),
	},
	{
		name: "changes-the-account-as-a-user", t: is(110),
		edit:  at("api/route.go", `return «max(r.standIns, guard.ReadsOnly)»`, `mutantIf($ON, r.standIns, $OLD)`),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing"),
	},
	{
		name: "buys-as-a-user", t: is(110),
		edit:  at("shop/order/standin.go", `if «tier.Price.Minor != 0» {`, `$OLD && !$ON`),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing"),
	},
	{
		name: "keys-in-full", t: is(110),
		edit:  at("api/shop/licenses.go", `if «reqctx.CallerFrom(ctx).Impersonator != ""» {`, `$OLD && !$ON`),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing"),
	},
	{
		name: "key-of-an-order-in-full", t: is(110),
		edit:  at("api/shop/orders.go", `orderWithKey{newOwnOrder(o), «shownKey(r.Context(), key)»}`, `mutantIf($ON, key.Reveal(), $OLD)`),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing"),
	},
	{
		name: "archive-as-a-user", t: is(110),
		edit:  at("api/routes.go", `users, h.ExportArchive, recently, unkept, «forUserOnly»`, noOption),
		tests: attacks("TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing"),
	},
	{
		name: "receipt-to-staff", t: is(110),
		edit:  at("shop/order/standin.go", `own.Email = «email»`, `mutantIf($ON, own.Email, $OLD)`),
		tests: attacks("TestAReceiptOfAnOrderByStaffGoesToTheUser"),
	},
	{
		name: "kept-answers-for-staff", t: is(110),
		edit:  at("api/keyed/keyed.go", `case «who.Impersonator != ""»:`, `$OLD && !$ON`),
		tests: attacks("TestNoAnswerToTheUserIsRepeatedForStaff"),
	},
	{
		name: "acts-after-demotion", t: is(111),
		edit:  at("account/standin.go", `«a.StandInRights.Has(permission.Impersonate)» &&`, `($OLD || $ON)`),
		tests: attacks("TestActingAsAUserEndsWithWhatItRestsOn"),
	},
	{
		name: "acts-as-who-became-staff", t: is(111),
		edit:  at("account/standin.go", `return «a.User.Role == reqctx.RoleUser» &&`, `($OLD || $ON)`),
		tests: attacks("TestActingAsAUserEndsWithWhatItRestsOn"),
	},
	{
		name: "acts-on-after-the-switch", t: is(111),
		edit:  at("account/standin.go", `«s.LastRules().Impersonation != ImpersonationOff»`, `($OLD || $ON)`),
		tests: attacks("TestActingAsAUserEndsWhenItIsSwitchedOff"),
	},
	{
		name: "demotion-is-not-noticed", t: is(111),
		edit:  at("account/standin.go", `if «a.StandIn.Any()» {`, `$OLD && !$ON`),
		tests: of("internal/account", "TestAChangeToWhoActsAsAUserIsNoticed"),
	},
	{
		name: "acts-for-longer", t: is(111),
		edit:  at("account/impersonate/start.go", `end := started.Add(«Life»)`, `mutantIf($ON, 2*Life, $OLD)`),
		tests: attacks("TestActingAsAUserEndsAfterHalfAnHour"),
	},
	{
		name: "acts-for-longer-than-signed-in", t: is(111),
		edit:  at("account/impersonate/start.go", `if «!aged.IsZero() && aged.Before(end)» {`, `$OLD && !$ON`),
		tests: attacks("TestActingAsAUserEndsWithTheAgeOfTheSessionItBeganIn"),
	},
	{
		name: "one-name-in-the-audit", t: is(112),
		edit:  at("trust/audit/audit.go", "case «who.Impersonator != \"\"»:\n\t\treturn Actor", `$OLD && !$ON`),
		tests: attacks("TestTheUserSeesWhoActedAndTheAuditNamesBoth"),
	},
	{
		name: "plugins-are-told-one-name", t: is(112),
		edit:  at("run/gateway/context.go", `if «who.Impersonator != ""» {`, `$OLD && !$ON`),
		tests: attacks("TestPluginsLearnWhoActsAndClientsDoNotChooseIt"),
	},
	{
		name: "platform-token-of-one-name", t: is(112),
		edit:  at("run/gateway/context.go", `case «who.Impersonator != ""»:`, `$OLD && !$ON`),
		tests: attacks("TestPluginsLearnWhoActsAndClientsDoNotChooseIt"),
	},
	{
		name: "values-of-one-name", t: is(112),
		edit:  at("extension/plugin/storage/storage.go", `e.By = «reqctx.BehalfFrom(ctx)»`, `mutantIf($ON, reqctx.Behalf{}, $OLD)`),
		tests: attacks("TestPluginsLearnWhoActsAndClientsDoNotChooseIt"),
	},
	{
		name: "the-user-is-not-told", t: is(112),
		edit:  at("account/impersonate/start.go", `posted = «isMailed(mode)» &&`, `$OLD && !$ON`),
		tests: attacks("TestTheUserSeesWhoActedAndTheAuditNamesBoth"),
	},
}
