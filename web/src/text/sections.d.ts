// The sections of the catalog of texts, as vite.config.ts serves them.
type Catalog = typeof import("../../texts/en.json");

declare module "*?section=common" {
  const section: Catalog["common"];
  export default section;
}
declare module "*?section=common&without=close,loading,theme,testMode,testModeHow,skip,signOut" {
  const section: Omit<
    Catalog["common"],
    "close" | "loading" | "theme" | "testMode" | "testModeHow" | "skip" | "signOut"
  >;
  export default section;
}
declare module "*?section=shop&without=catalog,product,missing,top,foot,testMode,noScript,subscription,account,license,step,mailed,standIn,elsewhere,discount,handoff,paid,plan,trial,order,orders,licenses,signIn" {
  const section: Omit<
    Catalog["shop"],
    | "catalog"
    | "product"
    | "missing"
    | "top"
    | "foot"
    | "testMode"
    | "noScript"
    | "subscription"
    | "account"
    | "license"
    | "step"
    | "mailed"
    | "standIn"
    | "elsewhere"
    | "discount"
    | "handoff"
    | "paid"
    | "plan"
    | "order"
    | "orders"
    | "licenses"
    | "signIn"
  >;
  export default section;
}
declare module "*?section=shop&only=subscription" {
  const section: Pick<Catalog["shop"], "subscription">;
  export default section;
}
declare module "*?section=shop&only=account,license" {
  const section: Pick<Catalog["shop"], "account" | "license">;
  export default section;
}
declare module "*?section=shop&only=mailed" {
  const section: Pick<Catalog["shop"], "mailed">;
  export default section;
}
declare module "*?section=shop&only=standIn" {
  const section: Pick<Catalog["shop"], "standIn">;
  export default section;
}
declare module "*?section=shop&only=step" {
  const section: Pick<Catalog["shop"], "step">;
  export default section;
}
declare module "*?section=shop&only=discount" {
  const section: Pick<Catalog["shop"], "discount">;
  export default section;
}
declare module "*?section=shop&only=order,orders,licenses" {
  const section: Pick<Catalog["shop"], "order" | "orders" | "licenses">;
  export default section;
}
declare module "*?section=shop&only=handoff" {
  const section: Pick<Catalog["shop"], "handoff">;
  export default section;
}
declare module "*?section=shop&only=trial" {
  const section: Pick<Catalog["shop"], "trial">;
  export default section;
}
declare module "*?section=shop&only=signIn" {
  const section: Pick<Catalog["shop"], "signIn">;
  export default section;
}
declare module "*?section=shop&only=paid" {
  const section: Pick<Catalog["shop"], "paid">;
  export default section;
}
declare module "*?section=shop&only=plan" {
  const section: Pick<Catalog["shop"], "plan">;
  export default section;
}
declare module "*?section=shop&only=elsewhere" {
  const section: Pick<Catalog["shop"], "elsewhere">;
  export default section;
}
declare module "*?section=errors" {
  const section: Catalog["errors"];
  export default section;
}
declare module "*?section=errors&without=console" {
  const section: Omit<Catalog["errors"], "console">;
  export default section;
}
declare module "*?section=console" {
  const section: Catalog["console"];
  export default section;
}
declare module "*?section=console&without=markets" {
  const section: Omit<Catalog["console"], "markets">;
  export default section;
}
declare module "*?section=console&only=markets" {
  const section: Pick<Catalog["console"], "markets">;
  export default section;
}
declare module "*?section=console&only=session" {
  const section: Pick<Catalog["console"], "session">;
  export default section;
}
