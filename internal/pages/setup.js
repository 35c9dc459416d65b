const lost = (text) => { reveal("lost"); at("lost-text").textContent = text; };
const fields = ["email", "username", "password"];
const label = { email: "The e-mail address", username: "The username", password: "The password" };
const missing = { email: "Enter your e-mail address.", username: "Choose a username.", password: "Choose a password." };
const clear = () => { for (const name of [...fields, "setup"]) fault(name, ""); };

// failed shows each fault beside its field and moves the focus to the first.
const failed = (answer) => {
  for (const issue of answer.body.error?.details?.issues ?? []) {
    if (fields.includes(issue.path)) fault(issue.path, issue.message.replace(issue.path, label[issue.path]));
    else fault("setup", issue.message);
  }
  const first = fields.find((name) => at(name + "-error").textContent);
  if (first) at(first).focus();
  else fault("setup", reason(answer));
};

at("setup").addEventListener("submit", (e) => {
  e.preventDefault();
  clear();
  const body = { token, email: at("email").value.trim(), username: at("username").value.trim(), password: at("password").value };
  const empty = fields.filter((name) => !body[name]);
  if (empty.length) {
    for (const name of empty) fault(name, missing[name]);
    return at(empty[0]).focus();
  }
  send(e.target, async () => {
    const answer = await post("auth/setup", body);
    if (answer.status === 404) return lost(answer.body.error.message);
    if (!answer.ok) return failed(answer);
    at("password").value = "";
    done("stoa is ready", `${answer.body.data.user.email} is the administrator. Sign in with the password you chose.`);
  });
});

onLink(() => {
  clear();
  reveal("setup");
});
if (token) reveal("setup");
else lost("The address is incomplete. Copy the whole link that stoa printed, including everything after the #.");
