import { hash } from "node:crypto";
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { Receipt } from "#api/receipts.ts";
import type { EndUserContextSchema, SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import type { FakeTemplate } from "./fake-templates.ts";
import { acceptOne, as, type ClickHarness, newOrg, rows } from "./harness.ts";

export interface NewSession {
  readonly userRef?: string;
  readonly locale?: string;
  readonly versionId?: string;
  readonly returnUrl?: string;
  readonly ttlSeconds?: number;
  readonly metadata?: Record<string, string>;
  readonly deploymentId?: string;
  readonly data?: JsonObject;
  readonly purposes?: string[];
  readonly counterpartyName?: string;
  readonly context?: MessageInitShape<typeof EndUserContextSchema>;
}

export interface Completion {
  readonly outcome?: SessionOutcome;
  readonly reason?: string;
  readonly observed?: { readonly ip: string; readonly userAgent: string };
  readonly acceptance?: object;
  readonly idempotencyKey?: string;
  /** What the request says as a whole; made of it when absent. */
  readonly requestHash?: Uint8Array<ArrayBuffer>;
}

export const orgOf = (template: FakeTemplate): OrgId => template.organizationId as OrgId;

/** What clients do, with the service that `click` answers when it is needed. */
export function clientActions(click: () => ClickHarness) {
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
      const { outcome = 0, reason = null } = request;
      const requestHash = hash("sha256", JSON.stringify({ acceptance, outcome, reason }), "buffer");
      const sent = { requestHash, ...request, sessionId, acceptanceJson };
      const answer = await click().client.completeSession(sent, options);
      if (answer.session === undefined) throw new Error("no session was answered");
      return {
        session: answer.session,
        replayed: answer.replayed,
        receipts: answer.receiptsJson.map((json) => JSON.parse(json) as Receipt),
      };
    },
    /** Accepts under a key of its own. */
    accept: (template: FakeTemplate, body: object) =>
      acceptOne(click().client, { orgId: orgOf(template), key: `key-${++keys}`, body }),
    /** Accepts the template without a session, under a key of its own. */
    acceptTemplate: (template: FakeTemplate, body: object = {}) => {
      const whole = { templateId: template.templateId, userRef: "user-1", ...body };
      return acceptOne(click().client, { orgId: orgOf(template), key: `key-${++keys}`, body: whole });
    },
  };
}

export async function countAcceptances(click: ClickHarness, orgId: OrgId): Promise<number | undefined> {
  const sql = "select count(*)::int as n from click.acceptance where organization_id = $1";
  return (await rows<{ n: number }>(click, sql, [orgId]))[0]?.n;
}

/** Sessions for single use whose state says something else than the acceptances there are. */
export const inconsistentSessions = (click: ClickHarness, orgId: OrgId) =>
  rows(
    click,
    `select s.id, s.status, count(a.receipt_id) from click.session s
     left join click.acceptance a on a.organization_id = s.organization_id and a.session_id = s.id
     where s.organization_id = $1 group by s.organization_id, s.id
     having (s.status in ('ACCEPTED', 'DECLINED')) <> (count(a.receipt_id) = 1) or count(a.receipt_id) > 1`,
    [orgId],
  );
