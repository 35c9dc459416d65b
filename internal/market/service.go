package market

// Service is the whole shop.
type Service struct {
	*CatalogService
	*LicenseService
	*OrderService
	*ReviewService

	Catalogue Catalogue
	Sales     Sales
	Licenses  Licenses
	Orders    Orders
	Reviews   Reviews
	Keys      *Keys
}
