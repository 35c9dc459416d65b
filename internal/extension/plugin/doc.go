// Package plugin owns what the platform knows about plugins: the manifest a
// package carries, the packages that are installed, their configured instances,
// the rules for configuration and permissions, and each package's signing
// secret.
//
// It does not read archives (package extension/archive) or write package files
// (package extension/install): they ask its Registry what is special about
// plugins. It does not run plugins (package run) or route requests to them
// (package gateway).
package plugin
