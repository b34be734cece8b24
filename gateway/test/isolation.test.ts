import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { type Operation, operations } from "../routes/operations.ts";
import { orgA, orgB } from "./fake-auth.ts";
import type { BrowserSession } from "./fake-users.ts";
import { idsOfGeneration } from "./gen-samples.ts";
import { createResources, pathWith, type Resources, resourceIn, sampleRequest } from "./sample-requests.ts";
import { idsOfSigning } from "./sign-samples.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";
import { idsOfWebhooks } from "./webhook-samples.ts";

let database: TestDatabase;
let gateway: TestGateway;
let tokenOfA: string;
let tokenOfB: string;
let ownerOfB: BrowserSession;
let idsOfA: Resources;

const everything =
  "click:read click:write click:admin click:accept gen:read gen:write sign:read sign:write sign:send sign:admin webhooks:read webhooks:write privacy:admin";

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  tokenOfA = await gateway.auth.token(everything, "cl_a", orgA);
  tokenOfB = await gateway.auth.token(everything, "cl_b", orgB);
  ownerOfB = gateway.auth.people.signIn(orgB);
  idsOfA = await createResources(gateway, tokenOfA, orgA);
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const withNames = operations.filter(({ pathParams, scopes }) => pathParams.length > 0 && scopes.length > 0);
/** What proves who asks for the second organization. */
const credentialOf = ({ isForPeople }: Operation) => (isForPeople ? { session: ownerOfB } : { token: tokenOfB });
/** Names that nothing has, and texts that cannot name anything. */
const unknownNames: Readonly<Record<string, string>> = {
  connect: "999999",
  logoType: "primary",
  chunkedUploadPartSeq: "1",
  deploymentKey: `dep_${"z".repeat(22)}`,
  screenshot: `shot_${"z".repeat(22)}`,
  templateFile: `sha256:${"f".repeat(64)}`,
  templateIdOrSlug: "no-such-template",
  tileLevel: "6",
  revision: "999",
  tileIndex: "999",
  tileWidth: "1",
  apiKey: "nosuchkey",
  client: "cl_nosuchclient",
};
const malformedNames: Readonly<Record<string, string>> = {
  logoType: "primary",
  chunkedUploadPartSeq: "1",
  deploymentKey: "dep_x",
  screenshot: "shot_x",
  templateFile: "sha256:x",
  templateIdOrSlug: "No such template",
  tileLevel: "07",
  apiKey: "x".repeat(101),
  client: "x".repeat(101),
};

describe("names in paths", () => {
  test.each(withNames.filter(({ path }) => !path.includes("{userRef}")).map((one) => [one.operationId, one] as const))(
    "%s answers a name of another organization as an unknown and as a malformed one",
    async (operationId, operation) => {
      const ask = async (value: (resource: string) => string) => {
        const { status, body } = await gateway.call(operation.method, pathWith(operation, value), {
          ...credentialOf(operation),
          ...sampleRequest(operationId),
        });
        return { status, errorCode: body.errorCode ?? body.code, message: body.message };
      };
      const expected = await ask((resource) => unknownNames[resource] ?? newId());
      expect(expected.status).toBe(404);
      expect(expected.errorCode).toMatch(/^(([A-Z]+_)+NOT_FOUND|[a-z]+_not_found)$/);
      expect(await ask((resource) => resourceIn(idsOfA, resource))).toEqual(expected);
      expect(await ask((resource) => malformedNames[resource] ?? "not-a-uuid")).toEqual(expected);
    },
  );

  test("the consent of another organization's user is that of an unknown one", async () => {
    const path = `/v1/click/consent/${encodeURIComponent(resourceIn(idsOfA, "userRef"))}`;
    const body = { purposes: { marketing_email: true } };
    expect((await gateway.call("POST", path, { token: tokenOfA, body })).body.revision).toBe(1);
    const answer = await gateway.call("GET", path, { token: tokenOfB });
    expect([answer.status, answer.body.revision, answer.body.consents]).toEqual([200, 0, []]);
  });

  test("an id in capitals is the same id", async () => {
    const answer = await gateway.call("GET", `/v1/click/templates/${resourceIn(idsOfA, "template").toUpperCase()}`, {
      token: tokenOfA,
    });
    expect([answer.status, answer.body.id]).toEqual([200, idsOfA.template]);
  });
});

describe("ids in bodies and queries", () => {
  test("every one of them is known to this list, so that a new one is looked at", () => {
    const found = operations.flatMap(({ operationId, queryIds, bodyIds }) => {
      const ids = [...queryIds.map((name) => `?${name}`), ...bodyIds];
      return ids.length === 0 ? [] : [[operationId, ids]];
    });
    expect(Object.fromEntries(found)).toEqual({
      getClickLogKeys: ["?log"],
      getClickKeys: ["?log"],
      bulkArchiveTemplates: ["templateIds[]"],
      bulkDuplicateTemplates: ["templateIds[]"],
      getTemplateStats: ["?versionId"],
      createTemplate: ["brandId"],
      updateTemplate: ["brandId"],
      createDeployment: ["versionSelector.versionId", "brandId"],
      updateDeployment: ["versionSelector.versionId", "brandId"],
      createSession: ["templateId", "versionId", "deploymentId"],
      accept: ["sessionId", "templateId", "versionId"],
      listAcceptances: ["?templateId", "?versionId"],
      // The file has nothing then: see the test of exports.
      createExport: ["acceptances.templateId", "acceptances.versionId", "acceptances.campaignId"],
      createExportSchedule: ["templateId"],
      updateExportSchedule: ["templateId"],
      createCampaign: ["templateId", "versionId"],
      getInclusionProof: ["?receiptId"],
      getUserConsentState: ["?templateId"],
      updateUserConsentState: ["purposes[].templateId"],
      renderTemplate: ["?versionId"],
      // Whoever logs in must belong to it: see the test of people.
      login: ["organizationId"],
      // And so must whoever comes back from the provider: see the test of identities.
      beginOidcLogin: ["?organizationId"],
      ...idsOfGeneration,
      ...idsOfSigning,
      ...idsOfWebhooks,
    });
  });

  test("a proof for a receipt of another organization is that for an unknown one", async () => {
    const ask = async (receiptId: string) => {
      const path = `/v1/click/log/proofs/inclusion?receiptId=${receiptId}`;
      const { status, body } = await gateway.call("GET", path, { token: tokenOfB });
      return { status, errorCode: body.errorCode, message: body.message };
    };
    const expected = await ask(newId());
    expect([expected.status, expected.errorCode]).toEqual([404, "CLICK_RECEIPT_NOT_FOUND"]);
    expect(await ask(resourceIn(idsOfA, "receipt"))).toEqual(expected);
  });

  test("bulk operations skip an id of another organization as an unknown one", async () => {
    for (const [operation, done] of [
      ["archive", { archived: 0 }],
      ["duplicate", { duplicates: [] }],
    ] as const) {
      const ids = [resourceIn(idsOfA, "template"), newId()];
      const body = { templateIds: ids };
      const answer = await gateway.call("POST", `/v1/click/templates/bulk/${operation}`, { token: tokenOfB, body });
      expect(answer.body).toEqual({ ...done, skipped: ids.map((id) => ({ id, reason: "not_found" })) });
    }
  });
});

describe("accept", () => {
  test("two organizations may use one idempotency key", async () => {
    const send = (token: string) =>
      gateway.call("POST", "/v1/click/accept", {
        token,
        body: { templateSlug: "terms", userRef: "user-1" },
        headers: { "X-Idempotency-Key": "shared by chance" },
      });
    const [a, b] = await Promise.all([send(tokenOfA), send(tokenOfB)]);
    expect([a.status, b.status]).toEqual([201, 201]);
    expect(a.body.receiptId).not.toBe(b.body.receiptId);
  });
});
