import { receiptExample } from "./event-types-others.ts";
import type { EventTypeInfo } from "./problems.ts";

const { templateId, versionId, revision, sessionId, receiptId, userRef, purposes } = receiptExample;
const [{ purpose }] = purposes;

const created = {
  id: sessionId,
  templateId,
  templateSlug: receiptExample.templateSlug,
  versionId,
  revision,
  label: receiptExample.versionLabel,
  locale: receiptExample.locale,
  userRef,
  status: "PENDING",
  outcome: null,
  origin: "API",
  deploymentId: null,
  receiptIds: [],
  metadata: { orderId: "42" },
  createdAt: "2026-10-21T09:00:00.000Z",
  presentedAt: null,
  completedAt: null,
  expiresAt: "2026-10-22T09:00:00.000Z",
  erased: false,
  restricted: false,
};
const presented = { ...created, status: "PRESENTED", presentedAt: "2026-10-21T09:00:02.000Z" };
const completed = {
  ...presented,
  status: "COMPLETED",
  outcome: "ACCEPTED",
  receiptIds: [receiptId],
  completedAt: "2026-10-21T09:00:31.000Z",
};

const change = {
  consentEventId: "0198f3a1-7c00-7000-8000-000000000020",
  userRef,
  purpose,
  templateId,
  versionId,
  revision,
  receiptId,
};
const expiresAt = "2027-10-21T09:00:31.000Z";

const version = { id: versionId, templateId, locale: receiptExample.locale };
const publishAt = "2026-12-31T23:00:00.000Z";
const read = {
  ...{ ...version, contentHash: receiptExample.contentHash },
  textHash: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};
const author = "user:0198f3a1-7c00-7000-8000-000000000073";
const reader = "user:0198f3a1-7c00-7000-8000-000000000072";
const released = { ...version, revision, label: receiptExample.versionLabel };

const campaignId = "0198f3a1-7c00-7000-8000-000000000022";
const progress = {
  ...{ id: campaignId, templateId, dueAt: "2026-12-31T23:00:00.000Z", remindersSent: 0 },
  counts: {
    ...{ people: 1_200, unchecked: 0, asked: 948, accepted: 250, declined: 2, withdrawn: 0, outstanding: 950 },
  },
  outstandingUrl: `/v1/click/campaigns/${campaignId}/people?state=OUTSTANDING`,
};

const about = (name: string, service: "click" | "templates", description: string, example: object): EventTypeInfo => ({
  type: `click.${name}`,
  subject: `assent.${service}.${name}`,
  description,
  example,
});

const aboutClick = (name: string, description: string, example: object): EventTypeInfo =>
  about(name, "click", description, example);

const aboutTemplates = (name: string, description: string, example: object): EventTypeInfo =>
  about(name, "templates", description, example);

export const clickEvents: readonly EventTypeInfo[] = [
  aboutClick("acceptance.recorded", "An acceptance or a decline was recorded. Includes the receipt.", {
    receipt: receiptExample,
  }),
  aboutClick("session.created", "A session was created.", { session: created }),
  aboutClick("session.presented", "The text of a session was shown for the first time.", { session: presented }),
  aboutClick("session.completed", "A session was closed, with any outcome.", { session: completed }),
  aboutClick("session.declined", "The person of a session declined.", {
    session: { ...completed, status: "DECLINED", outcome: "DECLINED" },
  }),
  aboutClick("session.expired", "The time of an open session was over.", {
    session: { ...presented, status: "EXPIRED" },
  }),
  aboutClick("session.cancelled", "An open session was canceled without a decision.", {
    session: { ...presented, status: "CANCELLED" },
  }),
  aboutClick("consent.granted", "Consent to a purpose was granted or renewed.", {
    consent: { ...change, expiresAt, renewed: false },
  }),
  aboutClick("consent.denied", "A purpose was refused.", { consent: change }),
  aboutClick("consent.withdrawn", "A purpose was withdrawn.", { consent: change }),
  aboutClick("consent.expired", "A granted consent expired. Includes the receipt of the grant.", {
    consent: { ...change, expiresAt },
  }),
  aboutClick(
    "reacceptance.required",
    "A revision was published that everyone who accepted an earlier one has to accept again. One event, not one per person.",
    { version: released },
  ),
  aboutClick("user.erased", "Records about a person were erased or restricted. Names the records, not the person.", {
    erasure: {
      id: "0198f3a1-7c00-7000-8000-000000000021",
      receiptIds: [receiptId],
      restrictedReceiptIds: [],
      sessionIds: [sessionId],
    },
  }),
  aboutClick(
    "anchor.published",
    "A checkpoint of the organization's evidence log was anchored. Keep this event to be a witness.",
    {
      anchor: {
        checkpoint:
          "assent.example.com/log/0198f3a1-7c00-7000-8000-000000000001\n1235\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— assent.example.com Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n",
        anchorIndex: 17,
        anchorCheckpoint:
          "assent.example.com/anchor\n18\nPvzZ2Rq2l4Jx0k6nKf7H8pL8g1vGm0kT8oJm0s1wzN4=\n\n— assent.example.com Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n",
      },
    },
  ),
  aboutClick(
    "campaign.started",
    "A campaign was started and everyone in it was checked: ask those who are outstanding. One event, not one per person.",
    { campaign: progress },
  ),
  aboutClick("campaign.reminder", "A campaign reminder is due, and someone is outstanding.", {
    campaign: { ...progress, remindersSent: 1 },
  }),
  aboutClick("campaign.ended", "The date of a campaign has passed. Who is outstanding is overdue.", {
    campaign: { ...progress, remindersSent: 3 },
  }),
  aboutClick("campaign.cancelled", "A campaign was canceled: stop asking people.", {
    campaign: progress,
  }),
  aboutTemplates("version.published", "A version was published, with a new revision or its last one.", {
    version: { ...released, contentHash: receiptExample.contentHash, requiresReacceptance: false },
  }),
  aboutTemplates("version.scheduled", "The publication of a version was scheduled, or put to another time.", {
    version: {
      ...{ ...version, publishAt, previousPublishAt: null },
      ...{ contentHash: receiptExample.contentHash, requiresReacceptance: true },
    },
  }),
  aboutTemplates(
    "version.unscheduled",
    "A scheduled publication was canceled, or the version was published, unpublished or archived before.",
    { version: { ...version, publishAt } },
  ),
  aboutTemplates("approval.requested", "The approval of a text was asked for, so that it can be published.", {
    version: read,
    approval: { by: author, comment: "Section 3 is new." },
  }),
  aboutTemplates("approval.granted", "Someone approved a text that others wrote.", {
    version: read,
    approval: { by: reader, comment: null },
  }),
  aboutTemplates("approval.refused", "Someone refused a text, or withdrew its approval.", {
    version: read,
    approval: { by: reader, comment: "Section 3 is missing." },
  }),
  aboutTemplates("version.unpublished", "A version is no longer published.", { version }),
  aboutTemplates("version.archived", "A version was archived.", { version }),
  aboutTemplates("template.archived", "A template was archived: its versions aren't shown until it is restored.", {
    template: { id: templateId },
  }),
  aboutTemplates("template.restored", "An archived template is in use again.", { template: { id: templateId } }),
  aboutTemplates("template.removed", "A template was deleted. Its records stay.", {
    template: { id: templateId },
  }),
];
