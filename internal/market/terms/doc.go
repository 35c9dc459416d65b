// Package terms has what two stoas agree on when one installs packages of the other: the
// addresses and names of files, the shapes of what they hold, how long metadata is good, and how
// large it may be.
//
// It does no I/O and signs nothing.
package terms
