// The small pieces that pages share. Their looks are in shop.css.
import {
  lazy,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
  type ButtonHTMLAttributes,
  type InputHTMLAttributes,
  type ReactNode,
} from "react";
import { asProblem } from "../api/problem";
import { useOnline } from "../api/useOnline";
import { formatDay, formatExact, formatMoney, formatRelative } from "../text/format";
import { useCopy } from "../text/useCopy";
import { c, t } from "./text";

// useTitle names the document, with the shop's name that the header shows.
export const useTitle = (title: string) =>
  useEffect(() => {
    const shop = document.querySelector(".brand")?.textContent ?? "";
    document.title = shop ? `${title} · ${shop}` : title;
  }, [title]);

export const Head = ({ title, badge, children }: { title: string; badge?: ReactNode; children?: ReactNode }) => {
  useTitle(title);
  return (
    <div className="page-head">
      <h1>{title}</h1>
      {badge}
      {children}
    </div>
  );
};

interface SummaryProps {
  product: { icon: string; name: string };
  tier: { name: string; currency: string };
  deal: { code: string; discount: number } | null; // what a code takes off
  total: number;
  children: ReactNode;
}

// Summary is what is bought, and what it costs.
export const Summary = ({ product, tier, deal, total, children }: SummaryProps) => (
  <aside aria-label={t("checkout.summary")}>
    <div className="order-product">
      <img src={product.icon} alt="" width={48} height={48} />
      <h2>{product.name}</h2>
    </div>
    <dl className="lines">
      <div>
        <dt>{t("checkout.plan")}</dt>
        <dd>{tier.name}</dd>
      </div>
      {deal && (
        <div>
          <dt>{deal.code}</dt>
          <dd>{formatMoney(-deal.discount, tier.currency)}</dd>
        </div>
      )}
      <div className="total">
        <dt>{t("checkout.total")}</dt>
        <dd>{total === 0 ? t("page.free") : formatMoney(total, tier.currency)}</dd>
      </div>
    </dl>
    {children}
  </aside>
);

const bars = (n: number, name: string) => Array.from({ length: n }, (_, i) => <span key={i} className={name} />);

// Waiting is the outline of what is being loaded: rows of a list, a page with a title and
// rows, or the form and the summary of the checkout.
export const Waiting = ({ like = "rows" }: { like?: "rows" | "page" | "checkout" }) => (
  <div className="waiting" role="status" aria-busy="true">
    <span className="sr">{t("loading")}</span>
    {like !== "rows" && <span className="bar bar-title" />}
    {like === "checkout" ? (
      <div className="checkout">
        <aside>{bars(3, "bar")}</aside>
        <div className="form">{bars(3, "bar bar-field")}</div>
      </div>
    ) : (
      bars(4, "bar bar-row")
    )}
  </div>
);

// Offline says that there is no network. Its region stays, so that a screen reader hears
// the text come.
export const Offline = () => {
  const online = useOnline();
  return (
    <div role="status" className="offline">
      {!online && (
        <p className="note" data-tone="warn">
          {c("offline")}
        </p>
      )}
    </div>
  );
};

interface FailureProps {
  error: unknown;
  retry?: (() => void) | undefined;
}

// Plain is a failure without what is known of its code: of a server that cannot be reached there is nothing to load.
const Plain = ({ error, retry }: FailureProps) => {
  const { unreachable, message } = asProblem(error);
  return <Refused retry={retry}>{(!unreachable && message) || c("unreachable")}</Refused>;
};

const Explained = lazy(() => import("./Explained").catch(() => ({ default: Plain })));

// Failure says why something did not work, and what to do. The words for it are loaded then.
export const Failure = (props: FailureProps) =>
  asProblem(props.error).unreachable ? (
    <Plain {...props} />
  ) : (
    <Suspense fallback={<p className="note">…</p>}>
      <Explained {...props} />
    </Suspense>
  );

// Refused is the note of a failure. more stands beside its button.
export const Refused = ({
  retry,
  more,
  children,
}: Omit<FailureProps, "error"> & { more?: ReactNode; children: ReactNode }) => (
  <div className="note" data-tone="bad" role="alert">
    {children}
    <div className="row">
      {retry && (
        <button type="button" className="button slim" onClick={retry}>
          {c("retry")}
        </button>
      )}
      {more}
    </div>
  </div>
);

// Told says what an action came to, for all to see and hear.
export const Told = ({ children }: { children: ReactNode }) => (
  <div role="status">
    {children && (
      <div className="note row" data-tone="good">
        {children}
      </div>
    )}
  </div>
);

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  hint?: string;
  fault?: string | undefined;
}

export const Field = ({ label, hint, fault, ...input }: FieldProps) => {
  const id = useId();
  const told = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ");
  return (
    <div className="form-field">
      <label htmlFor={id}>
        {label}
        {!input.required && <span className="soft"> ({c("optional")})</span>}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="soft small">
          {hint}
        </p>
      )}
      <input
        id={id}
        className="field"
        aria-invalid={fault ? true : undefined}
        aria-describedby={told || undefined}
        {...input}
      />
      {fault && (
        <p id={`${id}-fault`} className="fault">
          {fault}
        </p>
      )}
    </div>
  );
};

export const PasswordField = (props: FieldProps) => {
  const [shown, setShown] = useState(false);
  return (
    <div className="form-field">
      <Field {...props} type={shown ? "text" : "password"} required />
      <label className="check">
        <input type="checkbox" checked={shown} onChange={(e) => setShown(e.target.checked)} /> {c("showPassword")}
      </label>
    </div>
  );
};

// useFaults keeps the fields that are not filled in as they must be, and takes the focus
// to the first.
export const useFaults = <K extends string>() => {
  const [faults, setFaults] = useState<Partial<Record<K, string>>>({});
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(faults).length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [faults]);
  return {
    faults,
    form,
    check: (found: Partial<Record<K, string>>) => {
      setFaults(found);
      return Object.keys(found).length === 0;
    },
  };
};

export const Copy = ({ value, what, primary = false }: { value: string; what: string; primary?: boolean }) => {
  const { copied, ref, copy } = useCopy(value);
  return (
    <div className="key">
      <code ref={ref}>{value}</code>
      <button type="button" className={primary ? "button primary" : "button"} onClick={() => void copy()}>
        {copied ? c("copied") : c("copy", { what })}
      </button>
      <span className="sr" role="status">
        {copied && c("copied")}
      </span>
    </div>
  );
};

export type Tone = "good" | "warn" | "bad" | "none";

export const Badge = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className="badge" data-tone={tone}>
    {children}
  </span>
);

export const Day = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatExact(at)}>
    {formatDay(at)}
  </time>
);
export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatExact(at)}>
    {formatRelative(at)}
  </time>
);

interface EmptyProps {
  title: string;
  how: string;
  children?: ReactNode;
}

export const Empty = ({ title, how, children }: EmptyProps) => (
  <div className="empty">
    <h2>{title}</h2>
    <p className="soft">{how}</p>
    <p className="row">{children}</p>
  </div>
);

// Gone is Empty for a page that has nothing to show.
export const Gone = ({ title, how, children }: EmptyProps) => {
  useTitle(title);
  return (
    <div className="empty">
      <h1>{title}</h1>
      <p className="soft">{how}</p>
      <p className="row">{children}</p>
    </div>
  );
};

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  busy: boolean;
}

// Button does nothing while it is busy. It keeps the focus, which a disabled one loses.
export const Button = ({ busy, onClick, className = "button", ...rest }: ButtonProps) => (
  <button
    {...rest}
    className={className}
    aria-disabled={busy || undefined}
    onClick={(e) => {
      if (busy) e.preventDefault();
      else onClick?.(e);
    }}
  />
);

// useHeading is for sections whose buttons go away with what they act on: the focus then
// moves to the heading.
export const useHeading = () => {
  const heading = useRef<HTMLHeadingElement>(null);
  return { heading, toHeading: () => heading.current?.focus({ preventScroll: true }) };
};

interface PagerProps {
  page: number;
  pages: number;
  onPage: (page: number) => void;
}

export const Pager = ({ page, pages, onPage }: PagerProps) =>
  pages > 1 && (
    <nav className="pages" aria-label={t("page.label")}>
      <Button type="button" className="button slim" busy={page <= 1} onClick={() => onPage(page - 1)}>
        {t("page.previous")}
      </Button>
      <span className="soft small" role="status">
        {t("page.of", { page, pages })}
      </span>
      <Button type="button" className="button slim" busy={page >= pages} onClick={() => onPage(page + 1)}>
        {t("page.next")}
      </Button>
    </nav>
  );
