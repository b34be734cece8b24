import { randomInt, randomUUID } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sha256Label } from "#platform/canonical-json.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { newScreenshotId } from "../domain/deployment.ts";
import { activate, createActive, createDeployment, readSnapshots, updateDeployment } from "./deployment-harness.ts";
import {
  archiveTemplate,
  createPublished,
  type Organization,
  present,
  problemFields,
  startTemplates,
  type TemplatesHarness,
} from "./harness.ts";

/** Hardly more than two pictures of noise, and room for all small ones of this file. */
const screenshotBytes = 120_000;

let harness: TemplatesHarness;
beforeAll(async () => {
  harness = await startTemplates({ screenshotBytes });
});
afterAll(() => harness.stop());

/** A grey picture of these dimensions; each shade is a file of its own. */
function picture(shade: number, width = 3, height = 2, shadeOf = () => shade): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const framed = Buffer.alloc(named.length + 8);
    framed.writeUInt32BE(data.length);
    named.copy(framed, 4);
    framed.writeUInt32BE(crc32(named), framed.length - 4);
    return framed;
  };
  const header = Buffer.from([0, 0, 0, width, 0, 0, 0, height, 8, 0, 0, 0, 0]);
  const lines = Buffer.concat(
    Array.from({ length: height }, () => Buffer.from([0, ...Array.from({ length: width }, shadeOf)])),
  );
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(lines)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]);
}

async function placed(): Promise<{ organization: Organization; deploymentId: string; templateId: string }> {
  const organization = harness.organization();
  const { template } = await createPublished(organization);
  const { id: deploymentId } = await createDeployment(organization, template.id);
  return { organization, deploymentId, templateId: template.id };
}

const upload = async (organization: Organization, deploymentId: string, content: Uint8Array) =>
  present((await organization.createScreenshot({ deploymentId, content })).screenshot);

const setScreenshot = (organization: Organization, deploymentId: string, screenshotId: string) =>
  updateDeployment(organization, deploymentId, ["screenshot_id"], { screenshotId });

describe("screenshots of a deployment", () => {
  test("are kept byte for byte, listed with the newest first, and read by their ids", async () => {
    const { organization, deploymentId } = await placed();
    const content = picture(7);
    const first = await upload(organization, deploymentId, content);
    expect(first).toMatchObject({
      id: expect.stringMatching(/^shot_[0-9A-Za-z]{22}$/),
      deploymentId,
      contentType: "image/png",
      width: 3,
      height: 2,
      size: content.length,
      hash: sha256Label(content),
    });
    harness.clock.advance(1_000);
    const second = await upload(organization, deploymentId, picture(8));
    expect((await organization.listScreenshots({ deploymentId })).screenshots).toEqual([second, first]);
    const read = await organization.getScreenshot({ deploymentId, screenshotId: first.id });
    expect(read.screenshot).toEqual(first);
    expect(Buffer.from(read.content)).toEqual(content);
  });

  test("the same bytes are one screenshot, sent again or twice at once, and one of each deployment", async () => {
    const { organization, deploymentId, templateId } = await placed();
    const other = await createDeployment(organization, templateId);
    const content = picture(1);
    const all = await Promise.all(Array.from({ length: 4 }, () => upload(organization, deploymentId, content)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await upload(organization, deploymentId, content)).toEqual(all[0]);
    expect((await upload(organization, other.id, content)).id).not.toBe(all[0]?.id);
    expect((await organization.listScreenshots({ deploymentId })).screenshots).toHaveLength(1);
  });

  test("what is no whole picture is refused, and so is one too many", async () => {
    const { organization, deploymentId } = await placed();
    const whole = picture(1);
    for (const content of [Buffer.from("<svg/>"), whole.subarray(0, -1), Buffer.concat([whole, Buffer.from("PK")])]) {
      expect(await problemFields(upload(organization, deploymentId, content), "CLICK_VALIDATION_FAILED")).toEqual([
        "content",
      ]);
    }
    for (let shade = 0; shade < 20; shade += 1) await upload(organization, deploymentId, picture(shade));
    expect(await problemFields(upload(organization, deploymentId, picture(99)), "CLICK_VALIDATION_FAILED")).toEqual([
      "content",
    ]);
    // Again is not one more.
    await upload(organization, deploymentId, picture(3));
  });

  test("an archived template gets no more, and unknown ids name nothing", async () => {
    const { organization, deploymentId, templateId } = await placed();
    await archiveTemplate(harness, templateId);
    await expectDomainError(upload(organization, deploymentId, picture(1)), "CLICK_TEMPLATE_ARCHIVED");
    await expectDomainError(upload(organization, randomUUID(), picture(1)), "CLICK_DEPLOYMENT_NOT_FOUND");
    for (const screenshotId of [newScreenshotId(), "", "shot-1", "\u0000"]) {
      const name = { deploymentId, screenshotId };
      await expectDomainError(organization.getScreenshot(name), "CLICK_SCREENSHOT_NOT_FOUND");
      await expectDomainError(organization.deleteScreenshot(name), "CLICK_SCREENSHOT_NOT_FOUND");
    }
  });
});

describe("the screenshot that a deployment names", () => {
  test("is in its snapshot with its hash; other names are as before", async () => {
    const { organization, deploymentId } = await placed();
    await setScreenshot(organization, deploymentId, "shot-of-our-own");
    await activate(organization, deploymentId);
    const screenshot = await upload(organization, deploymentId, picture(1));
    harness.clock.advance(1_000);
    await setScreenshot(organization, deploymentId, screenshot.id);
    harness.clock.advance(1_000);
    await setScreenshot(organization, deploymentId, "shot-elsewhere");
    const [before, with_, after] = (await readSnapshots(harness, deploymentId)).map(({ data }) => JSON.parse(data));
    expect(before).toMatchObject({ screenshotId: "shot-of-our-own" });
    expect(with_).toMatchObject({ screenshotId: screenshot.id, screenshotHash: screenshot.hash });
    expect(after).toMatchObject({ screenshotId: "shot-elsewhere" });
    for (const snapshot of [before, after]) expect(snapshot).not.toHaveProperty("screenshotHash");
  });

  test("must be one of its own", async () => {
    const { organization, deploymentId, templateId } = await placed();
    const other = await createDeployment(organization, templateId);
    const { id: ofAnother } = await upload(organization, other.id, picture(1));
    for (const screenshotId of [newScreenshotId(), ofAnother]) {
      for (const set of [
        () => setScreenshot(organization, deploymentId, screenshotId),
        () => createActive(organization, templateId, { screenshotId }),
      ]) {
        expect(await problemFields(set(), "CLICK_VALIDATION_FAILED")).toEqual(["screenshotId"]);
      }
    }
  });

  test("cannot be deleted; the others can, and go with the deployment", async () => {
    const { organization, deploymentId } = await placed();
    const [used, unused] = [
      await upload(organization, deploymentId, picture(1)),
      await upload(organization, deploymentId, picture(2)),
    ];
    await setScreenshot(organization, deploymentId, used.id);
    const nameOf = ({ id }: { readonly id: string }) => ({ deploymentId, screenshotId: id });
    await expectDomainError(organization.deleteScreenshot(nameOf(used)), "CLICK_SCREENSHOT_IN_USE");
    await organization.deleteScreenshot(nameOf(unused));
    await expectDomainError(organization.deleteScreenshot(nameOf(unused)), "CLICK_SCREENSHOT_NOT_FOUND");
    await organization.removeDeployment({ deploymentId });
    await expectDomainError(organization.getScreenshot(nameOf(used)), "CLICK_DEPLOYMENT_NOT_FOUND");
    expect(await countScreenshots(organization)).toBe(0);
  });

  test("named and deleted at once: either it is named, or it is gone", async () => {
    const { organization, deploymentId } = await placed();
    for (let round = 0; round < 10; round += 1) {
      const { id } = await upload(organization, deploymentId, picture(round));
      const [named, deleted] = await Promise.allSettled([
        setScreenshot(organization, deploymentId, id),
        organization.deleteScreenshot({ deploymentId, screenshotId: id }),
      ]);
      expect([named.status, deleted.status].sort()).toEqual(["fulfilled", "rejected"]);
      await setScreenshot(organization, deploymentId, "none");
    }
  });

  test("takes room for good, each picture once, until the organization has no more for another one", async () => {
    const { organization, deploymentId, templateId } = await placed();
    const other = await createDeployment(organization, templateId);
    const noise = () => picture(0, 250, 200, () => randomInt(256));
    const [first, second, third] = [noise(), noise(), noise()];
    const named: string[] = [];
    for (const content of [first, second]) {
      const { id } = await upload(organization, deploymentId, content);
      await setScreenshot(organization, deploymentId, id);
      named.push(id);
    }
    // What was named stays in the evidence, whether or not it is deleted here.
    await organization.deleteScreenshot({ deploymentId, screenshotId: named[0] ?? "" });
    const more = await upload(organization, deploymentId, third);
    const refused = await expectDomainError(
      setScreenshot(organization, deploymentId, more.id),
      "CLICK_VALIDATION_FAILED",
    );
    expect(refused.details).toMatchObject([{ field: "screenshotId", code: "SCREENSHOTS_FULL" }]);
    // Those that it has had may be named again, by any deployment; so may pictures that are kept elsewhere.
    const again = await upload(organization, other.id, first);
    await setScreenshot(organization, other.id, again.id);
    await setScreenshot(organization, deploymentId, named[1] ?? "");
    await setScreenshot(organization, deploymentId, "shot-elsewhere");
    // Two at once do not have the last room both.
    const rival = await placed();
    const places = await Promise.all([1, 2, 3].map(() => createDeployment(rival.organization, rival.templateId)));
    const outcomes = await Promise.allSettled(
      places.map(async ({ id }, index) => {
        const own = await upload(rival.organization, id, [first, second, third][index] ?? first);
        return setScreenshot(rival.organization, id, own.id);
      }),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "fulfilled", "rejected"]);
  });

  test("goes with its template", async () => {
    const { organization, deploymentId, templateId } = await placed();
    await upload(organization, deploymentId, picture(1));
    await organization.removeTemplate({ templateId });
    expect(await countScreenshots(organization)).toBe(0);
  });
});

async function countScreenshots({ orgId }: Organization): Promise<number> {
  const sql = "select count(*)::integer as count from templates.screenshot where organization_id = $1";
  return (await harness.superuser.query<{ count: number }>(sql, [orgId])).rows[0]?.count ?? 0;
}
