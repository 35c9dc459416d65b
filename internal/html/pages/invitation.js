// The form behind the link of an invitation. What it says comes from the token alone, so that it is what the token gives.
// Opening the link does nothing, because programs open links before people do.
let known = false; // whether it is accepted in the session of an account
let access; // of the storefront's session in this browser, if there is one

const forget = () => { for (const name of ["username", "password", "code", "invitation"]) fault(name, ""); };
const dead = () => done(t("invitation.dead"), t("invitation.deadHow"));

// resume takes up the storefront's session, if there is one. Whether it is that of the account which is invited is for
// the server to say, which knows what one mailbox is.
const resume = async () => {
  if (!kept(signedIn)) return;
  const answer = await post("auth/refresh", undefined, undefined, true);
  if (answer.ok) access = answer.body.data.access_token;
};

// word words the form: for whoever is signed in, for an account that exists, or for a new one.
const word = () => {
  const key = access ? "own" : known ? "known" : "new";
  at("invitation-how").textContent = t(`invitation.${key}`);
  at("invitation-send").textContent = t(`invitation.${key}Send`);
  at("sign-in").hidden = !!access;
  at("new-name").hidden = known;
  at("otherwise").hidden = !known;
  at("password").autocomplete = known ? "current-password" : "new-password";
  if (at("password-rules")) at("password-rules").hidden = known;
};

const welcome = () => {
  at("password").value = "";
  try { localStorage.setItem(signedIn, "1"); } catch { /* the storefront asks then */ }
  location.assign("/console");
};

const refused = (answer) => {
  if (answer.body.error?.code === "INVALID_LINK") return dead();
  for (const issue of answer.body.error?.details?.issues ?? []) {
    const name = ["username", "password"].includes(issue.path) ? issue.path : "invitation";
    fault(name, wrong(issue, name === issue.path && t(`account.${name}`)));
  }
  const first = ["username", "password"].find((name) => at(name + "-error").textContent);
  if (first) at(first).focus();
  else fault("invitation", reason(answer));
};

// enter signs in to the account that exists, and keeps the session.
const enter = async (password) => {
  const login = await signIn(at("email").value, password, true);
  if (!login) return false;
  if (!login.ok) fault("invitation", reason(login));
  else access = login.body.data.access_token;
  return login.ok;
};

const accept = async () => {
  const password = at("password").value, username = at("username").value.trim();
  if (known) {
    if (!access && !password) return refuse("password", t("link.noPassword"));
    if (!access && !(await enter(password))) return;
  } else {
    if (!username) return refuse("username", t("account.noUsername"));
    if (!password) return refuse("password", t("account.noPassword"));
  }
  const body = known ? { token } : { token, username, password };
  const answer = await post("auth/invitations/accept", body, access, true);
  if (answer.ok) return welcome();
  // In another session it may work, so ask for the password. Otherwise the session stays.
  if (["INVITATION_MISMATCH", "STAFF_METHOD"].includes(answer.body.error?.code)) access = undefined;
  word();
  refused(answer);
};

at("invitation").addEventListener("submit", (e) => {
  e.preventDefault();
  forget();
  send(e.target, accept);
});

const begin = async () => {
  askCode();
  forget();
  access = undefined;
  if (!token) return done(t("link.none"), t("link.noneHow"));
  let answer;
  try {
    answer = await post("auth/invitations/lookup", { token });
  } catch {
    return done(t("link.none"), t("unreachable"));
  }
  if (!answer.ok) return answer.body.error?.code === "INVALID_LINK" ? dead() : done(t("link.none"), reason(answer));
  const { email, role, invitedBy, expiresAt, hasAccount } = answer.body.data;
  known = hasAccount;
  if (known) await resume().catch(() => {});
  at("email").value = email;
  at("invitation-title").textContent = shop ? t("invitation.title", { shop }) : t("invitation.titleShop");
  const until = new Date(expiresAt).toLocaleString(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" });
  at("invitation-what").textContent = t(invitedBy ? "invitation.what" : "invitation.whatNobody", { by: invitedBy, email, role, until });
  word();
  show("invitation");
};
onLink(begin);
begin();
