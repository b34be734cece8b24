import { expect } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import { everything } from "../evidence/test/evidence-journeys.ts";
import { clientActions, orgOf } from "./actions.ts";
import { as, type ClickHarness } from "./harness.ts";

/** What is given to be verified. */
export interface Given {
  readonly receipt?: object;
  readonly jws?: string;
  readonly disclosures?: readonly string[];
}

export const allChecks = [
  ...["FORM", "SIGNATURE", "KEY_VALIDITY", "LEAF", "ORGANIZATION", "DISCLOSURES", "RECORDED", "INCLUSION"],
];

/** All checks, of which these fail. */
export const allBut = (...failing: string[]): string[] =>
  allChecks.map((check) => (failing.includes(check) ? `${check}!` : check));

/** Verifications of receipts, with the service that `click` answers when it is needed. */
export function receiptChecks(click: () => ClickHarness) {
  const { addTemplate, acceptTemplate } = clientActions(click);
  const verify = async (orgId: OrgId, { receipt, jws = "", disclosures = [] }: Given) => {
    const receiptJson = Buffer.from(receipt === undefined ? "" : JSON.stringify(receipt));
    return click().client.verifyReceipt({ receiptJson, jws, disclosures: [...disclosures] }, as(orgId));
  };
  return {
    verify,
    /** The names of the checks that were made, those that failed with an exclamation mark. */
    outcome: async (orgId: OrgId, given: Given): Promise<string[]> => {
      const { valid, checks } = await verify(orgId, given);
      expect(valid).toBe(checks.every(({ ok }) => ok));
      for (const { message } of checks) expect(message).toMatch(/\.$/);
      return checks.map(({ check, ok }) => (ok ? check : `${check}!`));
    },
    /** Why a check failed. */
    reason: async (orgId: OrgId, given: Given): Promise<string | undefined> =>
      (await verify(orgId, given)).checks.find(({ ok }) => !ok)?.message,
    /** A receipt with everything in it. */
    record: async () => {
      const template = addTemplate();
      const { receipt } = await acceptTemplate(template, everything);
      return { template, orgId: orgOf(template), receipt, sessionId: receipt.sessionId };
    },
  };
}
