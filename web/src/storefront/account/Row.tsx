// A row of a list on the account pages: something of the user's, and what can be done to it. Each deed says what
// follows before it is done, and may want a proof that its user is there.
import { useState, type ReactNode } from "react";
import { Unproven } from "../code";
import { useProved } from "../proof";
import { Button } from "../ui";

interface Deed<Result> {
  word: string;
  named: string; // word with the name of the thing
  how: string; // what follows
  act: () => Promise<Result>;
}

interface RowProps<Result> {
  name: string;
  facts: ReactNode;
  more?: ReactNode; // below the facts
  other?: ReactNode; // buttons of what needs no question
  deeds: Deed<Result>[];
  keep: string; // on the button that does none of them
  onDone: (result: Result) => void | Promise<void>;
}

export const Row = <Result,>({ name, facts, more, other, deeds, keep, onDone }: RowProps<Result>) => {
  const [asked, setAsked] = useState<Deed<Result> | null>(null);
  const doing = useProved({
    mutationFn: (deed: Deed<Result>) => deed.act(),
    onSuccess: (result) => {
      setAsked(null);
      return onDone(result);
    },
  });
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <div className="list-facts">{facts}</div>
        {more}
        {asked && <p className="small">{asked.how}</p>}
        {doing.error && <Unproven error={doing.error} />}
        {doing.proof}
      </div>
      {asked ? (
        <div className="row" hidden={doing.proof !== null}>
          <Button type="button" className="button slim" busy={doing.isPending} onClick={() => doing.mutate(asked)}>
            {asked.named}
          </Button>
          <button type="button" className="button slim" onClick={() => setAsked(null)} autoFocus>
            {keep}
          </button>
        </div>
      ) : (
        <div className="row">
          {other}
          {deeds.map((deed) => (
            <button
              key={deed.word}
              type="button"
              className="button slim"
              aria-label={deed.named}
              onClick={() => setAsked(deed)}>
              {deed.word}
            </button>
          ))}
        </div>
      )}
    </li>
  );
};

// Since is a fact: what happened, and when.
export const Since = ({ word, children }: { word: string; children: ReactNode }) => (
  <span>
    {word} {children}
  </span>
);
