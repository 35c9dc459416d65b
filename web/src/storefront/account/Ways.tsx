// The screen of the account with what lets its user in.
import { Identities } from "./Identities";
import { Passkeys } from "./Passkeys";
import { Password } from "./Password";

export const Ways = () => (
  <>
    <Password />
    <Passkeys />
    <Identities />
  </>
);
