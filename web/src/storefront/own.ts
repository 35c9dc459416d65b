// The pages of an account: what a purchase does not need.
export { AccountPage } from "./AccountPage";
export { LicensePage } from "./LicensePage";
export { LicensesPage } from "./LicensesPage";
export { OrdersPage } from "./OrdersPage";
