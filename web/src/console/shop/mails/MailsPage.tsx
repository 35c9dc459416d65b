// The mails whose words the shop may choose.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, data, type Schemas } from "../../../api/client";
import { DataTable, type Column } from "../../kit/DataTable";
import { Page } from "../../kit/Page";
import { t } from "../../text";
import { ShopNav } from "../ShopNav";
import { languageName } from "./languages";

type Kind = Schemas["MailKind"];

const own = ({ languages }: Kind): string =>
  languages.length > 0 ? languages.map(languageName).join(", ") : t("shop.mails.came");

const columns: Column<Kind>[] = [
  {
    title: t("shop.mails.mail"),
    cell: (m) => (
      <Link className="row-link" to="/shop/mails/$kind" params={{ kind: m.kind }}>
        {t(`shop.mails.kinds.${m.kind}`)}
      </Link>
    ),
  },
  { title: t("shop.mails.own"), cell: own, named: true },
  { title: t("shop.state"), cell: (m) => t(m.broken ? "shop.mails.broken" : "shop.mails.fine"), named: true },
];

export const MailsPage = () => {
  const query = useQuery({
    queryKey: ["mails"],
    queryFn: async () => {
      const { items } = await data(api.GET("/api/v1/admin/mail-templates"));
      return { items, pagination: { page: 1, limit: items.length, total: items.length, totalPages: 1 } };
    },
  });
  return (
    <Page title={t("shop.nav.mails")}>
      <ShopNav />
      <p className="soft flat">{t("shop.mails.how")}</p>
      <DataTable
        label={t("shop.nav.mails")}
        query={query}
        columns={columns}
        keyOf={(m) => m.kind}
        link={(m) => `/shop/mails/${m.kind}`}
        stack
        empty={null}
      />
    </Page>
  );
};
