// States and values of the shop, as its lists and pages show them.
import "./shop.css";
import { formatDay } from "../../text/format";
import { PageLink } from "../kit/pages";
import { State, type Tone } from "../kit/values";
import { t } from "../text";
import type { License, Order } from "./types";

const orderTones: Record<Order["status"], Tone> = {
  pending: "warn",
  paid: "good",
  refunded: "none",
  cancelled: "none",
};

export const OrderState = ({ order }: { order: Pick<Order, "status" | "partlyRefunded"> }) => (
  <State tone={orderTones[order.status]}>
    {order.status === "paid" && order.partlyRefunded
      ? t("shop.orders.state.partly")
      : t(`shop.orders.state.${order.status}`)}
  </State>
);

// DemoMark marks a sample sale that stoa serve --demo made.
export const DemoMark = ({ of }: { of: { demo?: true } }) =>
  of.demo ? <State tone="none">{t("shop.demo")}</State> : null;

const licenseTones: Record<License["status"], Tone> = { active: "good", expired: "warn", revoked: "bad" };

// An unpaid license counts as active in the API and works only once it is paid.
export const LicenseState = ({ license }: { license: Pick<License, "status" | "paid"> }) =>
  license.status === "active" && !license.paid ? (
    <State tone="warn">{t("shop.licenses.state.unpaid")}</State>
  ) : (
    <State tone={licenseTones[license.status]}>{t(`shop.licenses.state.${license.status}`)}</State>
  );

export const Seats = ({ license }: { license: License }) => (
  <>{t("shop.licenses.seats", { used: license.currentInstances, all: license.maxInstances })}</>
);

export const Term = ({ license }: { license: License }) =>
  license.expiresAt ? (
    <time dateTime={license.expiresAt}>{formatDay(license.expiresAt)}</time>
  ) : (
    <>{t("shop.licenses.perpetual")}</>
  );

export const PublishedState = ({ published }: { published: boolean }) => (
  <State tone={published ? "good" : "none"}>
    {t(published ? "shop.products.state.published" : "shop.products.state.draft")}
  </State>
);

// Customer names who bought: the account, linked, or the address on the bill.
export const Customer = ({
  userId,
  email,
  billed,
}: {
  userId: string;
  email?: string | undefined;
  billed?: string | undefined;
}) =>
  userId === "anonymous" ? (
    <span>{billed || <span className="soft">{t("shop.guest")}</span>}</span>
  ) : (
    <PageLink to={`/people/${userId}`}>{email ?? userId}</PageLink>
  );
