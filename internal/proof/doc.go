// Package proof holds what the licenses promise against whole stoa processes:
// several of them over one database, many clients, and processes that are killed
// in the middle.
//
//   - No license is ever activated more often than it allows, however many race
//     for its last seat (race_test.go).
//   - Activating, deactivating, verifying and revoking are linearizable: every
//     recorded history can be put into an order in which each answer is the one
//     that a single program would have given (history_test.go, model_test.go).
//   - What was answered survives kill -9, and nothing is left half done
//     (kill_test.go).
//
// The tests build stoa themselves. With STOA_PROOF=10 they do ten times as much,
// and with STOA_PROOF_SEED the number that a failed run printed makes the clients
// do what they did then; which of them was faster, a seed does not decide. README.md
// tells which faults they were seen to catch.
package proof
