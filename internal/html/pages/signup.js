// The form behind the link that makes an account. Opening the link does nothing, because programs open links
// before people do.
onCreate("sign-up", async (body) => {
  const answer = await post("auth/sign-up/complete", { token, ...body }, undefined, true);
  if (answer.body.error?.code === "INVALID_LINK") return done(t("signUp.dead"), t("signUp.deadHow"));
  if (!answer.ok) return failed("sign-up", answer);
  try { localStorage.setItem(signedIn, "1"); } catch { /* the storefront asks then */ }
  location.assign("/");
});

const begin = () => {
  clear("sign-up");
  if (token) show("sign-up");
  else done(t("link.none"), t("link.noneHow"));
};
onLink(begin);
begin();
