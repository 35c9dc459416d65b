// Package themeapp runs theme apps (contract 4.17): each in a contained Node.js process of
// its own, as an ordinary HTTP server that listens at HOST and PORT. The active apps are
// kept running, on every replica; others start at the first call and end when no
// call comes any more. A process that fails is started again, after delays that grow.
// None outlives stoa.
//
// A process runs one version of an app with one config (theme.App.Key). So a new version
// runs beside the old one until it is healthy and calls come to it.
//
// The package looks nothing up and does not decide which app is active (package theme) or
// what an app gets to see of a request (package api/themes). How the process is
// contained and watched is package run/child.
package themeapp
