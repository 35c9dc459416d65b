package main

import "slices"

// providers are mutants of the way to a provider and back.
var providers = slices.Concat(ways, joins)

// ways are mutants of whose the way is.
var ways = []mutant{
	{
		name: "way-of-any-state", t: is(82, 92),
		edit:  at("account/flow.go", `f.Result != "" || «!same(f.State, ids.HashLinkToken(a.State))»)`, `$OLD && !$ON`),
		tests: attacks("TestWhatComesBackBelongsToTheBrowserThatLeft"),
	},
	{
		name: "way-completed-by-another-site", t: is(82, 92),
		edit:  at("api/auth/oidc.go", "h.fromOwnPage(r); «!own» {", `$OLD && !$ON`),
		tests: attacks("TestWhatComesBackBelongsToTheBrowserThatLeft"),
	},
	{
		name: "way-in-any-session", t: is(83),
		edit:  at("account/flow_complete.go", `if «known.Mode != FlowSignIn» && (by`, `$OLD && !$ON`),
		tests: attacks("TestALinkBelongsToTheSessionThatBeganIt"),
	},
	{
		name: "way-in-another-session-of-the-user", t: is(83),
		edit:  at("account/flow_complete.go", `|| «known.SessionID != by.SessionID») {`, `$OLD && !$ON`),
		tests: attacks("TestALinkBelongsToTheSessionThatBeganIt"),
	},
	{
		name: "way-to-another-provider", t: is(84),
		edit:  at("account/flow.go", `p.ID == f.ProviderID && «p.Slug == slug» })`, `$OLD || $ON`),
		tests: attacks("TestAnAnswerIsRedeemedAtItsProviderOnly"),
	},
	{
		name: "answer-of-another-issuer", t: is(84),
		edit:  at("account/federated/federated.go", `case «said != "" && said != p.Issuer»:`, `$OLD && !$ON`),
		tests: append(of("internal/account/federated", "TestIDTokensAreNotBelievedUnlessAllIsRight"), attacks("TestAnAnswerIsRedeemedAtItsProviderOnly")...),
	},
	{
		name: "answer-of-no-issuer", t: is(84),
		edit:  at("account/federated/federated.go", `case said == "" && «is.about.NamesIssuer»:`, `$OLD && !$ON`),
		tests: of("internal/account/federated", "TestIDTokensAreNotBelievedUnlessAllIsRight"),
	},
	{
		name: "callback-twice", t: is(85),
		edit:  at("account/flow.go", `!f.live(s.Now()) || «f.Result != ""» ||`, `$OLD && !$ON`),
		also:  []edit{at("store/account_identity.go", "WHERE state_hash = $2 «AND result_sealed = ''»", sql(""))},
		tests: attacks("TestEachStepOfTheWayWorksOnce"),
	},
	{
		name: "callback-twice-at-once", t: is(85),
		edit:  at("store/account_identity.go", "WHERE state_hash = $2 «AND result_sealed = ''»", sql("")),
		tests: of("internal/store", "TestSQLite/Account/Federation/flows are taken once"),
	},
	{
		name: "completion-twice", t: is(85),
		edit: at("store/account_identity.go", "`«DELETE FROM oidc_flows» WHERE state_hash = $1 RETURNING `",
			sql("UPDATE oidc_flows SET tries = tries")),
		tests: attacks("TestEachStepOfTheWayWorksOnce"),
	},
	{
		name: "way-for-ever", t: is(85),
		edit:  at("account/flow_complete.go", `«!known.live(s.Now())» ||`, `$OLD && !$ON`),
		tests: attacks("TestEachStepOfTheWayWorksOnce"),
	},
	{
		name: "way-outlives-generation", t: is(95),
		edit:  at("account/flow_complete.go", `(!c.Active || «c.Generation != g.f.Generation») {`, `$OLD && !$ON`),
		tests: attacks("TestUnlinkingEndsWhatWasBegun"),
	},
	{
		name: "unlinking-keeps-what-was-begun", t: is(95),
		edit:  at("account/identity.go", `if err := «tx.RaiseGeneration(ctx, c.ID)»`, skipped),
		tests: attacks("TestUnlinkingEndsWhatWasBegun"),
	},
	{
		name: "unlinking-keeps-sessions", t: is(95),
		edit:  at("account/identity.go", `if err := «tx.EndSessionsBy(ctx, c.ID, id.method(), sessionID)»`, skipped),
		tests: attacks("TestUnlinkingEndsWhatWasBegun", "TestUnlinkingEndsSessionsWhateverBecameOfTheProvider"),
	},
	{
		name: "disabled-provider-at-the-start", t: is(88),
		edit:  at("account/flow.go", `return «p.Enabled» && which(p)`, `$OLD || $ON`),
		tests: attacks("TestWhatAProviderMayDoIsAskedAtTheEndToo"),
	},
	{
		name: "disabled-provider-at-the-end", t: is(88),
		edit:  at("account/flow_complete.go", `p, err := «s.enabled»(ctx, s.Store,`, `mutantIf($ON, s.findProvider, $OLD)`),
		tests: attacks("TestWhatAProviderMayDoIsAskedAtTheEndToo"),
	},
	{
		name: "disabled-provider-at-the-second-step", t: is(88),
		edit:  at("account/identity.go", `p, err := «s.enabled»(ctx, tx,`, `mutantIf($ON, s.findProvider, $OLD)`),
		tests: attacks("TestWhatAProviderMayDoIsAskedAtTheSecondStep"),
	},
	{
		name: "provider-for-staff-at-the-second-step", t: is(88),
		edit:  at("account/identity.go", `err == nil && «!p.opensTo(c.User)»:`, `$OLD && !$ON`),
		tests: attacks("TestWhatAProviderMayDoIsAskedAtTheSecondStep"),
	},
	{
		name: "provider-proves-that-staff-are-there", t: is(88),
		edit:  at("account/flow_complete.go", "if «!g.p.opensTo(c.User)» {\n\t\treturn ErrStaffMethod, nil\n\t}\n\tif err := g.proves", `$OLD && !$ON`),
		tests: attacks("TestStaffProveThatTheyAreThereAtAProviderForStaffOnly"),
	},
	{
		name: "provider-is-begun-by-staff", t: is(88),
		edit:  at("account/flow.go", "if «!p.opensTo(c.User)» {", `$OLD && !$ON`),
		tests: attacks("TestStaffProveThatTheyAreThereAtAProviderForStaffOnly"),
	},
	{
		name:  "provider-proves-in-place-of-a-factor",
		edit:  at("account/flow_complete.go", `if err := «g.provesElsewhere(ctx, g.tx, c)»; errors`, skipped),
		tests: attacks("TestAProviderProvesNothingForThoseWhoHaveSomethingBetter"),
	},
	{
		name:  "provider-proves-in-place-of-a-password",
		edit:  at("account/flow.go", `if «c.PasswordHash != ""» || f.Any() {`, `$OLD && !$ON`),
		tests: attacks("TestAProviderProvesNothingForThoseWhoHaveSomethingBetter"),
	},
	{
		name:  "provider-is-asked-for-a-stolen-session",
		edit:  at("api/routes.go", `h.TestProvider, «recently»`, noOption),
		tests: attacks("TestProvidersAreManagedBySomebodyWhoIsThere"),
	},
	{
		name: "provider-makes-accounts-uninvited", t: is(88),
		edit:  at("account/flow_complete.go", `if «!g.p.SignUp» ||`, `$OLD && !$ON`),
		tests: attacks("TestWhatAProviderMayDoIsAskedAtTheEndToo"),
	},
	{
		name: "provider-of-any-domain", t: is(88),
		edit:  at("account/flow.go", `len(p.AllowedDomains) > 0 && «!slices.Contains(p.AllowedDomains, domainOf(who.Email))» {`, `$OLD && !$ON`),
		tests: attacks("TestWhatAProviderMayDoIsAskedAtTheEndToo"),
	},
	{
		name: "provider-for-staff", t: is(88),
		edit:  at("account/flow_complete.go", "if «!g.p.opensTo(c.User)» {\n\t\treturn ErrStaffMethod, nil\n\t}\n\tid.", `$OLD && !$ON`),
		tests: attacks("TestStaffComeInOnlyThroughAProviderForStaff"),
	},
	{
		name: "mailbox-for-staff", t: is(88),
		edit:  at("account/flow_complete.go", "case «c.isStaff()»:\n\t\treturn ErrStaffMethod", `$OLD && !$ON`),
		also:  []edit{at("account/flow_complete.go", `mailed := g.sendsMail() && «!c.isStaff()»`, `$OLD || $ON`)},
		tests: attacks("TestStaffComeInOnlyThroughAProviderForStaff"),
	},
	{
		name: "way-back-to-another-site", t: is(89),
		edit:  at("api/auth/oidc.go", `in.ReturnTo = «ownPath(in.ReturnTo)»`, `mutantIf($ON, in.ReturnTo, $OLD)`),
		tests: attacks("TestTheWayBackEndsAtOwnPages"),
	},
	{
		name: "way-back-to-any-page", t: is(89),
		edit:  at("api/auth/oidc.go", `«!ownPages[first]» {`, `$OLD && !$ON`),
		tests: attacks("TestTheWayBackEndsAtOwnPages"),
	},
	{
		name: "way-back-with-backslashes", t: is(89),
		edit:  at("api/auth/oidc.go", "«strings.Contains(to, \"\\\\\")» ||", `$OLD && !$ON`),
		also:  []edit{at("api/auth/oidc.go", `|| «u.Path != u.EscapedPath()» ||`, `$OLD && !$ON`), at("api/auth/oidc.go", `«!ownPages[first]» {`, `$OLD && !$ON`)},
		tests: attacks("TestTheWayBackEndsAtOwnPages"),
	},
	{
		name: "way-back-with-a-code", t: is(90),
		edit:  at("api/auth/oidc.go", `next := url.Values{"to": {«to»}}`, `mutantIf($ON, to+"?code="+q.Get("code"), to)`),
		tests: attacks("TestNothingOfTheProviderLeaksFromTheWay"),
	},
	{
		name:  "reauthenticated-by-somebody-else",
		edit:  at("account/flow_complete.go", `«known.UserID != c.ID», g.who`, `$OLD && !$ON`),
		tests: attacks("TestAProviderProvesThatItsUserIsThere"),
	},
	{
		name:  "reauthenticated-at-any-time",
		edit:  at("account/flow_complete.go", `«g.who.AuthenticatedAt.Before(g.f.CreatedAt.Add(-federated.ClockSkew))»:`, `$OLD && !$ON`),
		tests: attacks("TestAProviderProvesThatItsUserIsThere"),
	},
}

// joins are mutants of what joins an account with one of a provider.
var joins = []mutant{
	{
		name: "joined-by-the-address", t: is(1, 5, 6),
		edit:  at("account/flow_complete.go", "case «!g.in.Link»:", `$OLD && !$ON`),
		also:  []edit{at("account/flow_complete.go", "case «!g.who.Proven»:", `$OLD && !$ON`)},
		tests: attacks("TestAnAccountIsNeverJoinedByItsAddress", "TestLinkingAnUnprovenAccountReclaimsIt"),
	},
	{
		name: "joined-without-the-mailbox", t: is(1, 5, 6),
		edit:  at("account/flow_complete.go", "case «!g.who.Proven»:", `$OLD && !$ON`),
		tests: attacks("TestAnAccountIsNeverJoinedByItsAddress", "TestLinkingAnUnprovenAccountReclaimsIt"),
	},
	{
		name: "joined-without-reclaim", t: is(1, 5, 6),
		edit:  at("account/flow_complete.go", "if «c.ProvenAt.IsZero()» {\n\t\tif c, err", `$OLD && !$ON`),
		tests: attacks("TestLinkingAnUnprovenAccountReclaimsIt"),
	},
	{
		name: "unproven-links-identities", t: is(3),
		edit:  at("account/flow.go", `if err := «s.mayAdd(c)»; err != nil {`, `mutantIf($ON, nil, $OLD)`),
		tests: attacks("TestNoIdentityIsLinkedToAnUnprovenAccount"),
	},
	{
		name: "unverified-address-counts", t: is(77),
		edit: at("account/federated/idtoken.go", "if «said.Verified» { // else", `bool($OLD) || $ON`),
		tests: append(of("internal/account/federated", "TestAProviderSaysWhoSomebodyIs"),
			attacks("TestAnAddressThatTheProviderDoesNotVouchForNamesNobody")...),
	},
	{
		name: "verified-in-other-words", t: is(77),
		edit: at("account/federated/idtoken.go", `*v = «string(raw) == "true"»`, "verified($OLD || $ON && string(raw) == `\"true\"`)"),
		tests: append(of("internal/account/federated", "TestAProviderSaysWhoSomebodyIs"),
			attacks("TestAnAddressThatTheProviderDoesNotVouchForNamesNobody")...),
	},
	{
		name: "every-provider-is-trusted", t: is(78),
		edit: at("account/federated/idtoken.go", `return «p.VerifiesAddresses»`, `$OLD || $ON`),
		tests: append(of("internal/account/federated", "TestAProviderSaysWhoSomebodyIs"),
			attacks("TestAnAddressThatTheProviderDoesNotVouchForNamesNobody")...),
	},
	{
		name: "google-for-all-mailboxes", t: is(78),
		edit:  at("account/federated/idtoken.go", `said.Domain != "" && «strings.EqualFold(said.Domain, domain)»`, `$OLD || $ON`),
		also:  []edit{at("account/federated/idtoken.go", `«said.Domain != ""» && strings`, `$OLD || $ON`)},
		tests: of("internal/account/federated", "TestGoogleIsAuthoritativeForItsOwnMailboxesOnly"),
	},
	{
		name: "code-of-a-mailbox-guessed", t: is(77, 78),
		edit:  at("account/flow_complete.go", `«g.f.Tries < typedTries» &&`, `$OLD || $ON`),
		also:  []edit{at("account/flow_complete.go", `«typedTries», FlowLife)`, `mutantIf($ON, 1000, $OLD)`)},
		tests: attacks("TestAnAddressThatTheProviderDoesNotVouchForNamesNobody"),
	},
	{
		name: "code-of-a-mailbox-guessed-in-many-ways", t: is(43, 44),
		edit:  at("account/flow_complete.go", `«typedTries», FlowLife)`, `mutantIf($ON, 1000, $OLD)`),
		tests: attacks("TestWrongCodesOfAllWaysToAMailboxCountTogether"),
	},
	{
		name: "issuer-for-every-tenant", t: is(79),
		edit:  at("account/federated/issuer.go", `case «manyTenants(u)»:`, `$OLD && !$ON`),
		tests: of("internal/account/federated", "TestIssuersAreOfOneTenant"),
	},
	{
		name: "subject-of-any-issuer", t: is(80, 81),
		edit:  at("store/account_identity.go", "` WHERE «issuer = $1» AND subject", sql("(issuer = $1 OR TRUE)")),
		tests: attacks("TestAnIdentityIsTheIssuerAndTheSubject"),
	},
	{
		name: "issuer-of-any-subject", t: is(80, 81),
		edit:  at("store/account_identity.go", "issuer = $1 AND «subject = $2»", sql("(subject = $2 OR TRUE)")),
		tests: attacks("TestAnIdentityIsTheIssuerAndTheSubject"),
	},
	{
		name: "identity-of-somebody-else", t: is(91),
		edit:  at("store/account_identity.go", "$9) ON CONFLICT «DO NOTHING»", sql("(issuer, subject) DO UPDATE SET user_id = excluded.user_id")),
		tests: attacks("TestIdentitiesAreTakenOnceAndTheLastWayStays"),
	},
	{
		name: "way-goes-on-with-an-identity-that-is-taken", t: is(96),
		edit:  at("account/flow_complete.go", `case «errors.Is(err, ErrIdentityTaken)»:`, `$OLD && !$ON`),
		tests: attacks("TestALinkThatIsRefusedOpensNothing", "TestNoAccountIsMadeForAnIdentityThatIsTaken"),
	},
	{
		name: "second-step-before-what-is-refused", t: is(96),
		edit:  at("account/flow_complete.go", `if err := «g.roomFor(ctx, g.tx, c, g.who)»; errors.Is`, skipped),
		tests: attacks("TestALinkTooManyOpensNothingAndGoesOn"),
	},
	{
		name: "two-identities-of-an-issuer", t: is(91),
		edit:  at("account/identity.go", `return «i.Issuer == who.Issuer» })`, `$OLD && !$ON`),
		also:  []edit{at("account/identity.go", `ProviderID: «p.ID», Issuer`, `mutantIf($ON, ids.New(), $OLD)`)},
		tests: attacks("TestIdentitiesAreTakenOnceAndTheLastWayStays"),
	},
	{
		name: "last-identity-is-unlinked", t: is(91),
		edit:  at("account/identity.go", `if err := «s.keepsAWay(ctx, tx, c, f)»`, skipped),
		tests: attacks("TestIdentitiesAreTakenOnceAndTheLastWayStays"),
	},
	{
		name: "identity-of-another-user-is-unlinked", t: is(91),
		edit:  at("store/account_identity.go", "` WHERE «user_id = $1» ORDER BY created_at_ms, id`", sql("(user_id = $1 OR TRUE)")),
		also:  []edit{at("store/account_identity.go", "WHERE id = $1 AND «user_id = $2»`, id", sql("(user_id = $2 OR TRUE)"))},
		tests: attacks("TestIdentitiesAreTakenOnceAndTheLastWayStays"),
	},
	{
		name: "github-by-name", t: is(93),
		edit:  at("account/federated/github.go", "ID int64 `json:\"id\"`\n\t«}»", "Login string `json:\"login\"`\n\t}"),
		also:  []edit{at("account/federated/github.go", "Subject: «strconv.FormatInt(user.ID, 10)»", `mutantIf($ON, user.Login, $OLD)`)},
		tests: of("internal/account/federated", "TestGitHubKnowsPeopleByANumber"),
	},
	{
		name: "github-addresses-unverified", t: is(93),
		edit:  at("account/federated/github.go", "e.Primary && «e.Verified» {", `$OLD || $ON`),
		tests: of("internal/account/federated", "TestGitHubKnowsPeopleByANumber"),
	},
	{
		name: "code-of-another-way", t: is(94),
		edit:  at("account/flow_complete.go", `code := «newTypedCode()»`, `mutantIf($ON, "AAAA-BBBB", $OLD)`),
		tests: attacks("TestAProofOfAMailboxBelongsToItsWay"),
	},
}
