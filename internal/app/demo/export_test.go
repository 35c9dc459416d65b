package demo

// SalesBegun is begun, for tests.
var SalesBegun = begun
