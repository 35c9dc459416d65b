// Package rewrap replaces the master key of a database while stoa runs (docs/keys.md): every
// process learns the new key, then all of them seal with it, then all values sealed with the old
// key are sealed again, in small batches.
//
// Member is the part of each process, Rewrap that of the operator's command. They coordinate
// through the database: the setting master_key_check proves which key seals, and the setting
// master_key_rewrap exists while values may be sealed with the old one.
//
// It knows which columns are sealed, and for which purpose. It does not know what the values mean,
// except for license keys, whose hashes also depend on the master key. Package seal has the keys of
// a process, package masterkey reads them.
package rewrap
