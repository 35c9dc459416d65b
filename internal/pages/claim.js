// choose says what the form does: with a token it claims, without one it has
// a mail with a token sent.
const choose = () => {
  at("intro").textContent = token
    ? "Sign in to your account, and the orders that were placed without it, with your e-mail address, become the account's."
    : "Did you buy without an account, or before you had one? Sign in to the account with the same e-mail address, and you get a mail with a link that brings your orders into it.";
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
    return finish(n === 1 ? "One order claimed" : `${n} orders claimed`, "You find your orders and licenses in your account.");
  }
  fault("claim", reason(answer));
  if (answer.body.error !== "INVALID_CLAIM_TOKEN") return;
  token = "";
  choose();
  fault("claim", "The link does not work any more, or it was sent to another account: links work once, for one hour. Have a new mail sent here.");
};
const ask = async (access) => {
  const answer = await post("api/marketplace/orders/claim-request", undefined, access);
  if (answer.ok) finish("Look into your mailbox", answer.body.message);
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
    await post("auth/logout", undefined, access); // the page keeps nobody signed in
  });
});

const begin = () => {
  clear();
  choose();
  show("claim");
};
onLink(begin);
begin();
