package catalog

import (
	"stoa/internal/errs"
	"stoa/internal/market/product"
)

// Errors of Service.
var (
	ErrSlugTaken       = errs.New(errs.Conflict, "CONFLICT", "There is a product with this slug already.")
	ErrSold            = errs.New(errs.Conflict, "CONFLICT", "The product has been sold, so that licences depend on it. Set published to false to take it off the shelf.")
	ErrStale           = errs.New(errs.Stale, "PRECONDITION_FAILED", "The product was changed in the meantime. Read it again and repeat the change.")
	ErrExportTooLarge  = errs.New(errs.Conflict, "CONFLICT", "The catalogue would have more than %d MiB, which is what an import takes. Nothing was written, for it could not be read back. Keep a copy of the database instead.", product.MaxCatalog>>20)
	ErrPictureTooLarge = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The picture is larger than 2 MiB.")
)
