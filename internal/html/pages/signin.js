// What the forms share in which people sign in for one request. If the account asks for a second
// step, a field for its code appears, and sending the form again ends the sign-in. So does a passkey.
let challenge;
let credential; // of the passkey that was used in place of a code

const passkeys = "parseRequestOptionsFromJSON" in (window.PublicKeyCredential ?? {});
const askCode = (details) => {
  challenge = details?.challenge;
  at("second-step").hidden = !challenge;
  at("use-passkey").hidden = !(passkeys && details?.methods.includes("passkey"));
  at("code").value = "";
  fault("code", "");
};

// step is what meets the second step: the passkey, or the code that was typed.
const step = (code) => {
  if (credential) return { method: "passkey", credential };
  return { method: /^\d{6}$/.test(code.replaceAll(" ", "")) ? "totp" : "recovery", code };
};

// inSteps sends the first step of a sign-in, or the second one if that is due. It returns the answer, or undefined once
// the code is asked for. The session is kept in the cookie if it is to stay.
const inSteps = async (first, stays) => {
  const code = at("code").value.trim();
  if (challenge && !code && !credential) return void refuse("code", t("step.missing"));
  const answer = challenge
    ? await post("auth/login/second-factor", { challenge, ...step(code) }, undefined, stays)
    : await first();
  const wrong = credential ? "step.declined" : "step.wrong";
  credential = undefined;
  const error = answer.body.error;
  if (error?.code === "SECOND_FACTOR_REQUIRED") {
    askCode(error.details);
    return void at("code").focus();
  }
  if (challenge && error?.details?.attemptsLeft) return void refuse("code", t(wrong));
  if (answer.ok || error?.code === "SECOND_FACTOR_FAILED") askCode();
  return answer;
};

// signIn sends an address and a password, as inSteps does.
const signIn = (email, password, stays) =>
  inSteps(() => post("auth/login", { email, password }, undefined, stays), stays);

// A passkey sends the form. Whoever closes the browser's dialog can go on with a code.
at("use-passkey").addEventListener("click", async (e) => {
  const form = e.target.form;
  fault("code", "");
  const options = await post("auth/login/second-factor/options", { challenge }).catch(() => undefined);
  if (!options) return refuse(form.id, t("unreachable"));
  if (!options.ok) return askCode(), refuse(form.id, reason(options));
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options.body.data.publicKey);
    credential = (await navigator.credentials.get({ publicKey })).toJSON();
  } catch {
    return refuse("code", t("step.declined"));
  }
  form.requestSubmit();
});

// Whoever types another address or password begins anew.
for (const name of ["email", "password", "join-password"])
  at(name)?.addEventListener("input", () => { if (challenge) askCode(); });
