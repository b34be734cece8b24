import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { sourceFiles } from "./house.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Whole or taken apart. */
const startsWithTenant = (parameters: string): boolean => /^\s*(?:\w+|\{[^}]*\}): \w*Tenant\b/.test(parameters);

/** What functions of stores take no tenant for, and which they are. */
const across: Readonly<Record<string, readonly string[]>> = {
  "What operators see: all organizations, when they were used and how much they use": [
    "services/auth/store/organization-store.ts listUses",
    "services/auth/store/request-store.ts addReport",
    "services/auth/store/request-store.ts findNames",
    "services/auth/store/request-store.ts listLoads",
    "services/click/log/epoch-store.ts confirmEpochs",
    "services/click/log/epoch-store.ts countEpochs",
    "services/click/log/epoch-store.ts findEpochNumbers",
    "services/click/log/epoch-store.ts findWitness",
    "services/click/log/epoch-store.ts listAllEpochs",
    "services/click/log/epoch-store.ts lockWitness",
    "services/click/log/epoch-store.ts storeWitness",
    "services/webhooks/store/use-store.ts addUses",
    "services/webhooks/store/use-store.ts sumUses",
  ],
  "What belongs to no organization: keys of the installation, and the feed of what gateways must forget": [
    "services/auth/store/change-store.ts listChanges",
    "services/auth/store/change-store.ts noteChange",
    "services/auth/store/token-store.ts insertSigningKey",
    "services/auth/store/token-store.ts listSigningKeys",
    "services/auth/store/usage-store.ts deleteSigningKeys",
    "services/auth/store/usage-store.ts listKeySchedule",
    "services/click/keys/signing-key-store.ts insertSigningKey",
    "services/click/keys/signing-key-store.ts listSigningKeys",
    "services/click/keys/signing-key-store.ts revokeSigningKey",
  ],
  "Janitors and sweepers: they remove or find what is over, whosever it is": [
    "services/auth/store/request-store.ts deleteOldRequests",
    "services/auth/store/usage-store.ts deleteEndedSessions",
    "services/auth/store/usage-store.ts deleteExpiredChallenges",
    "services/auth/store/usage-store.ts deleteExpiredLinks",
    "services/auth/store/usage-store.ts deleteExpiredTokens",
    "services/auth/store/usage-store.ts deleteOldChanges",
    "services/auth/store/usage-store.ts deleteSpentChallenges",
    "services/auth/store/usage-store.ts writeUses",
    "services/click/consent/consent-store.ts takeDueGrants",
    "services/click/erasure/erasure-store.ts findDueRecords",
    "services/click/sessions/session-event-store.ts expireDueSessions",
    "services/docgen/store/claim-store.ts findExpiring",
    "services/docgen/store/usage-store.ts deleteOldWindows",
    "services/webhooks/store/requeue-store.ts findOldDeliveries",
    "services/webhooks/store/requeue-store.ts sweepEvents",
    "services/webhooks/store/requeue-store.ts sweepSome",
  ],
  "Claimers and senders: work of every organization is taken, held and written down together": [
    "services/auth/privacy/erasure-store.ts claimErasure",
    "services/auth/store/job-store.ts claimJob",
    "services/auth/privacy/export-store.ts findDueSchedules",
    "services/auth/store/mail-store.ts claimMails",
    "services/click/campaigns/due-campaign-store.ts findDueCampaigns",
    "services/click/campaigns/due-campaign-store.ts findForgotten",
    "services/click/campaigns/due-campaign-store.ts findUncheckedCampaigns",
    "services/click/campaigns/due-campaign-store.ts hasWork",
    "services/click/copies/copy-store.ts claimCopy",
    "services/docgen/store/claim-store.ts claimLapsed",
    "services/docgen/store/claim-store.ts claimNext",
    "services/docgen/store/claim-store.ts countWaiting",
    "services/docgen/store/claim-store.ts giveBackClaim",
    "services/docgen/store/claim-store.ts putOffTurn",
    "services/docgen/store/claim-store.ts renewClaims",
    "services/sign/jobs/claim-store.ts claimJobs",
    "services/sign/jobs/claim-store.ts findDueKinds",
    "services/sign/jobs/claim-store.ts findOldestCompletion",
    "services/sign/jobs/claim-store.ts renewClaims",
    "services/sign/search/search-store.ts findWithWords",
    "services/sign/uploads/upload-store.ts removeOldUploads",
    "services/webhooks/store/endpoint-store.ts listReceivers",
    "services/webhooks/store/fan-out-store.ts insertFanOut",
    "services/webhooks/store/queue-store.ts claimDue",
    "services/webhooks/store/queue-store.ts findDueOrders",
    "services/webhooks/store/queue-store.ts measureWaiting",
    "services/webhooks/store/queue-store.ts renewClaims",
    "services/webhooks/store/sender-store.ts loadManyClaimed",
    "services/webhooks/store/sender-store.ts recordManyDelivered",
  ],
  "The integrator grows the logs of all organizations, and the log of anchors": [
    "services/click/log/anchor-store.ts anchorCheckpoints",
    "services/click/log/anchor-store.ts findNewestAnchor",
    "services/click/log/anchor-store.ts insertTimestamp",
    "services/click/log/anchor-store.ts leadAnchoring",
    "services/click/log/anchor-store.ts listAnchored",
    "services/click/log/epoch-store.ts readLogState",
    "services/click/log/integrate-store.ts findDirtyLogs",
    "services/click/log/integrate-store.ts lockTree",
    "services/click/log/integrate-store.ts publishTree",
    "services/click/log/integrate-store.ts readGrowth",
    "services/click/log/integrate-store.ts readLeaves",
  ],
  "The recorder and the resolver answer many organizations with one statement, each item naming its own": [
    "services/click/receipts/acceptance-store.ts createAcceptanceSource",
    "services/click/receipts/acceptance-store.ts findByKeys",
    "services/click/receipts/acceptance-store.ts findDirect",
    "services/click/receipts/acceptance-store.ts findOnce",
    "services/click/sessions/session-store.ts findSessionFacts",
    "services/templates/store/resolve-store.ts resolveTemplates",
  ],
  "Looks for what is due of any organization, which is then published as that one": [
    "services/templates/store/version-store.ts listDue",
    "services/templates/store/version-store.ts nextDue",
  ],
  "A reader that gathers what is asked for and opens a transaction for each organization": [
    "services/sign/agreement/agreement-store.ts createAgreementReader",
  ],
  "Verification knows a file by its hash alone": ["services/sign/agreement/file-store.ts findSealedFile"],
};

describe("functions of stores", () => {
  const found = globSync("services/**/*-store.ts", { cwd: root }).flatMap((path) =>
    [...read(path).matchAll(/^export (?:async )?(?:function|const) (\w+)(?:<.*?>)?(?: = (?:async )?)?\(/gm)].map(
      ({ 1: name = "", index, 0: { length } }) => ({
        path,
        name,
        parameters: parametersAt(read(path), index + length),
      }),
    ),
  );
  const withoutTenant = found.filter(
    ({ parameters }) =>
      /\b(Pool|PoolClient|ClientBase|EntityManager|\w+Orm)\b/.test(parameters) && !startsWithTenant(parameters),
  );

  test("take the tenant first, but for those that look across organizations", () => {
    const excepted = Object.values(across).flat();
    expect(withoutTenant.map(({ path, name }) => `${path} ${name}`).toSorted()).toEqual(excepted.toSorted());
  });

  test("are found at all", () => {
    expect(found.filter(({ parameters }) => startsWithTenant(parameters)).length).toBeGreaterThan(150);
  });
});

test("a tenant is made by what opens its transaction alone", () => {
  const makers = sourceFiles().filter(({ path }) =>
    /\bas (?:unknown as )?(?:\w*Tenant\b|Opened)|\.\.\.tenant\b/.test(read(path)),
  );
  expect(makers.map(({ path }) => path).toSorted()).toEqual(["platform/db/orm.ts", "platform/db/pool.ts"]);
});

/** The text between the parenthesis that was opened before `start` and its end. */
function parametersAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  while (depth > 0) {
    const letter = text[end];
    if (letter === undefined) throw new Error("a parenthesis is not closed");
    if (letter === "(") depth += 1;
    if (letter === ")") depth -= 1;
    end += 1;
  }
  return text.slice(start, end - 1);
}
