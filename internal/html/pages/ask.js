onCreate("register", async (body) => {
  const answer = await post("auth/sign-up", body);
  if (!answer.ok) return failed("register", answer);
  done(t("mailbox"), t("signUp.sent"));
});
