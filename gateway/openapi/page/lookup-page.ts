import { errorsOf } from "./operation-html.ts";
import type { Resolve, ShownOperation } from "./samples.ts";
import { code, escaped, inline, type Json, table } from "./schema-html.ts";

/** An error code or a header, with the operations that have it. */
interface Looked {
  readonly name: string;
  /** HTTP statuses of an error; whether a header is sent in requests or answers. */
  readonly places: Set<string>;
  readonly meanings: Set<string>;
  readonly operations: Map<string, Placed>;
}

/** An operation with the address of its section. */
export interface Placed extends ShownOperation {
  readonly href: string;
}

export interface LookupPage {
  readonly errors: readonly Looked[];
  readonly headers: readonly Looked[];
}

/** Every error code and header of these operations, in order of their names. */
export function lookupsOf(operations: readonly Placed[], resolve: Resolve): LookupPage {
  const [errors, headers] = [new Map<string, Looked>(), new Map<string, Looked>()];
  for (const placed of operations) {
    const responses = placed.operation.responses as Readonly<Record<string, unknown>>;
    for (const { errorCode, status, message } of errorsOf(responses, resolve))
      add(errors, errorCode, { place: status, meaning: message, placed });
    for (const parameter of (placed.operation.parameters as unknown[]).map(resolve))
      if (parameter.in === "header")
        add(headers, String(parameter.name), { place: "request", meaning: String(parameter.description), placed });
    for (const response of Object.values(responses).map(resolve))
      for (const [name, header] of Object.entries((response.headers ?? {}) as Json))
        add(headers, name, { place: "answer", meaning: String(resolve(header).description), placed });
  }
  const sorted = (found: Map<string, Looked>): Looked[] =>
    [...found.values()].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  return { errors: sorted(errors), headers: sorted(headers) };
}

interface Use {
  readonly place: string;
  readonly meaning: string;
  readonly placed: Placed;
}

function add(found: Map<string, Looked>, name: string, { place, meaning, placed }: Use): void {
  const looked = found.get(name) ?? { name, places: new Set(), meanings: new Set(), operations: new Map() };
  found.set(name, looked);
  looked.places.add(place);
  looked.meanings.add(meaning);
  looked.operations.set(placed.href, placed);
}

export const lookupId = (kind: "error" | "header", name: string): string => `${kind}-${escaped(name)}`;

export const lookupHtml = ({ errors, headers }: LookupPage): string => `<h1 id="top">Errors and headers</h1>
<p>Every error code and header of this version, with the operations that have it. <a href="/docs#errors">Errors</a> describes the body of an error.</p>
<h2 id="error-codes">Error codes</h2>
${table(["Code", "Status", "Meaning", "Operations"], errors.map(rowOf("error")))}
<h2 id="headers">Headers</h2>
${table(["Header", "Sent in", "Meaning", "Operations"], headers.map(rowOf("header")))}`;

const rowOf =
  (kind: "error" | "header") =>
  ({ name, places, meanings, operations }: Looked): string[] => [
    `<span id="${lookupId(kind, name)}">${code(name)}</span>`,
    [...places].map(escaped).join(", "),
    [...meanings].map(kind === "error" ? escaped : inline).join("<br>"),
    operations.size > maxListed ? `${operations.size} operations` : [...operations.values()].map(linkTo).join("<br>"),
  ];

/** More say less than their number. */
const maxListed = 12;

const linkTo = ({ href, operation }: Placed): string => `<a href="${href}">${escaped(operation.summary)}</a>`;
