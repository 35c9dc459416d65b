// All roles beside each other: which permission each has.
import { Button } from "@mantine/core";
import { IconCheck } from "../kit/icons";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { ErrorNote } from "../kit/ErrorNote";
import { includes, May, permissionName, roleName } from "../kit/may";
import { Page } from "../kit/Page";
import { Pending } from "../kit/Pending";
import { t } from "../text";
import { PeopleNav } from "./PeopleNav";
import "./people.css";
import { byArea, permissionsQuery, rolesQuery, type Role } from "./roles";

export const RolesPage = () => {
  const roles = useQuery(rolesQuery);
  const permissions = useQuery(permissionsQuery);
  const failed = [roles, permissions].find((query) => query.isError && !query.data);
  return (
    <Page
      title={t("nav.people")}
      actions={
        <May needs="staff:write">
          <Button variant="filled" component={Link} {...({ to: "/people/roles/new" } as object)}>
            {t("roles.new")}
          </Button>
        </May>
      }>
      <PeopleNav />
      <p className="soft prose flat">{t("roles.about")}</p>
      {failed && <ErrorNote error={failed.error} retry={() => void failed.refetch()} />}
      {!failed &&
        (roles.data && permissions.data ? (
          <Matrix roles={roles.data} permissions={permissions.data} />
        ) : (
          <Pending rows={12} />
        ))}
    </Page>
  );
};

const Matrix = ({ roles, permissions }: { roles: Role[]; permissions: string[] }) => {
  // An own role may be for single plugins, which are not in the catalog.
  const all = [...new Set([...permissions, ...roles.flatMap((role) => role.permissions)])];
  return (
    <div className="table-box" tabIndex={0} role="group" aria-label={t("roles.matrix")}>
      <table className="table matrix" aria-label={t("roles.matrix")}>
        <thead>
          <tr>
            <th scope="col">{t("roles.permission")}</th>
            {roles.map((role) => (
              <th key={role.name} scope="col">
                <Link to={`/people/roles/${role.name}` as string}>{roleName(role.name)}</Link>
                <span className="soft small">{t.count("roles.people", role.holders)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {byArea(all).map(({ area, names }) => (
            <Fragment key={area}>
              <tr>
                <th scope="rowgroup" colSpan={roles.length + 1}>
                  <span>{t(`roles.areas.${area}`)}</span>
                </th>
              </tr>
              {names.map((name) => (
                <tr key={name}>
                  <th scope="row">
                    {permissionName(name)} <code className="soft small">{name}</code>
                  </th>
                  {roles.map((role) => (
                    <td key={role.name}>
                      {includes(role.permissions, name) ? (
                        <IconCheck size={16} stroke={1.5} role="img" aria-label={t("roles.yes")} />
                      ) : (
                        <span className="none" role="img" aria-label={t("roles.no")}>
                          –
                        </span>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
};
