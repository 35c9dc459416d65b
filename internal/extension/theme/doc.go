// Package theme owns what the platform knows about themes: their manifests, the
// versions that are installed side by side, and which of them the shop and the
// administration show, with its config. A theme is a pack of files or an app, which is
// a program.
//
// It does not read archives (package extension/archive) or write files (package
// extension/install): they ask its Registry what is special about themes. It does
// not run apps (package run/themeapp, which it calls as Apps) or serve anything
// (package api/themes).
package theme
