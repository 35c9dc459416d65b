// Package proof tests the guarantees of licenses and accounts with whole stoa processes: several
// of them over one database, with many clients, and some killed while they work.
//
//   - No license ever has more instances than it allows, however many race for its last
//     seat (race_test.go).
//   - Activating, deactivating, verifying and revoking are linearizable: the requests of
//     every recorded history have an order in which a single program would have given
//     the same answers (history_test.go, model_test.go).
//   - Whatever was answered survives kill -9, and nothing is left half done
//     (kill_test.go, account_kill_test.go).
//   - What may happen once to an account happens once (account_race_test.go).
//
// The tests build stoa themselves. Without STOA_PROOF, as in make test, only those run that take
// seconds. STOA_PROOF=short does a tenth of what make proof does with STOA_PROOF=1, and
// STOA_PROOF=10 ten times as much; make proof-short has both of the former.
// STOA_PROOF_SEED, with the number printed by a failed run, makes the clients send the
// same requests again; their timing is not repeated. README.md lists faults that the
// tests have caught.
package proof
