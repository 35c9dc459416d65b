// Package release owns the packages that products of the market carry: publishing a
// version of a package with a product, and installing it from there.
//
// It says who may install what: a free product is for everybody who administrates this
// stoa, any other needs a license of that product. What an archive may hold, who signed
// it, and how it is installed is decided below package extension.
package release
