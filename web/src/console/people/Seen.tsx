// Who of the staff saw the shop as which customer, and why. What runs can be ended.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, data, ok, type Schemas } from "../../api/client";
import { Confirm } from "../kit/Confirm";
import { ErrorNote } from "../kit/ErrorNote";
import { Page, Section } from "../kit/Page";
import { Bar } from "../kit/Pending";
import { State, Time } from "../kit/values";
import { t } from "../text";
import { PeopleNav } from "./PeopleNav";

type Seen = Schemas["Impersonation"];

export const SeenPage = () => (
  <Page title={t("nav.people")}>
    <PeopleNav />
    <SeenList />
  </Page>
);

// SeenOf is what was seen as one customer; nothing where nothing was.
export const SeenOf = ({ userId }: { userId: string }) => (
  <Section title={t("people.seen.one")}>
    <SeenList userId={userId} />
  </Section>
);

const SeenList = ({ userId }: { userId?: string }) => {
  const [ending, setEnding] = useState<Seen | null>(null);
  const cache = useQueryClient();
  const list = useQuery({
    queryKey: ["impersonations", userId],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/impersonations", {
          params: { query: { limit: userId ? 5 : 100, ...(userId ? { userId } : {}) } },
        }),
      ),
  });
  if (list.isError) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (!list.data) return <Bar height={40} />;
  if (list.data.items.length === 0)
    return <p className="soft flat">{t(userId ? "people.seen.noneOne" : "people.seen.none")}</p>;
  return (
    <>
      <div className="table-box">
        <table className="table even" data-stack aria-label={t(userId ? "people.seen.one" : "people.seen.title")}>
          <thead>
            <tr>
              <th scope="col">{t("people.seen.staff")}</th>
              {!userId && <th scope="col">{t("people.seen.user")}</th>}
              <th scope="col">{t("people.seen.reason")}</th>
              <th scope="col">{t("people.seen.began")}</th>
              <th scope="col">{t("people.seen.state")}</th>
            </tr>
          </thead>
          <tbody>
            {list.data.items.map((one) => (
              <tr key={one.id}>
                <td data-name={t("people.seen.staff")}>{one.staff.name || one.staff.id}</td>
                {!userId && (
                  <td data-name={t("people.seen.user")}>
                    <Link className="row-link" to="/people/$id" params={{ id: one.user.id }}>
                      {one.user.name || one.user.id}
                    </Link>
                  </td>
                )}
                <td className="wrap">{one.reason}</td>
                <td>
                  <Time at={one.startedAt} />
                </td>
                <td>
                  {one.endedAt ? (
                    t("people.seen.ended")
                  ) : (
                    <>
                      <State tone="warn">{t(one.write ? "people.seen.writes" : "people.seen.runs")}</State>{" "}
                      <Button size="xs" onClick={() => setEnding(one)}>
                        {t("people.seen.end")}
                      </Button>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {ending && (
        <Confirm
          open
          onClose={() => setEnding(null)}
          title={t("people.seen.endTitle", { staff: ending.staff.name, user: ending.user.name })}
          action={t("people.seen.end")}
          effects={[t("people.seen.effect")]}
          run={async () => {
            await ok(api.DELETE("/api/v1/admin/impersonations/{id}", { params: { path: { id: ending.id } } }));
            void Promise.all(["impersonations", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
          }}
          done={t("people.seen.done")}
        />
      )}
    </>
  );
};
