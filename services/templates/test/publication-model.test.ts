import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { VersionStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import {
  createTemplate,
  createVersion,
  editVersion,
  publish,
  readEvents,
  startTemplates,
  type TemplatesHarness,
  unpublish,
} from "./harness.ts";

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates();
});
afterAll(() => harness.stop());

type Step =
  | { readonly kind: "edit"; readonly text: string }
  | { readonly kind: "publish"; readonly requireReacceptance: boolean }
  | { readonly kind: "unpublish" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("edit" as const), text: fc.constantFrom("a", "b", "c") }),
  fc.record({ kind: fc.constant("publish" as const), requireReacceptance: fc.boolean() }),
  fc.record({ kind: fc.constant("unpublish" as const) }),
);

/** The rules of publication, told once more in the plainest way. */
function createModel() {
  let text = "a";
  let isPublished = false;
  let events = 0;
  const revisions: { text: string; label: string }[] = [];
  return {
    apply(step: Step): void {
      if (step.kind === "edit") {
        if (!isPublished) text = step.text;
        return;
      }
      if (isPublished === (step.kind === "publish")) return;
      isPublished = !isPublished;
      events += 1;
      if (step.kind === "unpublish" || revisions.at(-1)?.text === text) return;
      const [major = 0, minor = 0] = (revisions.at(-1)?.label ?? "0.0").split(".").map(Number);
      const isMajor = step.requireReacceptance || revisions.length === 0;
      revisions.push({ text, label: isMajor ? `${major + 1}.0` : `${major}.${minor + 1}` });
    },
    state: () => ({ isPublished, events, labels: revisions.map((r) => r.label), texts: revisions.map((r) => r.text) }),
  };
}

describe("publishVersion", () => {
  test("follows the model through any sequence of edits, publications and unpublications", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const organization = harness.organization();
        const { id: templateId } = await createTemplate(organization);
        const draft = await createVersion(organization, templateId, { content: "a" });
        const model = createModel();
        for (const step of steps) {
          if (step.kind === "publish") await publish(organization, draft, step.requireReacceptance);
          else if (step.kind === "unpublish") await unpublish(organization, draft);
          else if (!model.state().isPublished) await editVersion(harness, draft.id, step.text);
          model.apply(step);
        }
        const { version } = await organization.getVersion({ templateId, versionId: draft.id });
        const texts = [];
        for (const { revision } of version?.revisions ?? []) {
          const { content } = await organization.getRevision({ versionId: draft.id, revision });
          texts.push(Buffer.from(content).toString());
        }
        expect({
          isPublished: version?.status === VersionStatus.PUBLISHED,
          events: (await readEvents(harness, organization.orgId)).length,
          labels: version?.revisions.map((revision) => revision.label),
          texts,
        }).toEqual(model.state());
        expect(version?.label).toBe(model.state().labels.at(-1));
      }),
      { numRuns: 40 },
    );
  });
});
