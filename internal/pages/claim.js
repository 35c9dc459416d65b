// choose words the form for what it does: with a token it claims the orders,
// without one it requests a mail with a token.
const choose = () => {
  at("intro").textContent = token
    ? "Sign in to add the orders that were placed with your e-mail address, but without an account, to your account."
    : "Did you buy without an account, or before you had one? Sign in to the account with the same e-mail address. You will get a mail with a link that adds your orders to it.";
  at("send").textContent = token ? "Claim orders" : "Send the mail";
};
const clear = () => { for (const name of ["email", "password", "claim"]) fault(name, ""); };
const finish = (title, text) => {
  at("password").value = "";
  done(title, text);
};

const claim = async (access) => {
  const answer = await post("api/marketplace/orders/claim", { token }, access);
  if (answer.ok) {
    const n = answer.body.claimed;
    return finish(n === 1 ? "One order claimed" : `${n} orders claimed`, "Your orders and licenses are now in your account.");
  }
  fault("claim", reason(answer));
  if (answer.body.error !== "INVALID_CLAIM_TOKEN") return;
  token = "";
  choose();
  fault("claim", "This link no longer works, or was sent to another account. A link works once, for one hour. Request a new mail here.");
};
const ask = async (access) => {
  const answer = await post("api/marketplace/orders/claim-request", undefined, access);
  if (answer.ok) finish("Check your mailbox", answer.body.message);
  else fault("claim", reason(answer));
};

at("claim").addEventListener("submit", (e) => {
  e.preventDefault();
  clear();
  const email = at("email").value.trim(), password = at("password").value;
  if (!email) return refuse("email", "Enter the e-mail address of your account.");
  if (!password) return refuse("password", "Enter your password.");
  send(e.target, async () => {
    const login = await post("auth/login", { email, password });
    if (!login.ok) return fault("claim", reason(login));
    const access = login.body.data.access_token;
    await (token ? claim : ask)(access);
    await post("auth/logout", undefined, access); // the session was needed for this request only
  });
});

const begin = () => {
  clear();
  choose();
  show("claim");
};
onLink(begin);
begin();
