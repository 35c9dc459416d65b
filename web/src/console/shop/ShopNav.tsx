import { SubNav } from "../kit/SubNav";
import { t } from "../text";

const lists = ["products", "orders", "licenses", "reviews", "media"] as const;

// ShopNav leads to the lists of the shop.
export const ShopNav = () => (
  <SubNav
    label={t("shop.title")}
    entries={lists.map((list) => ({ to: `/shop/${list}`, title: t(`shop.nav.${list}`) }))}
  />
);
