// Who is invited to help, to what, and until when. The link goes by mail, so the page never has it.
import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, type Schemas } from "../../api/client";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { May, may, roleName } from "../kit/may";
import { Page } from "../kit/Page";
import { useListSearch } from "../kit/useListSearch";
import { State, Time } from "../kit/values";
import { t } from "../text";
import { InviteAgain, InviteSomebody, Revoke } from "./Invite";
import { PeopleNav } from "./PeopleNav";
import { exceeds, rolesQuery } from "./roles";

type Invitation = Schemas["Invitation"];

type Dialog = { open: "new" } | { open: "again" | "revoke"; invitation: Invitation } | null;

const expired = (it: Invitation) => new Date(it.expiresAt) <= new Date();

const inviter = ({ invitedBy: { kind, id, name } }: Invitation) => {
  if (name) return t("invitations.named", { name });
  return kind === "user" ? t("invitations.gone") : t(`invitations.${kind}`, { id });
};

export const InvitationsPage = () => {
  const { page } = useListSearch();
  const [dialog, setDialog] = useState<Dialog>(null);
  const close = () => setDialog(null);
  const query = useQuery({
    queryKey: ["invitations", { page }],
    queryFn: () => data(api.GET("/api/v1/admin/invitations", { params: { query: { page } } })),
    placeholderData: keepPreviousData,
  });
  const roles = useQuery(rolesQuery);
  // Nobody acts on an invitation to a role with something that they lack, unless it is over.
  const above = (it: Invitation) => {
    const role = roles.data?.find(({ name }) => name === it.role);
    return role === undefined || exceeds(role);
  };
  const columns: Column<Invitation>[] = [
    { title: t("invitations.email"), cell: (it) => it.email },
    { title: t("people.role"), cell: (it) => roleName(it.role) },
    {
      title: t("invitations.by"),
      cell: (it) => (
        <>
          {inviter(it)} <Time at={it.createdAt} />
        </>
      ),
      named: true,
    },
    {
      title: t("people.state"),
      cell: (it) =>
        expired(it) ? (
          <State tone="bad">{t("invitations.expired")}</State>
        ) : (
          <>
            {t("invitations.until")} <Time at={it.expiresAt} />
          </>
        ),
    },
    ...(may("staff:write")
      ? [
          {
            title: t("invitations.actions"),
            cell: (it: Invitation) =>
              above(it) ? (
                <span className="soft small">{t("invitations.above")}</span>
              ) : (
                <span className="table-actions">
                  {may("users:email") && (
                    <Button
                      size="xs"
                      aria-label={t("invitations.againFor", { email: it.email })}
                      onClick={() => setDialog({ open: "again", invitation: it })}>
                      {t("invitations.again")}
                    </Button>
                  )}
                  <Button
                    size="xs"
                    aria-label={t("invitations.revokeFor", { email: it.email })}
                    onClick={() => setDialog({ open: "revoke", invitation: it })}>
                    {t("invitations.revoke")}
                  </Button>
                </span>
              ),
            end: true,
          },
        ]
      : []),
  ];
  return (
    <Page
      title={t("nav.people")}
      actions={
        <May needs="staff:write">
          <Button variant="filled" onClick={() => setDialog({ open: "new" })}>
            {t("invitations.new")}
          </Button>
        </May>
      }>
      <PeopleNav />
      <DataTable
        label={t("invitations.title")}
        query={query}
        columns={columns}
        keyOf={(it) => it.id}
        stack
        empty={<Empty title={t("invitations.none")}>{t("invitations.noneHow")}</Empty>}
      />
      {dialog?.open === "new" && <InviteSomebody onClose={close} />}
      {dialog?.open === "again" && <InviteAgain invitation={dialog.invitation} onClose={close} />}
      {dialog?.open === "revoke" && <Revoke invitation={dialog.invitation} onClose={close} />}
    </Page>
  );
};
