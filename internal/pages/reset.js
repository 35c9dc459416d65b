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
    for (const part of ["choose", "ask", "done"]) at(part).hidden = part !== id;
    const heading = at(id).querySelector("h1");
    document.title = heading.textContent;
    heading.focus();
  };
  const done = (title, text) => {
    at("done-title").textContent = title;
    show("done");
    at("done-text").textContent = text;
  };
  const fault = (form, field, text) => {
    at(form + "-error").textContent = text;
    if (text) { field.setAttribute("aria-invalid", "true"); field.focus(); } else field.removeAttribute("aria-invalid");
  };
  const say = {
    network: "The server cannot be reached. Check your connection and try again.",
    later: "Something went wrong on our side. Try again in a moment.",
  };

  // send posts body and calls ok, or failed with the error's code and message.
  const send = async (form, path, body, ok, failed) => {
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      const res = await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
        credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer",
      });
      const answer = await res.json().catch(() => ({}));
      if (res.ok) ok(answer);
      else failed(answer.error?.code, res.status < 500 && answer.error?.message || say.later);
    } catch {
      failed("", say.network);
    } finally {
      button.disabled = false;
    }
  };

  at("show").addEventListener("change", (e) => { at("password").type = e.target.checked ? "text" : "password"; });

  at("choose").addEventListener("submit", (e) => {
    e.preventDefault();
    const field = at("password");
    fault("choose", field, "");
    if (!field.value) return fault("choose", field, "Enter a new password.");
    send(e.target, "auth/reset-password", { token, newPassword: field.value },
      () => { field.value = ""; done("Password changed", "You can now sign in with your new password. You have been signed out everywhere."); },
      (code, message) => {
        if (code !== "INVALID_RESET_TOKEN") return fault("choose", field, message.replaceAll("newPassword", "The new password"));
        field.value = "";
        show("ask");
        at("ask-error").textContent = "The link does not work any more: links work once, for 30 minutes. Ask for a new one here.";
      });
  });

  at("ask").addEventListener("submit", (e) => {
    e.preventDefault();
    const field = at("email");
    fault("ask", field, "");
    if (!field.value.trim()) return fault("ask", field, "Enter your e-mail address.");
    send(e.target, "auth/forgot-password", { email: field.value.trim() },
      (answer) => done("Look into your mailbox", answer.message),
      (code, message) => fault("ask", field, code === "VALIDATION_ERROR" ? "Enter an e-mail address, like name@example.com." : message));
  });

  // A link that is opened where the page is shown already loads nothing.
  addEventListener("hashchange", () => {
    const found = takeToken();
    if (!found) return;
    token = found;
    fault("choose", at("password"), "");
    show("choose");
  });
  show(token ? "choose" : "ask");
})();
