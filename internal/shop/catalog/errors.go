package catalog

import (
	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
)

// Errors of Service.
var (
	ErrSlugTaken = errs.New(errs.Conflict, "CONFLICT", "There is a product with this slug already.")
	ErrSold      = errs.New(errs.Conflict, "CONFLICT",
		"The product has been sold, so licenses depend on it. Set published to false to stop selling it.")
	ErrStale = errs.New(errs.Stale, "PRECONDITION_FAILED",
		"The product was changed in the meantime. Read it again and repeat the change.")
	ErrExportTooLarge = errs.New(errs.Conflict, "CONFLICT",
		"The catalog would be larger than the %d MiB that an import accepts, so nothing was written. "+
			"Back up the database instead.", product.MaxCatalog>>20)
	// ErrPictureUsed has the names of the first maxNamed products that show the picture in
	// details.products, and the number of all in details.total.
	ErrPictureUsed = errs.New(errs.Conflict, "CONFLICT",
		"Products show this picture. Give them another one first. details.products names them.")
	ErrNoPicture       = errs.New(errs.NotFound, "NOT_FOUND", "There is no such picture.")
	ErrPictureTooLarge = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The picture is larger than 2 MiB.")
)
