package settings

// Market says whether other stoas may install from this one.
type Market struct {
	Market string
}

var marketRows = []Setting{
	{
		Flag: "market", Env: "STOA_MARKET", Default: "off", Values: "on,off",
		Help: "With on, other stoas may install what the products of this one carry. It needs stoa market init first " +
			"(docs/market.md).",
	},
}
