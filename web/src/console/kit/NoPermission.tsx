import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useSession } from "../../api/useSession";
import { t } from "../text";
import { permissionName, roleName, type Permission } from "./may";
import { Page } from "./Page";

// NoPermission is what stands at the address of a page that the user may not open. home is one they may.
export const NoPermission = ({
  needed,
  home,
}: {
  needed: Permission | `extensions:use:${string}`;
  home: string | undefined;
}) => {
  const role = roleName(useSession()?.user.role ?? "");
  return (
    <Page title={t("may.title")}>
      <div className="prose">
        <p className="flat">
          {t("may.lacks", { role })} <strong>{permissionName(needed)}</strong> (<code>{needed}</code>)
        </p>
        <p className="soft">{t("may.who")}</p>
      </div>
      {home && (
        <div>
          <Button component={Link} to={home}>
            {t("may.home")}
          </Button>
        </div>
      )}
    </Page>
  );
};
