// The button behind a link that signs in, in the browser that asked for it. Opening the link does nothing, because
// programs open links before people do.
const clear = () => { for (const name of ["code", "sign-in"]) fault(name, ""); };

at("sign-in").addEventListener("submit", (e) => {
  e.preventDefault();
  clear();
  send(e.target, async () => {
    const answer = await inSteps(() => post("auth/login/email/complete", { token }, undefined, true), true);
    if (!answer) return;
    if (answer.body.error?.code === "INVALID_LINK") return done(t("signInLink.dead"), t("signInLink.deadHow"));
    if (!answer.ok) return fault("sign-in", reason(answer));
    try { localStorage.setItem(signedIn, "1"); } catch { /* the storefront asks then */ }
    location.assign("/");
  });
});

const begin = () => {
  askCode();
  clear();
  if (token) show("sign-in");
  else done(t("link.none"), t("link.noneHow"));
};
onLink(begin);
begin();
