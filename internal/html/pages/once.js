// The button behind a link that needs nothing else: path is what it calls. Opening the link does
// nothing, because programs open links before people do.
at("once").addEventListener("submit", (e) => {
  e.preventDefault();
  fault("once", "");
  send(e.target, async () => {
    const answer = await post(path, { token });
    if (answer.ok) return done(t("once.done"), t("once.doneHow"));
    fault("once", answer.body.error?.code === "INVALID_LINK" ? t("link.dead") : reason(answer));
  });
});

const begin = () => {
  fault("once", "");
  if (token) show("once");
  else done(t("link.none"), t("link.noneHow"));
};
onLink(begin);
begin();
