// Package theme owns what the platform knows about theme packs: their manifests, the
// versions that are installed side by side, and which of them the shop and the
// administration show, with its config.
//
// It does not read archives (package extension/archive) or write files (package
// extension/install): its Registry tells those what is special about themes. It does
// not serve the files of packs (package httpapi/theme).
package theme
