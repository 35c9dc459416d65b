// Package bundle owns bundles: archives of other extensions that are installed together,
// set up, or not installed at all (contract 4.18).
//
// It says what a bundle.json means, what a bundle came to, and what a bundle that is
// uninstalled takes along. Package extension/install takes the archives in a bundle to
// installed extensions, and what an item is, its kind decides: nothing here depends on the
// kinds there are.
package bundle
