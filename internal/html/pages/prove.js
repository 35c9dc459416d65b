// The form behind a link that works in a session of its account only: path is what it calls. Whoever
// is not signed in does that here, for this request only.
let access, own = false; // own: the session is the storefront's

// split takes the second token of a link, which shuts the account, from the first.
const split = () => {
  const [first, second] = token.split(".");
  token = first;
  const other = at("not-me");
  if (!other) return;
  other.hidden = !second;
  other.querySelector("a").href = "/disown#" + (second ?? "");
};
const clear = () => { for (const name of ["email", "password", "code", "prove"]) fault(name, ""); };
const ask = () => { at("sign-in").hidden = false; };

// resume takes up the storefront's session in this browser, if there is one.
const resume = async () => {
  if (!kept(signedIn)) return;
  const answer = await post("auth/refresh", undefined, undefined, true);
  if (answer.ok) access = answer.body.data.access_token;
  own = answer.ok;
};

// enter signs in with what was typed, and reports whether that worked.
const enter = async () => {
  const email = at("email").value.trim(), password = at("password").value;
  if (!email) return refuse("email", t("link.noEmail"));
  if (!password) return refuse("password", t("link.noPassword"));
  const login = await signIn(email, password);
  if (!login) return;
  if (!login.ok) return fault("prove", reason(login));
  access = login.body.data.access_token;
  own = false;
};

at("prove").addEventListener("submit", (e) => {
  e.preventDefault();
  clear();
  send(e.target, async () => {
    if (!at("sign-in").hidden) await enter();
    if (!access) return;
    const answer = await post(path, { token }, access);
    if (!own) await post("auth/logout", undefined, access);
    if (answer.ok) {
      at("password").value = "";
      return done(t("prove.done"), t("prove.doneHow"));
    }
    access = undefined; // another account's, perhaps
    ask();
    fault("prove", answer.body.error?.code === "INVALID_LINK" ? t("link.old") : reason(answer));
  });
});

const begin = async () => {
  askCode();
  split();
  clear();
  if (!token) return done(t("link.none"), t("link.noneHow"));
  await resume().catch(() => {});
  at("sign-in").hidden = !!access;
  show("prove");
};
onLink(begin);
begin();
