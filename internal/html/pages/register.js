onCreate("register", async (body) => {
  const answer = await post("auth/register", body);
  if (!answer.ok) return failed("register", answer);
  at("password").value = "";
  await post("auth/logout", undefined, answer.body.data.access_token); // the page keeps nobody signed in
  done(t("register.done"), t("register.doneHow", { email: answer.body.data.user.email }));
});
