// What the forms share in which people sign in for one request. If the account asks for a second
// step, a field for its code appears, and sending the form again ends the sign-in.
let challenge;

const askCode = (details) => {
  challenge = details?.challenge;
  at("second-step").hidden = !challenge;
  at("code").value = "";
  fault("code", "");
};

// signIn sends what was typed. It returns the answer, or undefined once the code is asked for.
// The session is kept in the cookie if it is to stay.
const signIn = async (email, password, stays) => {
  const code = at("code").value.trim();
  if (challenge && !code) return void refuse("code", t("step.missing"));
  const answer = challenge
    ? await post("auth/login/second-factor", { challenge, method: /^\d{6}$/.test(code.replaceAll(" ", "")) ? "totp" : "recovery", code }, undefined, stays)
    : await post("auth/login", { email, password }, undefined, stays);
  const error = answer.body.error;
  if (error?.code === "SECOND_FACTOR_REQUIRED") {
    askCode(error.details);
    return void at("code").focus();
  }
  if (challenge && error?.details?.attemptsLeft) return void refuse("code", t("step.wrong"));
  if (answer.ok || error?.code === "SECOND_FACTOR_FAILED") askCode();
  return answer;
};

