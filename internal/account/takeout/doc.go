// Package takeout makes copies of what there is about a user, for the user or an administrator to download
// (contract 2.33). What goes into a copy is its Source's; where the archives are kept is its Files'.
//
// A copy is asked for in a row of the database, and made in the background by the process on duty. A process that is
// killed leaves the row, and another one makes the copy anew. Archives are sealed: they have keys of licenses.
package takeout
