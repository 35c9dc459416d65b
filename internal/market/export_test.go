package market

// TakeChurn lets the tests count new instances without a database.
var TakeChurn = ChurnLimit.take //nolint:gochecknoglobals // for tests
