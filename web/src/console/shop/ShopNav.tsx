import { SubNav } from "../kit/SubNav";
import { t } from "../text";
import { shopPages } from "./pages";

// ShopNav leads to the lists of the shop.
export const ShopNav = () => <SubNav label={t("shop.title")} entries={shopPages} />;
