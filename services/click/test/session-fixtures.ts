import type { SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Receipt } from "../domain/receipt.ts";
import type { FakeTemplate } from "./fake-templates.ts";
import { acceptOne, as, type ClickHarness, newOrg } from "./harness.ts";

export interface NewSession {
  readonly userRef?: string;
  readonly locale?: string;
  readonly versionId?: string;
  readonly returnUrl?: string;
  readonly ttlSeconds?: number;
  readonly metadata?: Record<string, string>;
}

export interface Completion {
  readonly outcome?: SessionOutcome;
  readonly reason?: string;
  readonly observed?: { readonly ip: string; readonly userAgent: string };
  readonly acceptance?: object;
}

export const orgOf = (template: FakeTemplate): OrgId => template.organizationId as OrgId;

/** What clients do with the sessions of a template, with the service that `click` answers when it is needed. */
export function sessionActions(click: () => ClickHarness) {
  let keys = 0;
  return {
    addTemplate: (changes: Partial<FakeTemplate> = {}): FakeTemplate => click().templates.add(newOrg(), changes),
    create: async (template: FakeTemplate, changes: NewSession = { userRef: "user-1" }) => {
      const name = { case: "templateId", value: template.templateId } as const;
      const { session } = await click().client.createSession({ ...changes, template: name }, as(orgOf(template)));
      if (session === undefined) throw new Error("no session was answered");
      return session;
    },
    get: async (template: FakeTemplate, sessionId: string) => {
      const { session } = await click().client.getSession({ sessionId }, as(orgOf(template)));
      if (session === undefined) throw new Error("no session was answered");
      return session;
    },
    complete: async (template: FakeTemplate, sessionId: string, { acceptance, ...request }: Completion = {}) => {
      const acceptanceJson = Buffer.from(acceptance === undefined ? "" : JSON.stringify(acceptance));
      const options = as(orgOf(template));
      const answer = await click().client.completeSession({ ...request, sessionId, acceptanceJson }, options);
      if (answer.session === undefined) throw new Error("no session was answered");
      return { session: answer.session, receipts: answer.receiptsJson.map((json) => JSON.parse(json) as Receipt) };
    },
    /** Accepts under a key of its own. */
    accept: (template: FakeTemplate, body: object) =>
      acceptOne(click().client, { orgId: orgOf(template), key: `key-${++keys}`, body }),
  };
}
