// A full description as the shop shows it. The server reads it, as it does for the shop, and elements
// are made of what it read: no HTML comes from a text.
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createElement, type ReactNode } from "react";
import { api, data, type Schemas } from "../../../api/client";
import { may } from "../../kit/may";

type Piece = Schemas["MarkdownNode"];

export const Markdown = ({ text }: { text: string }) => {
  const [typed] = useDebouncedValue(text, 250);
  const { data: pieces } = useQuery({
    queryKey: ["markdown", typed],
    queryFn: () => data(api.POST("/api/v1/admin/markdown", { body: { text: typed } })),
    staleTime: Infinity,
    gcTime: 10_000,
    placeholderData: keepPreviousData,
    enabled: typed !== "" && may("products:write"), // who may only read sees the text as it was written
  });
  if (text === "") return null;
  return <div className="preview-text">{pieces ? render(pieces) : <p>{text}</p>}</div>;
};

const elements = {
  paragraph: "p",
  bullets: "ul",
  numbers: "ol",
  item: "li",
  emphasis: "em",
  strong: "strong",
  code: "code",
} as const;

const render = (pieces: Piece[]): ReactNode[] => pieces.map(one);

const one = (piece: Piece, key: number): ReactNode => {
  const below = piece.text ?? render(piece.children ?? []);
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "break":
      return <br key={key} />;
    case "block":
      return (
        <pre key={key}>
          <code>{piece.text}</code>
        </pre>
      );
    case "link":
      return (
        <a key={key} href={piece.href} target="_blank" rel="nofollow noopener">
          {below}
        </a>
      );
    case "heading":
      return createElement(`h${Math.min((piece.level ?? 1) + 2, 6)}`, { key }, below);
    default:
      return createElement(elements[piece.kind], { key }, below);
  }
};
