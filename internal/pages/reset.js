at("choose").addEventListener("submit", (e) => {
  e.preventDefault();
  const field = at("password");
  fault("choose", "");
  if (!field.value) return refuse("choose", "Enter a new password.");
  send(e.target, async () => {
    const answer = await post("auth/reset-password", { token, newPassword: field.value });
    if (!answer.ok && answer.body.error?.code !== "INVALID_RESET_TOKEN") return refuse("choose", reason(answer).replaceAll("newPassword", "The new password"));
    field.value = "";
    if (answer.ok) return done("Password changed", "You can now sign in with your new password. You have been signed out everywhere.");
    show("ask");
    at("ask-error").textContent = "This link no longer works. A link works once, for 30 minutes. Request a new one here.";
  });
});

at("ask").addEventListener("submit", (e) => {
  e.preventDefault();
  const email = at("email").value.trim();
  fault("ask", "");
  if (!email) return refuse("ask", "Enter your e-mail address.");
  send(e.target, async () => {
    const answer = await post("auth/forgot-password", { email });
    if (answer.ok) done("Check your mailbox", answer.body.message);
    else refuse("ask", answer.body.error?.code === "VALIDATION_ERROR" ? "Enter an e-mail address, like name@example.com." : reason(answer));
  });
});

onLink(() => {
  fault("choose", "");
  show("choose");
});
show(token ? "choose" : "ask");
