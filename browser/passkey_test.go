package browser_test

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa/internal/account/passkey"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

// ceremonies adds a passkey and proves it, each way there is, as a page would.
const ceremonies = `(async (email, password, token) => {
  const send = async (path, body, bearer) => {
    const answer = await fetch(path, {
      method: "POST", cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
      headers: { "Content-Type": "application/json", ...(bearer && { Authorization: "Bearer " + bearer }) },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, ...(await answer.json()) };
  };
  const prove = async (asked) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked.data.publicKey);
    return (await navigator.credentials.get({ publicKey })).toJSON();
  };
  const told = [];
  const tell = (what, { status, error }) => told.push([what, status, error?.code].join(" ").trim());

  const asked = await send("/auth/passkeys/options", undefined, token);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked.data.publicKey);
  const made = await navigator.credentials.create({ publicKey });
  tell("added", await send("/auth/passkeys", { name: "This device", credential: made.toJSON() }, token));

  const again = await send("/auth/passkeys/options", undefined, token);
  const second = PublicKeyCredential.parseCreationOptionsFromJSON(again.data.publicKey);
  told.push("a second on the device: " + (await navigator.credentials.create({ publicKey: second }).catch((e) => e.name)));

  const credential = await prove(await send("/auth/login/passkey/options"));
  const alone = await send("/auth/login/passkey", { credential });
  tell("alone", alone);
  tell("twice", await send("/auth/login/passkey", { credential }));

  const begun = await send("/auth/login", { email, password });
  tell("the password", begun);
  const { challenge } = begun.error.details;
  const step = await prove(await send("/auth/login/second-factor/options", { challenge }));
  tell("both", await send("/auth/login/second-factor", { challenge, method: "passkey", credential: step }));

  const bearer = alone.data.access_token;
  const here = await prove(await send("/auth/reauthenticate/options", undefined, bearer));
  tell("again", await send("/auth/reauthenticate", { credential: here }, bearer));
  return told.join("\n");
})`

// What stoa asks is what a browser understands, and what the browser answers is what stoa accepts.
func TestABrowserMakesAndProvesPasskeys(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.AllowedHosts = []string{"localhost"} })
	a.Accounts.NoMail = true // nobody has to prove a mailbox
	user := a.Register(t, "ada")
	// Browsers make no passkeys for numbers.
	origin := strings.Replace(a.URL, "127.0.0.1", "localhost", 1)
	party, err := passkey.NewParty("", nil, origin)
	if err != nil {
		t.Fatal(err)
	}
	a.Accounts.Passkeys = party

	b := newTabAt(t, origin)
	b.open(t, "/")
	b.do(t, "authenticator")
	args, err := json.Marshal([]string{"ada@example.com", testkit.Password, user.Access})
	if err != nil {
		t.Fatal(err)
	}
	var told string
	if err := json.Unmarshal(b.do(t, "run", ceremonies+"(..."+string(args)+")"), &told); err != nil {
		t.Fatal(err)
	}
	const want = "added 201\na second on the device: InvalidStateError\nalone 200\ntwice 401 LOGIN_FAILED\n" +
		"the password 401 SECOND_FACTOR_REQUIRED\nboth 200\nagain 200"
	if told != want {
		t.Errorf("the page tells\n%s\nwant\n%s", told, want)
	}
}
