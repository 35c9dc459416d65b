package main

import "slices"

// mutants returns all of them, in the order of docs/security/takeover.md.
func mutants() []mutant {
	return slices.Concat(before, addresses, factors, resets, passkeys, mailed, proofs, sessions, providers, tokens, leaving, apiKeys, outputs, roles, standIns, inviting)
}

// is lists numbers of docs/security/takeover.md.
func is(numbers ...int) []int { return numbers }

// at is a change of one place.
func at(file, from, to string) edit { return edit{file: "internal/" + file, old: from, new: to} }

// sql is what stands in a statement, in a raw string, that has another text with a mutant.
func sql(with string) string { return "` + mutantIf($ON, `" + with + "`, `$OLD`) + `" }

// attacks are tests of internal/takeover.
func attacks(names ...string) []string { return of("internal/takeover", names...) }

// of are tests of a package.
func of(pkg string, names ...string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = pkg + " " + name
	}
	return all
}

// The names of subtests that several mutants need.
const (
	removesWays = "TestSQLite/Account/Ways/RemoveWays leaves what it must"
)

// What several mutants put in place of a call.
const (
	// skipped does nothing, and no error is returned.
	skipped = `mutantSkip($ON, func() error { return $OLD })`
	// skippedCall is skipped for a call that returns nothing.
	skippedCall = `mutantSkip($ON, func() error { $OLD; return nil })`
	// keepsPassword replaces replacePassword by what ends all that rests on the former password.
	keepsPassword = `mutantIf($ON, func(ctx context.Context, tx Store, id, _ string, keep kept) error {
		return s.shutOut(ctx, tx, id, keep)
	}, $OLD)`
	// noOption is an option of a route that does nothing.
	noOption = `mutantIf($ON, func(*route) {}, $OLD)`
	// callsNothingOff replaces endFactorReset by nothing.
	callsNothingOff = `mutantIf($ON, func(context.Context, Store, Credentials) (bool, error) { return false, nil }, $OLD)`
	// keepsSessions replaces replacePassword by what ends everything else.
	keepsSessions = `mutantIf($ON, func(ctx context.Context, tx Store, id, hash string, _ kept) error {
		if err := tx.SetPassword(ctx, id, hash); err != nil {
			return err
		}
		if err := tx.RaiseGeneration(ctx, id); err != nil {
			return err
		}
		return tx.VoidResets(ctx, id)
	}, $OLD)`
)

// withoutMutant are the attacks of which nothing can be removed that keeps them off, with the reason.
func withoutMutant() map[string]string {
	return map[string]string{
		"An unproven account claims a forwarded receipt and wants the address proven by it": "nothing of claims knows of proofs",
		"The page shows invitation A, the token redeems B":                                  "nothing but the token names an invitation",
		"An invitation is adopted at sign-in because the address matches":                   "nothing of sign-in knows of invitations",
		"A program opens every link in a mail":                                              "no route for GET takes the token of a mail",
		"Enumeration by time: sign-in, second steps, forgotten passwords, sign-up, mailed links, a change of address, the mailbox of a provider, invitations": "times are measured, which takes minutes",
	}
}
