package demo

// StartOfSales is startOf, for tests.
var StartOfSales = startOf
