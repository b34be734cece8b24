import { randomUUID } from "node:crypto";
import type { Random } from "../accept-history/random.ts";
import type { Client, Group } from "./tenants.ts";
import { userinfo } from "./tenants.ts";

/** A request that is about to be sent. */
export interface Request {
  /** Undefined for a credential that is none. */
  readonly client: Client | undefined;
  readonly group: Group;
  /** Absent: no credential. */
  readonly token: string | undefined;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
}

interface Budget {
  readonly client: Client;
  readonly group: Group;
}

/** Every budget that requests can be made for. */
export const budgetsOf = (clients: readonly Client[]): Budget[] =>
  clients.flatMap((client) => {
    const signs = userinfo !== undefined && client.readOnly !== undefined;
    const own: Group[] = signs ? ["accept", "render", "other", "sign"] : ["accept", "render", "other"];
    return own.map((group) => ({ client, group }));
  });

/** Some request that the budget is asked for: most succeed, some fail for another reason than the budget. */
export function requestOf(random: Random, { client, group }: Budget, run: string): Request {
  const token = random.pick(client.tokens);
  const { templateSlug, sessionId } = client.tenant;
  const read = (path: string): Request => ({ client, group, token, method: "GET", path });
  const write = (path: string, body: object): Request => ({ client, group, token, method: "POST", path, body });
  const sessions = "/v1/click/sessions";
  switch (group) {
    case "accept": {
      const key = `${run}-${randomUUID()}`;
      const accept = { ...write("/v1/click/accept", { templateSlug, userRef: key }), key };
      const { key: _none, ...withoutScope } = { ...accept, token: client.readOnly };
      return client.readOnly !== undefined && random.chance(0.05) ? withoutScope : accept;
    }
    case "render":
      return read(`/v1/click/render/sessions/${sessionId}${random.chance(0.05) ? "?format=pdf" : ""}`);
    case "sign":
      return read("/oauth/userinfo");
    case "other":
      return random.pick([
        read("/v1/click/templates"),
        read(`/v1/click/templates/${randomUUID()}`),
        write(sessions, { templateSlug, userRef: "visitor" }),
        write(sessions, { templateSlug: 7 }),
        { ...write(sessions, { templateSlug }), token: client.readOnly ?? token },
      ]);
  }
}

/** Requests that nobody is known to send. */
export function strangerOf(random: Random): Request {
  const token = random.pick([undefined, "ak_live_nobody", "eyJhbGciOiJub25lIn0.e30."]);
  const common = { client: undefined, token, group: "other" } as const;
  return random.chance(0.5)
    ? { ...common, method: "GET", path: "/v1/click/templates" }
    : { ...common, method: "POST", path: "/v1/click/sessions", body: {} };
}
