// choose words the form for what it does: with a token it claims the orders,
// without one it requests a mail with a token.
const choose = () => {
  at("claim-error").before(at("second-step")); // a receipt's form may have it
  at("intro").textContent = token
    ? t("claim.how")
    : t("claim.askHow");
  at("send").textContent = t(token ? "claim.send" : "claim.ask");
};
const clear = () => { for (const name of ["email", "password", "code", "claim"]) fault(name, ""); };
const plurals = new Intl.PluralRules(document.documentElement.lang);
const count = (key, n) => t(words[`${key}.${plurals.select(n)}`] ? `${key}.${plurals.select(n)}` : `${key}.other`, { n });
const finish = (title, text) => {
  at("password").value = "";
  done(title, text);
};

const claim = async (access) => {
  const answer = await post("api/marketplace/orders/claim", { token }, access);
  if (answer.ok) {
    const n = answer.body.claimed;
    return finish(count("claim.claimed", n), t("claim.claimedHow"));
  }
  fault("claim", reason(answer));
  if (answer.body.error !== "INVALID_CLAIM_TOKEN") return;
  token = "";
  choose();
  fault("claim", t("claim.old"));
};
const ask = async (access) => {
  const answer = await post("api/marketplace/orders/claim-request", undefined, access);
  if (answer.ok) finish(t("mailbox"), t("claim.sent"));
  else fault("claim", reason(answer));
};

at("claim").addEventListener("submit", (e) => {
  e.preventDefault();
  clear();
  const email = at("email").value.trim(), password = at("password").value;
  if (!email) return refuse("email", t("claim.noEmail"));
  if (!password) return refuse("password", t("claim.noPassword"));
  send(e.target, async () => {
    const login = await signIn(email, password);
    if (!login) return;
    if (!login.ok) return fault("claim", reason(login));
    const access = login.body.data.access_token;
    await (token ? claim : ask)(access);
    await post("auth/logout", undefined, access); // the session was needed for this request only
  });
});

const begin = async () => {
  askCode();
  if (token && await offer().catch(() => false)) return;
  clear();
  choose();
  show("claim");
};
onLink(begin);
begin();
