// A market is added in two steps: its address, then its fingerprint, which somebody has to compare with what its
// operator publishes elsewhere.
import "./markets.css";
import { Button, Checkbox, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { asProblem } from "../../api/problem";
import { ErrorNote } from "../kit/ErrorNote";
import { Page, Section } from "../kit/Page";
import { tell } from "../kit/toast";
import { useFaults } from "../kit/useFaults";
import { addressOf, home } from "./addresses";
import { add, useRefresh } from "./data";
import { Fingerprint } from "./Fingerprint";
import { nameOf } from "./state";
import { m } from "./text";

interface Candidate {
  url: string;
  fingerprint: string;
}

// fingerprintIn is what a market shows whose fingerprint nobody has confirmed.
const fingerprintIn = (error: unknown): string | undefined => {
  const { code, details } = asProblem(error);
  const shown = details["rootFingerprint"];
  return code === "MARKET_UNCONFIRMED" && typeof shown === "string" ? shown : undefined;
};

export const AddMarketPage = () => {
  const [url, setUrl] = useState("");
  const [found, setFound] = useState<Candidate | null>(null);
  const [changed, setChanged] = useState(false); // the market answered with another fingerprint than a moment ago
  const refresh = useRefresh();
  const navigate = useNavigate();
  const ask = useMutation({
    mutationFn: (confirmed: Candidate | null) => add(confirmed?.url ?? url.trim(), confirmed?.fingerprint),
    onSuccess: async (market) => {
      await refresh();
      tell(m("markets.added", { name: nameOf(market) }));
      await navigate({ to: addressOf(market.market), replace: true });
    },
    onError: (error, confirmed) => {
      const fingerprint = fingerprintIn(error);
      if (!fingerprint) return;
      setChanged(confirmed !== null);
      setFound({ url: confirmed?.url ?? url.trim(), fingerprint });
    },
  });
  const failed = ask.isError && !fingerprintIn(ask.error) ? ask.error : null;
  return (
    <Page title={m("markets.add")} above={[{ title: m("markets.title"), to: home }]}>
      {found ? (
        <Compare
          key={found.fingerprint}
          found={found}
          changed={changed}
          pending={ask.isPending}
          error={failed}
          onTrust={() => ask.mutate(found)}
          onBack={() => {
            ask.reset();
            setFound(null);
          }}
        />
      ) : (
        <Address url={url} pending={ask.isPending} error={failed} onUrl={setUrl} onAsk={() => ask.mutate(null)} />
      )}
    </Page>
  );
};

interface AddressProps {
  url: string;
  pending: boolean;
  error: unknown;
  onUrl: (url: string) => void;
  onAsk: () => void;
}

const Address = ({ url, pending, error, onUrl, onAsk }: AddressProps) => {
  const { issues, at } = useFaults(error, { url });
  const submit = (e: FormEvent) => {
    e.preventDefault();
    onAsk();
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <TextInput
        label={m("markets.url")}
        description={m("markets.urlHow")}
        type="url"
        required
        spellCheck={false}
        value={url}
        error={at("url")}
        onChange={(e) => onUrl(e.currentTarget.value)}
      />
      {Boolean(error) && issues.length === 0 && <ErrorNote error={error} />}
      <div className="row">
        <Button type="submit" variant="filled" loading={pending} disabled={url.trim() === ""}>
          {m("markets.ask")}
        </Button>
      </div>
    </form>
  );
};

interface CompareProps {
  found: Candidate;
  changed: boolean;
  pending: boolean;
  error: unknown;
  onTrust: () => void;
  onBack: () => void;
}

const Compare = ({ found, changed, pending, error, onTrust, onBack }: CompareProps) => {
  const [compared, setCompared] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []); // the button that was pressed is gone
  const values = { url: found.url };
  return (
    <div ref={place} tabIndex={-1} className="plain">
      <Section title={m("markets.compare")}>
        {changed && (
          <p className="note" data-tone="bad" role="alert">
            {m("markets.changed")}
          </p>
        )}
        <p className="prose" style={{ margin: 0 }}>
          {m("markets.compareHow", values)}
        </p>
        <div className="fingerprint">
          <Fingerprint of={found.fingerprint} />
        </div>
        <Checkbox
          label={m("markets.compared")}
          checked={compared}
          onChange={(e) => setCompared(e.currentTarget.checked)}
        />
        {Boolean(error) && <ErrorNote error={error} />}
        <div className="row">
          <Button variant="filled" disabled={!compared} loading={pending} onClick={onTrust}>
            {m("markets.trust")}
          </Button>
          <Button onClick={onBack} disabled={pending}>
            {m("markets.other")}
          </Button>
        </div>
      </Section>
    </div>
  );
};
