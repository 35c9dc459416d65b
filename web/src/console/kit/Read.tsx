import type { Words } from "../../text/refusal";

// Read is what a person reads of a refusal, and what the API says in English if that is more.
export const Read = ({ words: { text, said } }: { words: Words }) => (
  <>
    {text} {said && <span lang="en">{said}</span>}
  </>
);
