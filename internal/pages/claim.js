"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  // takeToken takes the token out of the address, which is a secret: it must not
  // stay in the address bar or the history.
  const takeToken = () => {
    const found = location.hash.slice(1);
    if (found) history.replaceState(null, "", location.pathname);
    return found;
  };
  let token = takeToken();

  const show = (id) => {
    for (const part of ["claim", "done"]) at(part).hidden = part !== id;
    const heading = at(id).querySelector("h1");
    document.title = heading.textContent;
    heading.focus();
  };
  // choose says what the form does: with a token it claims, without one it has
  // a mail with a token sent.
  const choose = () => {
    at("intro").textContent = token
      ? "Sign in to your account, and the orders that were placed without it, with your e-mail address, become the account's."
      : "Did you buy without an account, or before you had one? Sign in to the account with the same e-mail address, and you get a mail with a link that brings your orders into it.";
    at("send").textContent = token ? "Claim orders" : "Send the mail";
  };
  const done = (title, text) => {
    at("password").value = "";
    at("done-title").textContent = title;
    show("done");
    at("done-text").textContent = text;
  };
  const fault = (name, text) => {
    at(name + "-error").textContent = text;
    if (name === "claim") return;
    if (text) { at(name).setAttribute("aria-invalid", "true"); at(name).focus(); } else at(name).removeAttribute("aria-invalid");
  };

  const send = async (path, access, body) => {
    const headers = { "Content-Type": "application/json" };
    if (access) headers.Authorization = "Bearer " + access;
    const res = await fetch(path, {
      method: "POST", headers, body: body && JSON.stringify(body),
      credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer",
    });
    return { ok: res.ok, status: res.status, body: await res.json().catch(() => ({})) };
  };
  const reason = (answer) => answer.status < 500 && (answer.body.error?.message ?? answer.body.message) || "Something went wrong on our side. Try again in a moment.";

  const claim = async (access) => {
    const answer = await send("api/marketplace/orders/claim", access, { token });
    if (answer.ok) {
      const n = answer.body.claimed;
      return done(n === 1 ? "One order claimed" : `${n} orders claimed`, "You find your orders and licences in your account.");
    }
    fault("claim", reason(answer));
    if (answer.body.error !== "INVALID_CLAIM_TOKEN") return;
    token = "";
    choose();
    fault("claim", "The link does not work any more, or it was sent to another account: links work once, for one hour. Have a new mail sent here.");
  };
  const ask = async (access) => {
    const answer = await send("api/marketplace/orders/claim-request", access);
    if (answer.ok) done("Look into your mailbox", answer.body.message);
    else fault("claim", reason(answer));
  };

  at("show").addEventListener("change", (e) => { at("password").type = e.target.checked ? "text" : "password"; });

  at("claim").addEventListener("submit", async (e) => {
    e.preventDefault();
    for (const name of ["email", "password", "claim"]) fault(name, "");
    if (!at("email").value.trim()) return fault("email", "Enter the e-mail address of your account.");
    if (!at("password").value) return fault("password", "Enter your password.");
    at("send").disabled = true;
    try {
      const login = await send("auth/login", "", { email: at("email").value.trim(), password: at("password").value });
      if (!login.ok) return fault("claim", reason(login));
      const access = login.body.data.access_token;
      await (token ? claim : ask)(access);
      await send("auth/logout", access); // the page keeps nobody signed in
    } catch {
      fault("claim", "The server cannot be reached. Check your connection and try again.");
    } finally {
      at("send").disabled = false;
    }
  });

  const begin = () => {
    for (const name of ["email", "password", "claim"]) fault(name, "");
    choose();
    show("claim");
  };
  // A link that is opened where the page is shown already loads nothing.
  addEventListener("hashchange", () => {
    const found = takeToken();
    if (!found) return;
    token = found;
    begin();
  });
  begin();
})();
