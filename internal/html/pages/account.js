// What the pages that create an account share: its fields, of which a page may have some, and their faults.
const fields = ["email", "username", "password"].filter((name) => at(name));
const label = { email: t("account.email"), username: t("account.username"), password: t("account.password") };
const missing = { email: t("account.noEmail"), username: t("account.noUsername"), password: t("account.noPassword") };
const clear = (form) => { for (const name of [...fields, form]) fault(name, ""); };

// failed shows each fault beside its field, and puts the cursor into the first.
const failed = (form, answer) => {
  for (const issue of answer.body.error?.details?.issues ?? []) {
    if (fields.includes(issue.path)) fault(issue.path, wrong(issue, label[issue.path]));
    else fault(form, wrong(issue));
  }
  const first = fields.find((name) => at(name + "-error").textContent);
  if (first) at(first).focus();
  else fault(form, reason(answer));
};

// onCreate has create called with what was typed into a form, once nothing is missing.
const onCreate = (form, create) => at(form).addEventListener("submit", (e) => {
  e.preventDefault();
  clear(form);
  const typed = (name) => name === "password" ? at(name).value : at(name).value.trim();
  const body = Object.fromEntries(fields.map((name) => [name, typed(name)]));
  const empty = fields.filter((name) => !body[name]);
  if (empty.length) {
    for (const name of empty) fault(name, missing[name]);
    return at(empty[0]).focus();
  }
  send(e.target, () => create(body));
});

