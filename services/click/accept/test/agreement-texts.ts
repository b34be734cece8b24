import fc from "fast-check";
import { escapeHtml } from "#platform/restricted-html/serialize.ts";

const letters = fc.string({ minLength: 1, maxLength: 6 }).map(escapeHtml);
const containers =
  "abbr address article aside b bdi blockquote cite code del dfn div em figure h1 h2 h4 header i ins kbd main mark p pre s samp section small span strong sub sup u var";

/** Texts of elements of every kind; not all are nested as they must be. */
export const agreementText = fc.letrec<{ nodes: string; node: string }>((tie) => ({
  nodes: fc.array(tie("node"), { maxLength: 4 }).map((nodes) => nodes.join("")),
  node: fc.oneof(
    { depthSize: "small" },
    letters,
    fc.constantFrom("<br>", "<hr>", "<wbr>"),
    fc.tuple(fc.constantFrom(...containers.split(" ")), tie("nodes")).map(([name, inside]) => {
      return `<${name}>${inside}</${name}>`;
    }),
    fc
      .tuple(fc.constantFrom("ul", "ol"), fc.array(tie("nodes"), { minLength: 1, maxLength: 3 }))
      .map(([name, items]) => `<${name}>${items.map((item) => `<li>${item}</li>`).join("")}</${name}>`),
    fc.array(fc.tuple(letters, tie("nodes")), { minLength: 1, maxLength: 2 }).map((pairs) => {
      return `<dl>${pairs.map(([term, meaning]) => `<dt>${term}</dt><dd>${meaning}</dd>`).join("")}</dl>`;
    }),
    fc.array(tie("nodes"), { minLength: 1, maxLength: 3 }).map((cells) => {
      return `<table><tbody><tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr></tbody></table>`;
    }),
  ),
})).nodes;
