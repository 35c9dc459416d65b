// How far a purchase, a trial or an install is.
import { Button, Loader } from "@mantine/core";
import { IconCheck, IconExternalLink, IconPoint, IconX } from "../kit/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Problem } from "../../api/problem";
import { QrCode } from "../../text/QrCode";
import { Confirm } from "../kit/Confirm";
import { CopyText } from "../kit/CopyText";
import { ErrorNote } from "../kit/ErrorNote";
import { May } from "../kit/may";
import { Section } from "../kit/Page";
import { PageLink } from "../kit/pages";
import { reason } from "../kit/reason";
import { Bar } from "../kit/Pending";
import { Time } from "../kit/values";
import { c } from "../text";
import { addressOf, offerAddress, packageAddress } from "./addresses";
import { useOffer } from "./offers";
import { end, isPaid, stepsOf, useOperation } from "./operations";
import { refreshPackages } from "./order";
import type { Operation } from "./data";
import { m } from "./text";

export const OperationPanel = ({ id }: { id: string }) => {
  const { query, lost } = useOperation(id);
  if (query.isPending) return <Bar height={160} />;
  if (query.isError) return <ErrorNote error={query.error} retry={() => void query.refetch()} />;
  return <Known operation={query.data} lost={lost} />;
};

const Known = ({ operation, lost }: { operation: Operation; lost: boolean }) => {
  const { kind, market, productSlug, state, waiting, error } = operation;
  const product = useOffer(market, productSlug).data?.name ?? productSlug;
  const what = m(`markets.operation.${kind}`, { product });
  return (
    <Section
      title={what}
      actions={
        state === "pending" ? (
          <End operation={operation} what={what} />
        ) : (
          <Button component={Link} size="xs" {...({ to: addressOf(market), search: {} } as object)}>
            {c("close")}
          </Button>
        )
      }>
      {operation.checkoutUrl && <Pay url={operation.checkoutUrl} until={operation.expiresAt} />}
      <Steps operation={operation} />
      {lost && <p className="soft flat">{m("markets.operation.lost")}</p>}
      {waiting && (
        <div className="note" data-tone="warn" role="status">
          <p>{reason(asProblem(waiting))}</p>
          <p>{m("markets.operation.waiting")}</p>
        </div>
      )}
      {error && (
        <>
          <ErrorNote title={m("markets.operation.failed")} error={asProblem(error)} />
          <div className="row">
            <Button component={Link} {...({ to: offerAddress(market, productSlug) } as object)}>
              {c("retry")}
            </Button>
          </div>
        </>
      )}
      {state === "done" && <Done operation={operation} product={product} />}
    </Section>
  );
};

type Failure = NonNullable<Operation["error"]>;

const asProblem = ({ code, message, details }: Failure) => new Problem(409, code, message, "", details);

// End stops an operation. A key that was paid for stays.
const End = ({ operation, what }: { operation: Operation; what: string }) => {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const effects = [m("markets.operation.end.effect")];
  if (isPaid(operation)) effects.push(m("markets.operation.end.kept"));
  else if (operation.kind === "purchase") effects.push(m("markets.operation.end.paid"));
  return (
    <May needs="extensions:install">
      <Button size="xs" onClick={() => setAsking(true)}>
        {m("markets.operation.end.button")}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={m("markets.operation.end.title", { what })}
        effects={effects}
        action={m("markets.operation.end.button")}
        done={m("markets.operation.end.done", { what })}
        run={async () => {
          await end(client, operation.operationId);
          void refreshPackages(client);
        }}
      />
    </May>
  );
};

const Done = ({ operation: { package: pack }, product }: { operation: Operation; product: string }) => (
  <div className="note" data-tone="good">
    <p>{m("markets.operation.done", { product })}</p>
    <PageLink to={packageAddress(pack)}>{m("markets.operation.open", { product })}</PageLink>
  </div>
);

const Pay = ({ url, until }: { url: string; until: string | null }) => (
  <div className="pay">
    <QrCode of={url} label={m("markets.operation.scan")} />
    <div className="section">
      <p className="flat">{m("markets.operation.pay")}</p>
      <div className="row">
        <Button
          component="a"
          variant="filled"
          href={url}
          target="_blank"
          rel="noopener"
          leftSection={<IconExternalLink size={16} stroke={1.5} />}>
          {m("markets.operation.checkout")}
        </Button>
      </div>
      <CopyText value={url} what={m("markets.operation.address")} />
      {until && (
        <p className="soft flat">
          {m("markets.operation.until")} <Time at={until} />
        </p>
      )}
    </div>
  </div>
);

// Steps lists what was done, what is being done and what is to come. A screen reader hears each step as it is reached.
const Steps = ({ operation }: { operation: Operation }) => {
  const { state } = operation;
  const steps = stepsOf(operation);
  const now = state === "pending" ? steps.findIndex(({ at }) => at === null) : -1;
  const reached = steps.filter(({ at }) => at !== null).at(-1);
  return (
    <>
      <ol className="steps">
        {steps.map(({ name, at }, i) => (
          <li key={name} data-step={at ? "done" : "next"} {...(i === now ? { "aria-current": "step" } : {})}>
            {at ? (
              <IconCheck size={16} stroke={1.5} aria-hidden />
            ) : i === now ? (
              <Loader size={14} aria-hidden />
            ) : state === "failed" && i === steps.findIndex((step) => step.at === null) ? (
              <IconX size={16} stroke={1.5} aria-hidden />
            ) : (
              <IconPoint size={16} stroke={1.5} aria-hidden />
            )}
            <span>{m(`markets.operation.steps.${name}`)}</span>
            {at && (
              <span className="soft">
                <Time at={at} />
              </span>
            )}
          </li>
        ))}
      </ol>
      <p className="sr" role="status">
        {reached && m("markets.operation.reached", { step: m(`markets.operation.steps.${reached.name}`) })}
      </p>
    </>
  );
};
