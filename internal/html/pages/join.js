// The form behind the link in a guest's receipt. The link proves the address, so a password
// is all that it takes to have an account with the order.
let known = false; // whether the address has an account

// offer shows the form if token is of a receipt, and reports whether it is.
const offer = async () => {
  const answer = await post("api/marketplace/orders/claim-link", { token });
  if (!answer.ok) return false;
  at("join-email").value = answer.body.email;
  greet(answer.body.hasAccount);
  show("join");
  return true;
};

// greet words the form for an account that exists, or for a new one.
const greet = (hasAccount) => {
  known = hasAccount;
  at("join-title").textContent = t(known ? "join.known" : "join.title");
  at("join-how").textContent = t(known ? "join.knownHow" : "join.how");
  at("join-label").textContent = t(known ? "join.its" : "join.choose");
  at("join-send").textContent = t(known ? "join.knownSend" : "join.send");
  at("join-password").autocomplete = known ? "current-password" : "new-password";
  at("join-name").hidden = known;
  at("join-name").after(at("second-step"));
  if (at("password-rules")) at("password-rules").hidden = known;
};

// nameFrom makes a username of an address: what stands before the @.
const nameFrom = (email) => email.split("@")[0].replace(/[^\p{L}\p{N}._-]/gu, "-").slice(0, 48).padEnd(3, "-");
const digits = () => String(crypto.getRandomValues(new Uint32Array(1))[0] % 10_000).padStart(4, "0");

// enter signs in (signIn), or registers. A name that nobody typed gives way to one that is free.
const enter = async (email, password, typed) => {
  if (known) return signIn(email, password, true);
  let answer;
  for (let name = typed || nameFrom(email), left = 3; left > 0; left--, name = `${nameFrom(email)}-${digits()}`) {
    answer = await post("auth/register", { email, password, username: name }, undefined, true);
    if (typed || answer.body.error?.code !== "REGISTRATION_FAILED") return answer;
  }
  return answer;
};

const refused = (answer) => {
  for (const issue of answer.body.error?.details?.issues ?? []) {
    if (issue.path === "password") fault("join-password", wrong(issue, t("account.password")));
    else if (issue.path === "username") fault("join-username", wrong(issue, t("join.itsName")));
    else fault("join", wrong(issue));
  }
  const first = ["join-password", "join-username"].find((name) => at(name + "-error").textContent);
  if (first) at(first).focus();
  else fault("join", reason(answer));
};

at("join").addEventListener("submit", (e) => {
  e.preventDefault();
  for (const name of ["join", "join-password", "join-username", "code"]) fault(name, "");
  const email = at("join-email").value, password = at("join-password").value;
  if (!password) return refuse("join-password", t(known ? "claim.noPassword" : "account.noPassword"));
  send(e.target, async () => {
    const answer = await enter(email, password, at("join-username").value.trim());
    if (!answer) return;
    if (!answer.ok) return refused(answer);
    greet(true); // should the rest fail, the account is there
    const claimed = await post("api/marketplace/orders/claim", { token }, answer.body.data.access_token);
    if (!claimed.ok) return fault("join", reason(claimed));
    try { localStorage.setItem(signedIn, "1"); } catch { /* the storefront asks then */ }
    location.assign("/licenses");
  });
});

