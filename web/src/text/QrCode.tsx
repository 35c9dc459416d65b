import { generate } from "lean-qr/nano";
import { toSvgPath } from "lean-qr/extras/svg";

// QrCode is dark on white in both themes: many apps read no other.
export const QrCode = ({ of, label }: { of: string; label: string }) => {
  const code = generate(of);
  const quiet = 4;
  const size = code.size + 2 * quiet;
  return (
    <svg className="qr" viewBox={`${-quiet} ${-quiet} ${size} ${size}`} role="img" aria-label={label}>
      <path d={toSvgPath(code)} />
    </svg>
  );
};
