// The pages of an account: what a purchase does not need.
import { later } from "./later";
import type { Params } from "./router";

// The account itself is in a part of its own: who looks at orders does not load it.
const loadAccount = () => import("./account/AccountPage");
const Account = later<Params>(loadAccount, "AccountPage");
if (location.pathname.startsWith("/account")) void loadAccount().catch(() => undefined);

export const AccountPage = (params: Params) => <Account {...params} />;
export { LicensePage } from "./LicensePage";
export { LicensesPage } from "./LicensesPage";
export { OrdersPage } from "./OrdersPage";
