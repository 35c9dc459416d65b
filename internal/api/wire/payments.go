package wire

import (
	"net/http"

	"stoa/internal/shop/order"
)

// TellPayments marks an answer that shows orders, if orders settle purchases without
// money: nobody should take such an order for a sale.
func TellPayments(w http.ResponseWriter, orders *order.Service) {
	if orders.TestPayments() {
		w.Header().Set("X-Stoa-Payments", "test")
	}
}
