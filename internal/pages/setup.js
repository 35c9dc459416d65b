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
    for (const part of ["setup", "done", "lost"]) at(part).hidden = part !== id;
    at(id).querySelector("h1").focus();
  };
  const lost = (text) => { show("lost"); at("lost-text").textContent = text; };
  const fields = ["email", "username", "password"];
  const fault = (name, text) => {
    at(name + "-error").textContent = text;
    const field = fields.includes(name) && at(name);
    if (!field) return;
    if (text) field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
  };
  const label = { email: "The e-mail address", username: "The username", password: "The password" };
  const missing = { email: "Enter your e-mail address.", username: "Choose a username.", password: "Choose a password." };

  // failed shows each fault beside its field, and puts the cursor into the first.
  const failed = (error) => {
    for (const issue of error?.details?.issues ?? []) {
      if (fields.includes(issue.path)) fault(issue.path, issue.message.replace(issue.path, label[issue.path]));
      else fault("setup", issue.message);
    }
    const first = fields.find((name) => at(name + "-error").textContent);
    if (first) at(first).focus();
    else fault("setup", error?.message ?? "Something went wrong on our side. Try again in a moment.");
  };

  at("show").addEventListener("change", (e) => { at("password").type = e.target.checked ? "text" : "password"; });

  at("setup").addEventListener("submit", async (e) => {
    e.preventDefault();
    for (const name of [...fields, "setup"]) fault(name, "");
    const body = { token, email: at("email").value.trim(), username: at("username").value.trim(), password: at("password").value };
    const empty = fields.filter((name) => !body[name]);
    if (empty.length) {
      for (const name of empty) fault(name, missing[name]);
      return at(empty[0]).focus();
    }
    const button = e.target.querySelector("button");
    button.disabled = true;
    try {
      const res = await fetch("auth/setup", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
        credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer",
      });
      const answer = await res.json().catch(() => ({}));
      if (res.ok) {
        at("password").value = "";
        at("done-title").textContent = document.title = "stoa is ready";
        show("done");
        at("done-text").textContent = `${answer.data.user.email} is the administrator. Sign in with the password you chose.`;
      } else if (res.status === 404) lost(answer.error.message);
      else failed(res.status < 500 ? answer.error : undefined);
    } catch {
      fault("setup", "The server cannot be reached. Check your connection and try again.");
    } finally {
      button.disabled = false;
    }
  });

  // A link that is opened where the page is shown already loads nothing.
  addEventListener("hashchange", () => {
    const found = takeToken();
    if (!found) return;
    token = found;
    for (const name of [...fields, "setup"]) fault(name, "");
    show("setup");
  });
  if (token) show("setup");
  else lost("The address is not complete. Copy the whole link that stoa printed, with everything after the #.");
})();
