import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type {
  ConsentState,
  GetConsentStateRequestSchema,
  PurposeState,
  UpdateConsentStateRequestSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import type { FakeTemplate } from "./fake-templates.ts";
import { type Accepted, acceptOne, as, type ClickHarness, type ClickInstance, newOrg, rows } from "./harness.ts";

/** A CONSENT template that asks for these purposes, changed as given. */
export const consentTemplate = (
  purposes: readonly (string | ({ readonly key: string } & JsonObject))[],
  changes: Partial<FakeTemplate> = {},
): Partial<FakeTemplate> => ({
  type: TemplateType.CONSENT,
  typeConfig: {
    jurisdiction: "EU",
    purposes: purposes.map((one) => ({ legalBasis: "CONSENT", ...(typeof one === "string" ? { key: one } : one) })),
  },
  ...changes,
});

export const decide = (decisions: Readonly<Record<string, boolean>>) => ({
  purposes: Object.entries(decisions).map(([purpose, granted]) => ({ purpose, granted })),
});

type Update = Omit<
  Exclude<MessageInitShape<typeof UpdateConsentStateRequestSchema>, { $unknown?: unknown }>,
  "purposes"
>;
type Decision = "GRANT" | "DENY" | "WITHDRAW" | "RENEW";

export interface Updated {
  readonly state: ConsentState;
  readonly receipts: readonly JsonObject[];
  readonly receiptsJson: readonly string[];
  readonly replayed: boolean;
}

/** What backends do about one user's consent, with the service that `click` answers when it is needed. */
export function consentActions(click: () => ClickHarness) {
  let keys = 0;
  const update = async (
    orgId: OrgId,
    decisions: Readonly<Record<string, Decision>>,
    changes: Update = {},
    { client }: ClickInstance = click(),
  ): Promise<Updated> => {
    const purposes = Object.entries(decisions).map(([purpose, decision]) => ({ purpose, decision }));
    const answer = await client.updateConsentState({ userRef: "user-1", purposes, ...changes }, as(orgId));
    const receipts = answer.receiptsJson.map((json) => JSON.parse(json) as JsonObject);
    return { state: present(answer.state), receipts, receiptsJson: answer.receiptsJson, replayed: answer.replayed };
  };
  return {
    addConsent: (...[purposes, changes]: Parameters<typeof consentTemplate>): FakeTemplate =>
      click().templates.add(newOrg(), consentTemplate(purposes, changes)),
    update,
    read: async (
      orgId: OrgId,
      changes: Partial<MessageInitShape<typeof GetConsentStateRequestSchema>> = {},
    ): Promise<ConsentState> =>
      present((await click().client.getConsentState({ userRef: "user-1", ...changes }, as(orgId))).state),
    /** Accepts the template without a session, under a key of its own. */
    acceptConsent: (
      template: FakeTemplate,
      decisions: Readonly<Record<string, boolean>>,
      body: object = {},
      { client }: ClickInstance = click(),
    ): Promise<Accepted> =>
      acceptOne(client, {
        orgId: template.organizationId as OrgId,
        key: `consent-${++keys}`,
        body: { templateId: template.templateId, userRef: "user-1", ...decide(decisions), ...body },
      }),
  };
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the value is absent");
  return value;
}

/** The states of purposes, by purpose. */
export const statuses = (state: ConsentState): Record<string, string> =>
  Object.fromEntries(state.consents.map(({ purpose, status }) => [purpose, status]));

export const purposeOf = (state: ConsentState, purpose: string): PurposeState =>
  present(state.consents.find((one) => one.purpose === purpose));

/** As text, for comparisons. */
export const isoOf = (time: Parameters<typeof timestampDate>[0] | undefined): string | undefined =>
  time && timestampDate(time).toISOString();

/** Acceptances of CONSENT templates and changes of consent that do not belong together, in all organizations. */
export const strayConsents = (click: ClickHarness) =>
  rows(
    click,
    `with accepted as (
       select a.organization_id, a.receipt_id, a.user_ref, p ->> 'purpose' as purpose, (p ->> 'granted')::boolean as granted
       from click.acceptance a, json_array_elements(a.receipt::json -> 'purposes') p
       where a.decision <> 'CONSENT' and a.receipt::json ->> 'templateType' = 'CONSENT'
     ),
     changed as (
       select organization_id, receipt_id, user_ref, purpose, type = 'GRANTED' as granted
       from click.consent_event where source = 'ACCEPT'
     )
     (select 'acceptance' as what, * from (table accepted except all table changed) a)
     union all (select 'change', * from (table changed except all table accepted) c)`,
  );

/** Users whose changes are not numbered from 1 on without gaps, or whose times go back. */
export const brokenHistories = (click: ClickHarness) =>
  rows(
    click,
    `select organization_id, user_ref, revision, head, recorded_at from (
       select e.organization_id, e.user_ref, e.revision, h.revision as head, e.recorded_at, h.clock,
         row_number() over w as n, lag(e.recorded_at) over w as before, count(*) over (partition by e.organization_id, e.user_ref) as total
       from click.consent_event e
       left join click.consent_head h on h.organization_id = e.organization_id and h.user_ref = e.user_ref
       window w as (partition by e.organization_id, e.user_ref order by e.revision)
     ) e
     where revision <> n or recorded_at < before or recorded_at > clock or head is distinct from total`,
  );
