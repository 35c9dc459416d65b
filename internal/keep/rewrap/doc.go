// Package rewrap replaces the master key of a database while stoa runs (docs/keys.md): every
// process learns the new key, then all of them seal with it, then everything that was sealed
// with the old one is sealed again, in small batches.
//
// Member is what each process does. Rewrap is what the operator's command does. What they
// agree on is in the database: the setting master_key_check proves which key seals, and the
// setting master_key_rewrap exists while values may be sealed with the old one.
//
// It knows which columns are sealed, and for what. It does not know what the values mean,
// except for license keys, whose hashes depend on the master key too. Package seal has the
// keys of a process, package masterkey where they come from.
package rewrap
