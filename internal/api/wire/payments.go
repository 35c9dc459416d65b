package wire

import (
	"net/http"

	"stoa/internal/shop/order"
)

// MarkPayments marks an answer that shows orders if they are settled without money, so that they are not
// taken for sales.
func MarkPayments(w http.ResponseWriter, orders *order.Service) {
	if orders.TestPayments() {
		w.Header().Set("X-Stoa-Payments", "test")
	}
}
