// Package leave lets people go: it plans the deletion of accounts, calls it off with the link that was mailed, carries
// it out when it is due, and blanks the bills of those who left in their time (contract 2.34).
//
// That nobody signs in to an account whose deletion is planned is the rule of package account, which the Store of both
// holds: account.User.Active is false.
package leave
