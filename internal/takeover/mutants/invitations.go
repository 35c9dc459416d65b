package main

// Where invitations are made, and where they are accepted.
const (
	invitingFile  = "account/invite/service.go"
	acceptingFile = "account/invite/accept.go"
	joiningFile   = "account/join.go"
)

// inviting are mutants of what keeps invitations for those who are invited, and by those who may.
var inviting = []mutant{
	{
		name: "invitation-for-an-unproven-account", t: is(11),
		edit:  at(joiningFile, `mailbox.Same(c.Email, address) && «(!c.ProvenAt.IsZero() || !s.sendsMail())»`, `$OLD || $ON`),
		tests: attacks("TestAnInvitationIsNotForWhoRegisteredTheAddressFirst", "TestAPrintedInvitationProvesNothing"),
	},
	{
		name: "invitation-leaves-what-was-there", t: is(11),
		edit: at(joiningFile, `now, err := «s.provenOutside»(ctx, tx, taken)`, `mutantIf($ON, func(ctx context.Context, tx Store, c Credentials) (Credentials, error) {
			return c, tx.SetProven(ctx, c.ID, s.Now())
		}, $OLD)`),
		tests: attacks("TestAnInvitationIsNotForWhoRegisteredTheAddressFirst"),
	},
	{
		name: "invitation-for-anybody", t: is(12),
		edit:  at(acceptingFile, `if «!s.Accounts.Reads(c, found.Email)» {`, `$OLD && !$ON`),
		tests: attacks("TestAnInvitationIsForItsMailboxOnly"),
	},
	{
		name: "invitation-by-the-broad-equality", t: is(12),
		edit:  at(joiningFile, `return «mailbox.Same(c.Email, address)» &&`, `$OLD || $ON && Key(c.Email) == Key(address)`),
		tests: attacks("TestAnInvitationIsForItsMailboxOnly"),
	},
	{
		name: "invitation-used-again", t: is(13),
		edit:  at(acceptingFile, `err = «s.close(ctx, tx, open, Accepted)»`, skipped),
		tests: attacks("TestAnInvitationIsForItsMailboxOnly", "TestOfManyThatAcceptAnInvitationOneDoes"),
	},
	{
		name: "invitation-not-replaced", t: is(13),
		edit:  at(invitingFile, `if err := «s.replace(ctx, tx, in.Email, before)»; err`, skipped),
		tests: attacks("TestAnInvitationThatWasReplacedRevokedOrExpiredIsDead"),
	},
	{
		name: "invitation-not-revoked", t: is(13),
		edit:  at(invitingFile, `if err := «s.close(ctx, tx, open, Revoked)»; err`, skipped),
		tests: attacks("TestAnInvitationThatWasReplacedRevokedOrExpiredIsDead"),
	},
	{
		name: "invitation-without-end", t: is(13),
		edit:  at(acceptingFile, `st.HasLink(ctx, hash, «s.Now()»)`, `mutantIf($ON, $OLD.AddDate(-1, 0, 0), $OLD)`),
		tests: attacks("TestAnInvitationThatWasReplacedRevokedOrExpiredIsDead"),
	},
	{
		name: "invitation-of-an-inviter-who-was-blocked", t: is(16),
		edit:  at(acceptingFile, `if «!c.Active» || !own.Has`, `$OLD && !$ON`),
		tests: attacks("TestAnInviterWhoLostTheRightInvitesNobody"),
	},
	{
		name: "invitation-of-an-inviter-without-the-right", t: is(16),
		edit:  at(acceptingFile, `«!own.Has(permission.WriteStaff)» {`, `$OLD && !$ON`),
		tests: attacks("TestAnInviterWhoLostTheRightInvitesNobody"),
	},
	{
		name: "invitation-above-its-inviter", t: is(16),
		edit:  at(acceptingFile, `if «errs.KindOf(staff.CheckAbove(as, in.Role, rights[in.Role])) == errs.Forbidden» {`, `$OLD && !$ON`),
		tests: attacks("TestAnInviterWhoLostTheRightInvitesNobody"),
	},
	{
		name: "invitation-of-services-that-are-off", t: is(16),
		edit:  at(acceptingFile, `if «s.Accounts.Services == nil» {`, `$OLD && !$ON`),
		tests: attacks("TestInvitationsNeedSomebodyWhoIsThere"),
	},
	{
		name: "invites-above-themselves", t: is(103),
		edit:  at(invitingFile, `if err := «account.CheckAbove(ctx, tx, in.Role)»; err`, skipped),
		tests: attacks("TestNobodyInvitesAboveThemselves"),
	},
	{
		name: "replaces-above-themselves", t: is(103),
		edit:  at(invitingFile, `if err := «account.CheckAbove(ctx, tx, before.Role)»; err`, skipped),
		tests: attacks("TestNobodyInvitesAboveThemselves"),
	},
	{
		name: "revokes-above-themselves", t: is(103),
		edit:  at(invitingFile, `if err := «account.CheckAbove(ctx, tx, found.Role)»; err`, skipped),
		tests: attacks("TestNobodyInvitesAboveThemselves"),
	},
	{
		name: "role-deleted-under-its-invitation", t: is(103),
		edit:  at("account/staff/role.go", `} else if «offered» {`, `$OLD && !$ON`),
		tests: attacks("TestNobodyInvitesAboveThemselves"),
	},
	{
		name: "invitation-of-staff", t: is(103),
		edit:  at(joiningFile, "if «c.isStaff()» {\n\t\t\treturn ErrLink", `$OLD && !$ON`),
		tests: attacks("TestAnInvitationChangesNoRoleOfStaff"),
	},
	{
		name: "invitation-takes-a-proven-account", t: is(11),
		edit:  at(joiningFile, `|| !taken.Active || «!taken.ProvenAt.IsZero()» || taken`, `$OLD && !$ON`),
		tests: attacks("TestAnInvitationTakesNoAccountOverThatSomebodyHas"),
	},
	{
		name: "invitation-takes-a-blocked-account", t: is(11),
		edit:  at(joiningFile, `|| «!taken.Active» || !taken.ProvenAt`, `$OLD && !$ON`),
		tests: attacks("TestAnInvitationTakesNoAccountOverThatSomebodyHas"),
	},
	{
		name: "invitation-printed-and-reclaiming", t: is(11),
		edit:  at(acceptingFile, `Proves: «!found.Printed»,`, `$OLD || $ON`),
		tests: attacks("TestAPrintedInvitationProvesNothing"),
	},
	{
		name:  "invitation-by-an-old-session",
		edit:  at("api/routes.go", `h.Invite, perUser(limit.Invitation), «recently»`, noOption),
		tests: attacks("TestInvitationsNeedSomebodyWhoIsThere"),
	},
	{
		name: "invitation-beyond-the-mailbox", t: is(32),
		edit:  at(invitingFile, `case «wait > 0»:`, `$OLD && !$ON`),
		tests: attacks("TestInvitationsNeedSomebodyWhoIsThere"),
	},
	{
		name: "invitation-of-an-erased-user", t: is(30),
		edit:  at(erasingFile, "return s.blankDetails(ctx, func(d detailed) bool {\n\t\tvar about struct{ Email string }\n\t\treturn «json.Unmarshal([]byte(d.details), &about) == nil» &&", `$OLD && !$ON`),
		tests: attacks("TestAnErasedUserIsInNoInvitation"),
	},
	{
		name:  "invitation-in-a-session-that-staff-may-not-begin",
		edit:  at(joiningFile, `} else if «closed(session)» {`, `$OLD && !$ON`),
		tests: attacks("TestAnInvitationIsNotAcceptedInASessionThatStaffMayNotBegin"),
	},
	{
		name:  "invitation-leaves-other-sessions",
		edit:  at(joiningFile, `return «tx.DeleteSessionsExcept(ctx, userID, sessionID)»`, skipped),
		tests: attacks("TestAnInvitationIsNotAcceptedInASessionThatStaffMayNotBegin"),
	},
}
