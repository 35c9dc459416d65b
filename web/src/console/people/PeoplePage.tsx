import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, data, type Schemas, type Sorts } from "../../api/client";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { Filter, ListBar } from "../kit/ListBar";
import { Page } from "../kit/Page";
import { useListSearch } from "../kit/useListSearch";
import { Time } from "../kit/values";
import { t } from "../text";
import { PersonState, roleName } from "./values";

type User = Schemas["ManagedUser"];
type Sort = Sorts<"/api/v1/admin/users">;

const columns: Column<User>[] = [
  {
    title: t("people.email"),
    sort: ["email", "-email"],
    cell: (u) => (
      <Link className="row-link" to="/people/$id" params={{ id: u.id }}>
        {u.email}
      </Link>
    ),
  },
  { title: t("people.name"), sort: ["username", "-username"], cell: (u) => u.username },
  { title: t("people.role"), sort: ["role", "-role"], cell: (u) => roleName(u.role) },
  { title: t("people.state"), cell: (u) => <PersonState active={u.active} /> },
  {
    title: t("people.since"),
    sort: ["created", "-created"],
    cell: (u) => <Time at={u.createdAt} />,
    end: true,
    named: true,
  },
];

export const PeoplePage = () => {
  const { search, page } = useListSearch();
  const { q, role, active, sort } = search as Record<string, string | undefined>;
  const query = useQuery({
    queryKey: ["users", { page, q, role, active, sort }],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/users", {
          params: {
            query: {
              page,
              ...(q ? { q } : {}),
              ...(role ? { role } : {}),
              ...(active ? { active: active === "true" } : {}),
              ...(sort ? { sort: sort as Sort } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const roles = ["USER", "ADMIN"].map((value) => ({ value, label: roleName(value) }));
  const states = [
    { value: "true", label: t("people.states.active") },
    { value: "false", label: t("people.states.blocked") },
  ];
  return (
    <Page
      title={t("nav.people")}
      actions={
        <Button component={Link} to="/people/seen">
          {t("people.seen.link")}
        </Button>
      }>
      <ListBar label={t("people.search")}>
        <Filter name="role" label={t("people.role")} choices={roles} />
        <Filter name="active" label={t("people.state")} choices={states} />
      </ListBar>
      <DataTable
        label={t("nav.people")}
        query={query}
        columns={columns}
        keyOf={(u) => u.id}
        link={(u) => `/people/${u.id}`}
        order="-created"
        stack
        empty={<Empty title={t("people.none")} />}
      />
    </Page>
  );
};
