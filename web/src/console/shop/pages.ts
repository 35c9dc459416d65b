// The lists of the shop, for their menu and for the search box.
import { t } from "../text";

const lists = ["products", "orders", "licenses", "figures", "discounts", "reviews", "media", "mails"] as const;

export const shopPages = lists.map((list) => ({ to: `/shop/${list}`, title: t(`shop.nav.${list}`) }));
