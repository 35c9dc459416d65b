package main

// Where deletions are planned and called off, and where they are carried out.
const (
	leavingFile = "account/leave/service.go"
	erasingFile = "store/account_deletion.go"
)

// erasesNothing replaces a part of Erase by nothing.
const erasesNothing = `mutantIf($ON, func(context.Context, string) error { return nil }, $OLD)`

// leaving are mutants of what keeps accounts from being deleted by others, of what keeps people out of those that are
// leaving, and of what is left of those that are gone.
var leaving = []mutant{
	{
		name: "deletion-by-an-old-session", t: is(102),
		edit:  at("api/routes.go", `h.PlanDeletion, perUser(limit.Factors), «recently»`, noOption),
		tests: attacks("TestAStolenSessionDeletesNoAccount"),
	},
	{
		name: "deletion-by-any-name", t: is(102),
		edit:  at(leavingFile, `if «in.Username != u.Username» {`, `$OLD && !$ON`),
		tests: attacks("TestAStolenSessionDeletesNoAccount", "TestOnlyAdministratorsWhoAreThereEraseAccounts"),
	},
	{
		name: "deletion-in-silence", t: is(102),
		edit:  at(leavingFile, `if err := «post(s.letterPlanned(ctx, c.User, token, at))»; err`, skipped),
		tests: attacks("TestADeletionIsToldAndWaits"),
	},
	{
		name: "deletion-before-its-time", t: is(102),
		edit:  at("account/leave/tend.go", `|| «c.DeletionAt.After(s.Now())» {`, `$OLD && !$ON`),
		also:  []edit{at(erasingFile, `AND deletion_at_ms «<= $1»`, sql("<= $1 + 9000000000000"))},
		tests: attacks("TestADeletionIsToldAndWaits"),
	},
	{
		name: "deletion-kept-too-late", t: is(102),
		edit:  at(leavingFile, `if «!s.Now().Before(c.DeletionAt)» {`, `$OLD && !$ON`),
		tests: attacks("TestTheLinkOfTheMailKeepsTheAccount"),
	},
	{
		name: "deletion-kept-by-another-link", t: is(22),
		edit:  at(leavingFile, `if err == nil && «t.Kind != account.LinkKeepAccount» {`, `$OLD && !$ON`),
		tests: attacks("TestTheFormerMailboxUndoesADeletion"),
	},
	{
		name: "deletion-kept-by-a-link-from-before", t: is(22),
		edit:  at(leavingFile, `if err := «tx.DeleteMailTokens(ctx, c.ID, account.LinkKeepAccount)»; err != nil { // of a plan`, skipped),
		also:  []edit{at("account/email_change.go", `LinkChange, «LinkKeepAccount»)`, `mutantIf($ON, LinkChange, $OLD)`)},
		tests: attacks("TestTheFormerMailboxUndoesADeletion"),
	},
	{
		name: "deletion-hidden-from-the-former-mailbox", t: is(22),
		edit:  at(leavingFile, `range «account.FormerAddresses(back, s.Now())» {`, `mutantIf($ON, nil, $OLD)`),
		tests: attacks("TestTheFormerMailboxUndoesADeletion"),
	},
	{
		name: "deletion-goes-on-after-a-revert", t: is(22),
		edit:  at("account/email_change.go", `if err := «tx.CancelDeletion(ctx, c.ID)»; err`, skipped),
		tests: attacks("TestTheFormerMailboxUndoesADeletion"),
	},
	{
		name: "leaving-signs-in", t: is(99),
		edit: at("store/account_user.go", `c.Active && «c.DeletionAt.IsZero()» // see`, `$OLD || $ON`),
		tests: attacks("TestNobodyEntersAnAccountThatIsLeaving", "TestNoPasskeyEntersAnAccountThatIsLeaving",
			"TestNoProviderEntersAnAccountThatIsLeaving", "TestNoMailedSignInEntersAnAccountThatIsLeaving"),
	},
	{
		name: "leaving-keeps-sessions", t: is(4),
		edit:  at(erasingFile, `return «s.DeleteSessionsExcept(ctx, id, "")»`, skipped),
		tests: attacks("TestNobodyEntersAnAccountThatIsLeaving"),
	},
	{
		name: "leaving-keeps-resets", t: is(4),
		edit:  at(erasingFile, `if err := «s.VoidResets(ctx, id)»; err`, skipped),
		tests: attacks("TestNobodyEntersAnAccountThatIsLeaving"),
	},
	{
		name: "leaving-keeps-what-was-begun", t: is(4),
		edit:  at(erasingFile, `generation = generation «+ 1»`, sql("+ 0")),
		tests: attacks("TestNobodyEntersAnAccountThatIsLeaving", "TestNoSecondStepEntersAnAccountThatIsLeaving"),
	},
	{
		name:  "leaving-is-blocked-unseen",
		edit:  at("account/user_change.go", `if «ch.Active != nil && !before.DeletionAt.IsZero()» {`, `$OLD && !$ON`),
		tests: attacks("TestTheStateOfAnAccountThatIsLeavingStays"),
	},
	{
		name:  "leaving-counts-as-administrator",
		edit:  at("store/account_user.go", "`SELECT u.id FROM users u WHERE u.role = 'ADMIN' AND `+«isActive»", "mutantIf($ON, `u.active`, $OLD)"),
		tests: attacks("TestTheLastAdministratorWhoStaysCannotLeave", "TestTheStateOfAnAccountThatIsLeavingStays"),
	},
	{
		name:  "last-administrator-leaves",
		edit:  at(leavingFile, `if «slices.Contains(admins, c.ID) && len(admins) == 1» {`, `$OLD && !$ON`),
		tests: attacks("TestTheLastAdministratorWhoStaysCannotLeave", "TestOnlyAdministratorsWhoAreThereEraseAccounts"),
	},
	{
		name:  "erased-by-users",
		edit:  at("api/guard/guard.go", `if «!slices.ContainsFunc(permissions, who.May)» {`, `$OLD && !$ON`),
		tests: attacks("TestOnlyAdministratorsWhoAreThereEraseAccounts"),
	},
	{
		name:  "erased-by-an-old-session",
		edit:  at("api/routes.go", `h.EraseUser, «recently»`, noOption),
		tests: attacks("TestOnlyAdministratorsWhoAreThereEraseAccounts"),
	},
	{
		name: "erased-keeps-orders", t: is(30),
		edit:  at(erasingFile, `«s.releaseOrders», s.eraseReviews, s.eraseUser`, erasesNothing),
		tests: attacks("TestTheNextOwnerOfAnAddressFindsNothing"),
	},
	{
		name: "erased-keeps-orders-of-guests", t: is(30),
		edit: at(erasingFile, `«s.releaseGuestOrders»(ctx, c, kept)`,
			`mutantIf($ON, func(context.Context, account.Credentials, time.Time) error { return nil }, $OLD)`),
		tests: attacks("TestTheNextOwnerOfAnAddressFindsNothing"),
	},
	{
		name: "erased-unproven-takes-orders", t: is(30),
		edit:  at(erasingFile, `if «c.ProvenAt.IsZero()» || key`, `$OLD && !$ON`),
		tests: attacks("TestAnUnprovenAccountTakesNoOrdersOfItsMailboxAlong"),
	},
	{
		name: "erased-takes-orders-of-others", t: is(30),
		edit:  at(erasingFile, `if «!mailbox.Same(b.Email, c.Email)» {`, `$OLD && !$ON`),
		tests: of("internal/store", "TestSQLite/Leaving/Erase leaves what others need"),
	},
	{
		name:  "erased-stays-in-the-log",
		edit:  at(erasingFile, `«s.blankAudit»,`, erasesNothing),
		tests: attacks("TestTheAuditLogForgetsTheAddressesOfThoseWhoLeft"),
	},
	{
		name:  "erased-bills-blank-early",
		edit:  at("account/leave/tend.go", `s.Now().Add(«-s.KeepBills»), billChunk`, `mutantIf($ON, 0, $OLD)`),
		tests: attacks("TestBillsOfThoseWhoLeftAreBlankedInTheirTime"),
	},
	{
		name: "copy-asked-by-an-old-session", t: is(102),
		edit:  at("api/routes.go", `h.StartExport, counts(limit.Export), «recently»`, noOption),
		tests: attacks("TestAStolenSessionExportsNothing"),
	},
	{
		name: "copy-downloaded-by-an-old-session", t: is(102),
		edit:  at("api/routes.go", `GET /auth/account/export/{id}/archive", users, h.ExportArchive, «recently»`, noOption),
		tests: attacks("TestAStolenSessionExportsNothing"),
	},
	{
		name: "copy-for-the-other-side", t: is(102),
		edit:  at("account/takeout/service.go", `|| «staff != (e.By != "")») {`, `$OLD && !$ON`),
		tests: attacks("TestAStolenSessionExportsNothing", "TestOnlyAdministratorsWhoAreThereExportAccounts"),
	},
	{
		name: "copy-of-somebody-else", t: is(102),
		edit:  at("store/account_export.go", `WHERE id = $1 AND «user_id = $2» AND`, sql("(user_id = $2 OR TRUE)")),
		tests: attacks("TestAStolenSessionExportsNothing"),
	},
	{
		name: "copy-in-silence", t: is(102),
		edit:  at("account/takeout/make.go", `return «post(s.letterReady(c.User, e))»`, skipped),
		tests: attacks("TestAStolenSessionExportsNothing"),
	},
	{
		name:  "copy-without-end",
		edit:  at("api/auth/takeout.go", `if err := «h.Limits.Count(w, r, limit.Export, userID)»; err`, skipped),
		tests: attacks("TestCopiesAreBounded"),
	},
}
