import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import {
  archiveTemplate,
  createPublished,
  createTemplate,
  createVersion,
  type Organization,
  startTemplates,
  type TemplatesHarness,
  unpublish,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

const consent = (...keys: string[]) => ({
  type: TemplateType.CONSENT,
  typeConfig: {
    controller: {
      name: "Example Ltd",
      address: "1 High Street",
      email: "privacy@example.com",
      url: "https://example.com",
    },
    jurisdiction: "EU",
    privacyNoticeUrl: "https://example.com/privacy",
    withdrawalMethod: "Write to privacy@example.com",
    purposes: keys.map((key) => ({ key, name: key, description: `About ${key}`, legalBasis: "CONSENT" })),
  },
});

const find = async (organization: Organization, ...purposes: string[]) => {
  const answer = await organization.listPublishedPurposes({ purposes });
  return answer.purposes.map(({ purpose, templateId }) => [purpose, templateId]);
};

describe("listPublishedPurposes", () => {
  test("names the templates of each purpose, the one that was published last first", async () => {
    const organization = harness.organization();
    const { template: older } = await createPublished(organization, consent("news", "ads"));
    harness.clock.advance(1000);
    const { template: newer } = await createPublished(organization, consent("news"));
    expect(await find(organization, "news", "ads", "news", "unknown")).toEqual([
      ["ads", older.id],
      ["news", newer.id],
      ["news", older.id],
    ]);
  });

  test("knows nothing of drafts, unpublished and archived templates, other types and other organizations", async () => {
    const organization = harness.organization();
    const draft = await createTemplate(organization, consent("news"));
    await createVersion(organization, draft.id);
    const { version } = await createPublished(organization, consent("news"));
    await unpublish(organization, version);
    const { template: archived } = await createPublished(organization, consent("news"));
    await archiveTemplate(harness, archived.id);
    await createPublished(organization, { type: TemplateType.STATIC });
    await createPublished(harness.organization(), consent("news"));
    expect(await find(organization, "news")).toEqual([]);
  });

  test("finds nothing for what cannot be a key", async () => {
    const organization = harness.organization();
    await createPublished(organization, consent("news"));
    expect(await find(organization)).toEqual([]);
    expect(await find(organization, "", "News", "n\u0000", "'", '"]')).toEqual([]);
  });
});
