const lost = (text) => { reveal("lost"); at("lost-text").textContent = text; };

onCreate("setup", async (body) => {
  const answer = await post("auth/setup", { token, ...body });
  if (answer.status === 404) return lost(t("setup.lostHow"));
  if (!answer.ok) return failed("setup", answer);
  at("password").value = "";
  done(t("setup.done"), t("setup.doneHow", { email: answer.body.data.user.email }));
});

onLink(() => {
  clear("setup");
  reveal("setup");
});
if (token) reveal("setup");
else lost(t("setup.incomplete"));
