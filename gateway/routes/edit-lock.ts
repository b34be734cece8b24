import type { IncomingHttpHeaders } from "node:http";
import type { HeaderParam, RouteDescription } from "./route.ts";

type Described = Pick<RouteDescription, "access" | "method" | "path">;

/** Whether an operation changes an agreement, which somebody may have locked. */
export const mindsLocks = ({ access, method, path }: Described): boolean =>
  access !== "public" && method !== "GET" && /\/(agreements\/\{id\}|envelopes\/\{envelopeId\}|folders\/)/.test(path);

const schema = { type: "string", examples: ["01961234-5678-7abc-8def-0123456789ab"] };

/** By which a caller says that it holds the lock. */
export function lockHeadersOf(route: Described): Readonly<Record<string, HeaderParam>> {
  if (!mindsLocks(route)) return {};
  if (!route.path.startsWith("/restapi/")) {
    return { "X-Lock-Token": { schema, description: "The token of the agreement's lock, while there is one." } };
  }
  const description =
    'The token of the envelope\'s lock, while there is one: `{"LockToken": "…"}`, or the same in XML as DocuSign documents it.';
  return {
    "X-DocuSign-Edit": {
      description,
      schema: { type: "string", examples: [`{"LockToken": "${schema.examples[0]}"}`] },
    },
  };
}

/** The token of a lock in the headers of a request; empty without one. */
export function lockTokenIn(headers: IncomingHttpHeaders): string {
  if (headers["x-lock-token"] === undefined && headers["x-docusign-edit"] === undefined) return "";
  const own = String(headers["x-lock-token"] ?? "").trim();
  const edit = String(headers["x-docusign-edit"] ?? "");
  const token = own === "" ? tokenIn(edit) : own;
  return /^[\w-]{1,64}$/.test(token) ? token.toLowerCase() : "";
}

function tokenIn(edit: string): string {
  const inXml = /<LockToken>\s*([\w-]{1,64})\s*<\/LockToken>/i.exec(edit)?.[1];
  if (inXml !== undefined) return inXml;
  try {
    const members: unknown = JSON.parse(edit);
    const found = Object.entries(members ?? {}).find(([name]) => name.toLowerCase() === "locktoken");
    return typeof found?.[1] === "string" ? found[1].trim() : "";
  } catch {
    return "";
  }
}
