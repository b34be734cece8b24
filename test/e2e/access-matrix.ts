import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { scopeMeanings } from "#api/scopes.ts";
import { until } from "#platform/testing/until.ts";
import { isDashboardScope } from "../../gateway/auth/principal.ts";
import { type Operation, operations } from "../../gateway/routes/operations.ts";
import type { Api } from "../support/api.ts";
import { documentedScopes, everyScope, publicOperations } from "../support/interface-scopes.ts";
import { type Mode, type System, scenario } from "../support/system.ts";
import { type Credentials, createCredentials, newToken } from "./access-credentials.ts";
import { createForEnding, createResources, type Reply, type Resources, request } from "./access-requests.ts";

const isProtected = ({ operationId }: Operation): boolean => !publicOperations.includes(operationId);
const protectedOperations = operations
  .filter(isProtected)
  .map((operation) => [operation.operationId, operation] as const);
/** What no program may call is let in by the test of people. */
const operationsOfClients = protectedOperations.filter(([, { isForPeople }]) => !isForPeople);

export const accessMatrix = scenario("who may call what", (mode, running) => {
  describe("the table of the interface", () => {
    test("has every operation, and nothing else", () => {
      const documented = [...Object.keys(documentedScopes), ...publicOperations];
      expect(operations.map(({ operationId }) => operationId).sort()).toEqual(documented.sort());
    });

    test("has every scope of clients, and nothing else", () => {
      expect(Object.keys(scopeMeanings).sort()).toEqual(everyScope.split(" ").sort());
    });
  });

  let system: System;
  let owner: Api;
  let resources: Resources;
  let credentials: Credentials;
  let stranger: string;
  let database: pg.Pool;
  let before: Record<string, string>;

  beforeAll(async () => {
    system = running();
    owner = await system.newOrganization();
    const other = await system.newOrganization();
    const limits = { accept: 1_000_000, render: 1_000_000, other: 1_000_000, sign: 1_000_000 };
    for (const { organizationId } of [owner, other])
      await system.admin.setOrganizationLimits({ organizationId, limits });
    resources = await createResources(owner);
    credentials = await createCredentials(system, owner);
    stranger = `Bearer ${(await newToken(system, other, everyScope)).token}`;
    database = new pg.Pool({ connectionString: system.inspectUrl, max: 1 });
    await untilRendered(owner, resources);
    before = await rowsOf(database, owner.organizationId);
  });
  afterAll(async () => {
    await database?.end();
  });

  const send = (operation: Operation, authorization: string | undefined, about = resources): Promise<Reply> =>
    request(owner.baseUrl, operation, about, authorization);

  test.each(protectedOperations)(
    "%s refuses whoever has no valid credential or not the scope",
    async (id, operation) => {
      const lacking = [...credentials.alone].filter(([scope]) => !scopesOf(id).includes(scope));
      const tooWeak = isForPeopleOnly(id) ? [...lacking, ...strongest(credentials)] : lacking;
      const cells = [
        ...tried(credentials.refused, mode, id).map((each) => ({ ...each, status: 401 })),
        ...tooWeak.map(([title, authorization]) => ({
          title,
          authorization,
          status: 403,
          errorCode: "INSUFFICIENT_SCOPE",
        })),
      ];
      const answers = await Promise.all(
        cells.map(async ({ title, authorization }) => [title, refusalIn(await send(operation, authorization))]),
      );
      expect(Object.fromEntries(answers)).toEqual(
        Object.fromEntries(cells.map(({ title, status, errorCode }) => [title, refusal(operation, status, errorCode)])),
      );
    },
  );

  test("nothing of all that was refused has had an effect", async () => {
    expect(await rowsOf(database, owner.organizationId)).toEqual(before);
  });

  test.each(operationsOfClients)(
    "%s lets another organization's client in but shows it nothing",
    async (_id, operation) => {
      const answer = await send(operation, stranger);
      expect(isLetIn(answer) ? undefined : answer).toBeUndefined();
      const asked = operation.pathParams.map(({ resource }) => resource);
      if (asked.some((resource) => resource in namedThings)) expect(answer.status).toBe(404);
      const ids = Object.keys(namedThings).filter((resource) => !asked.includes(resource));
      for (const resource of ids)
        expect(sentAlong(operation, resource) || answer.text).not.toContain(resources[resource]);
      expect(answer.text).not.toContain(owner.organizationId);
    },
  );

  test("nothing of all that strangers have asked for has had an effect", async () => {
    expect(await rowsOf(database, owner.organizationId)).toEqual(before);
  });

  // What ends something needs new things each time, which is much work: in one process alone.
  const lettingIn = operationsOfClients.filter(([, operation]) => mode === "single process" || !isEnding(operation));
  test.each(lettingIn)("%s lets in whoever has one of its scopes", async (id, operation) => {
    const about = isEnding(operation) ? await createForEnding(operation, owner, resources) : resources;
    const cells = [
      ["an API key", credentials.apiKey],
      ["all scopes", credentials.allScopes],
      ...[...credentials.alone].filter(([scope]) => scopesOf(id).includes(scope)),
    ] as const;
    const answers = await Promise.all(
      cells.map(async ([title, authorization]) => [title, await send(operation, authorization, about)] as const),
    );
    expect(answers.filter(([, answer]) => !isLetIn(answer))).toEqual([]);
    expect(cells.length).toBeGreaterThan(2);
  });
});

/**
 * Every kind is tried with every operation in one process. Gateways of their own refuse with the same code and ask the
 * auth service for it: there each operation is tried with a few kinds, so that every kind comes up with many operations.
 */
function tried(refused: Credentials["refused"], mode: Mode, operationId: string): Credentials["refused"] {
  if (mode === "single process") return refused;
  const offset = protectedOperations.findIndex(([id]) => id === operationId);
  return refused.filter((_, index) => (index + offset) % 5 === 0);
}

const isForPeopleOnly = (operationId: string): boolean => scopesOf(operationId).every(isDashboardScope);

const strongest = ({ apiKey, allScopes }: Credentials): [string, string][] => [
  ["an API key", apiKey],
  ["all scopes", allScopes],
];

const scopesOf = (operationId: string): readonly string[] => documentedScopes[operationId]?.split(" ") ?? [];

/** After these others would find less. */
function isEnding({ operationId }: Operation): boolean {
  return /^(compat(Template)?)?(remove|delete|cancel|erase|bulkArchive|archive|deactivate|complete|moveTo)/i.test(
    operationId,
  );
}

const isLetIn = ({ status }: Reply): boolean => status !== 401 && status !== 403 && status < 500;

/** What a stranger who names it must not find. */
const namedThings: Readonly<Record<string, true>> = {
  template: true,
  version: true,
  deployment: true,
  session: true,
  receipt: true,
  deploymentKey: true,
  screenshot: true,
  templateFile: true,
  templateIdOrSlug: true,
  genTemplate: true,
  genAsset: true,
  genDocument: true,
  batch: true,
  account: true,
  agreement: true,
  signTemplate: true,
  upload: true,
  bulkList: true,
  bulkBatch: true,
  webhookEndpoint: true,
  webhookDelivery: true,
  connectSecret: true,
};

/** Bulk operations repeat the ids they were sent, to say that they know none of them. */
const sentAlong = ({ operationId }: Operation, resource: string): string =>
  operationId.startsWith("bulk") && resource === "template" ? "nothing" : "";

const challenges: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'Bearer realm="assent"',
  INVALID_TOKEN: 'Bearer realm="assent", error="invalid_token"',
  TOKEN_EXPIRED: 'Bearer realm="assent", error="invalid_token"',
  INSUFFICIENT_SCOPE: 'Bearer realm="assent", error="insufficient_scope"',
};

/** Document generation has errors of its own form; only a header tells the id of the request. */
const isOfGeneration = ({ path }: Operation): boolean => /^\/(v1\/gen|batches)(\/|$)/.test(path);

const refusal = (operation: Operation, status: number, errorCode: string) => ({
  status,
  errorCode: isOfGeneration(operation) ? errorCode.toLowerCase() : errorCode,
  challenge: challenges[errorCode],
  members: isOfGeneration(operation) ? ["code", "details", "message"] : ["errorCode", "message", "requestId"],
  isIdentified: true,
});

/** What RFC 6750 and the interface want of a refusal. */
function refusalIn({ status, headers, text }: Reply): ReturnType<typeof refusal> {
  const body = text.startsWith("{") ? JSON.parse(text) : {};
  const requestId = headers.get("x-request-id") ?? "";
  return {
    status,
    errorCode: body.errorCode ?? body.code,
    challenge: headers.get("www-authenticate") ?? undefined,
    members: Object.keys(body).sort(),
    isIdentified: requestId !== "" && (body.requestId ?? requestId) === requestId && body.message.length > 10,
  };
}

/** What is rendered in the background changes rows until it has ended. */
const untilRendered = (api: Api, { batch }: Resources): Promise<unknown> =>
  until(async () => (await api.get(`/batches/${batch}`)).body.status === "completed", 20_000);

/** How many rows each table has of this organization, and the newest change of any of them. */
async function rowsOf(database: pg.Pool, organizationId: string): Promise<Record<string, string>> {
  const tables = await database.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.columns
     where column_name = 'organization_id' and table_schema in ('templates', 'click', 'docgen', 'sign', 'webhooks') order by 1`,
  );
  const counts: Record<string, string> = {};
  for (const { name } of tables.rows) {
    if (changesByItself.test(name)) continue;
    const { rows } = await database.query<{ told: string }>(
      `select count(*) || ' rows, last changed by ' || coalesce(max(xmin::text::bigint), 0) as told
       from ${name} where organization_id = $1`,
      [organizationId],
    );
    counts[name] = rows[0]?.told ?? "";
  }
  return counts;
}

/** Workers go on with these: they publish events, make the tree of the log, count and note what was published. */
const changesByItself =
  /^((templates|docgen|sign)\.outbox|sign\.job|webhooks\.(outbox|event|delivery|attempt|queue)|click\.(outbox|inbox|log_head|log_tree|log_tile|log_checkpoint|anchor.*|stat_.*|template_terms))$/;
