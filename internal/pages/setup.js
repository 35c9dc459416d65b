const lost = (text) => { reveal("lost"); at("lost-text").textContent = text; };

onCreate("setup", async (body) => {
  const answer = await post("auth/setup", { token, ...body });
  if (answer.status === 404) return lost(answer.body.error.message);
  if (!answer.ok) return failed("setup", answer);
  at("password").value = "";
  done("stoa is ready", `${answer.body.data.user.email} is the administrator. Sign in with the password you chose.`);
});

onLink(() => {
  clear("setup");
  reveal("setup");
});
if (token) reveal("setup");
else lost("The address is incomplete. Copy the whole link that stoa printed, including everything after the #.");
