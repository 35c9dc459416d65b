at("choose").addEventListener("submit", (e) => {
  e.preventDefault();
  const field = at("password");
  fault("choose", "");
  if (!field.value) return refuse("choose", t("reset.none"));
  send(e.target, async () => {
    const answer = await post("auth/reset-password", { token, newPassword: field.value });
    if (!answer.ok && answer.body.error?.code !== "INVALID_RESET_TOKEN") {
      const faults = answer.body.error?.details?.issues?.map((issue) => wrong(issue, t("reset.itsName")));
      return refuse("choose", faults?.join(" ") || reason(answer));
    }
    field.value = "";
    if (answer.ok) return done(t("reset.changed"), t("reset.changedHow"));
    show("ask");
    at("ask-error").textContent = t("reset.old");
  });
});

at("ask").addEventListener("submit", (e) => {
  e.preventDefault();
  const email = at("email").value.trim();
  fault("ask", "");
  if (!email) return refuse("ask", t("reset.noEmail"));
  send(e.target, async () => {
    const answer = await post("auth/forgot-password", { email });
    if (answer.ok) done(t("mailbox"), t("reset.sent"));
    else refuse("ask", answer.body.error?.code === "VALIDATION_ERROR" ? t("reset.badEmail") : reason(answer));
  });
});

onLink(() => {
  fault("choose", "");
  show("choose");
});
show(token ? "choose" : "ask");
