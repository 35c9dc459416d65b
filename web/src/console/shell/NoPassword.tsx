import { useQuery } from "@tanstack/react-query";
import { accountQuery } from "../kit/may";
import { t } from "../text";
import { useIdentities } from "./useIdentities";

// NoPassword tells administrators who signed in with a password that works once, where to set the next. Whoever signs
// in with an account elsewhere needs none.
export const NoPassword = () => {
  const account = useQuery(accountQuery);
  const none = account.data?.hasPassword === false;
  const linked = useIdentities(none);
  return none && linked.data?.items.some((one) => one.enabled) === false ? (
    <div className="note" data-tone="warn" role="status" style={{ marginBottom: 16 }}>
      <p>{t("session.once")}</p>
      <a href="/account/sign-in">{t("session.onceHow")}</a>
    </div>
  ) : null;
};
