// Package audit owns the audit log: who did what to what, when and from where.
// The log is append-only. Nothing here changes or removes an entry, and the
// database refuses to.
//
// An operation is recorded where it is decided: a domain's Service calls Record
// of its own Store inside the transaction that makes the change. Package store
// gives every domain's Store the same Record, bound to the same transaction. So
// there is no change without its entry, and no entry of a change that was undone.
// Operations that change nothing leave no entry.
//
// Who is acting travels in the context: the caller of the request (package
// caller), or what As put there for a command. This package sits below the
// domains and knows none of them.
package audit
