import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { t } from "../text";

// NoPassword tells administrators who signed in with a password that works once, where to set the next.
export const NoPassword = () => {
  const account = useQuery({ queryKey: ["account"], queryFn: () => data(api.GET("/auth/account")) });
  return account.data?.hasPassword === false ? (
    <div className="note" data-tone="warn" role="status" style={{ marginBottom: 16 }}>
      <p>{t("session.once")}</p>
      <a href="/account#password">{t("session.onceHow")}</a>
    </div>
  ) : null;
};
