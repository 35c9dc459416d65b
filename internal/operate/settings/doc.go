// Package settings owns what an operator may set: one table of flags and environment variables, the
// types that hold their values, and the rules that a command line must follow.
//
// A setting is a row of the table, with its sentence, default and bounds, and a field of the same name
// in one of the types. The help of the command line and docs/config.md are made of the table; tests
// compare the chart, compose and the systemd unit with it.
//
// It does not know what the settings do: package app turns them into a running stoa. Nothing here
// opens a file, a database or a connection.
package settings
