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
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { type Accepted, acceptOne, as, type ClickHarness, type ClickInstance, newOrg } from "../../test/harness.ts";

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

function present<T>(value: T | undefined): T {
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
