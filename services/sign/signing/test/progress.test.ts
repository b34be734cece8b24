import type { MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { SaveSigningProgressRequestSchema } from "#gen/assent/sign/v1/signing_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { Agreement } from "../../agreement/agreement.ts";
import { recipientOf, sampleTab } from "../../agreement/test/lifecycle-samples.ts";
import { consentTexts } from "../consent-text.ts";
import { findProgress } from "../progress.ts";
import { openSample } from "./signing-samples.ts";
import { pdfOf, type SigningSetup, startSigning, type TestOrganization } from "./signing-setup.ts";

let setup: SigningSetup;
let organization: TestOrganization;
let file: Uint8Array;
let agreement: Agreement;
const [city, street, mark] = [
  sampleTab("text", { label: "city" }),
  sampleTab("text", { label: "street" }),
  sampleTab("signature"),
];

beforeAll(async () => {
  setup = await startSigning();
  organization = setup.organization();
  file = await pdfOf(1);
});
afterAll(() => setup.stop());
beforeEach(async () => {
  const sample = openSample({}, file);
  const recipients = sample.recipients.map((one) =>
    one.recipientId === "1" ? { ...one, tabs: [city, street, mark] } : one,
  );
  agreement = await organization.insert({ ...sample, recipients }, [file]);
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const signature = { typed: "Ann Example", font: "caveat", drawnPng: png };
const initials = { typed: "AE", font: "caveat" };
const [text] = consentTexts("Acme");

async function enter(recipientId = "1"): Promise<string> {
  const token = await organization.link(agreement, recipientId);
  const { sessionToken } = await setup.signing.openView({ token });
  await setup.signing.getCeremonyDocument({ sessionToken, documentId: "1" });
  return sessionToken;
}

type Saved = Omit<MessageInitShape<typeof SaveSigningProgressRequestSchema>, "$typeName" | "sessionToken">;
const save = (sessionToken: string, part: Saved) => setup.signing.saveSigningProgress({ sessionToken, ...part });

async function seen(sessionToken: string) {
  const { agreement: shown, recipientId, progress } = await setup.signing.getCeremony({ sessionToken });
  const tabs = shown?.recipients.find(({ id }) => id === recipientId)?.tabs ?? [];
  return { values: tabs.map(({ value }) => value), progress };
}

async function finish(sessionToken: string) {
  await setup.signing.giveConsent({ sessionToken, textSha256: text?.sha256 ?? Buffer.alloc(0), locale: "en" });
  const values = [city, street].map(({ tabId }) => ({ tabId, value: "final" }));
  return setup.signing.finishSigning({ sessionToken, values, signature: { typed: "Ann", font: "caveat" } });
}

async function rows(): Promise<readonly { readonly sealed: Buffer }[]> {
  const sql = "select sealed from sign.progress where agreement_id = $1";
  return (await setup.superuser.query<{ sealed: Buffer }>(sql, [agreement.id])).rows;
}

describe("what a recipient has entered", () => {
  test("comes back in every session of theirs, to nobody else, and is encrypted where it is kept", async () => {
    const session = await enter();
    await save(session, { values: [{ tabId: city.tabId, value: "Lisbon" }], place: city.tabId });
    await save(session, { values: [{ tabId: mark.tabId, value: "signed" }], signature, initials });
    const again = await seen(await enter());
    expect(again.values).toEqual(["Lisbon", "", "signed"]);
    expect(again.progress).toMatchObject({ place: city.tabId, signature: { typed: "Ann Example" }, initials });
    expect(Buffer.from(again.progress?.signature?.drawnPng ?? []).equals(png)).toBe(true);
    const other = await setup.signing.getCeremony({ sessionToken: await enter("2") });
    expect(other.progress).toBeUndefined();
    expect(JSON.stringify(other.agreement?.recipients.map(({ tabs }) => tabs.map(({ value }) => value)))).not.toContain(
      "Lisbon",
    );
    const stored = Buffer.concat((await rows()).map(({ sealed }) => sealed));
    expect(stored.length).toBeGreaterThan(png.length);
    for (const clear of ["Lisbon", "Ann Example", "IHDR"]) expect(stored.includes(clear)).toBe(false);
    // The sender sees it once the person has finished.
    expect(recipientOf(await organization.load(agreement.id), "1").tabs.map(({ value }) => value)).toEqual([
      "",
      "",
      "",
    ]);
  });

  test("is kept field by field: two tabs at once lose nothing, and of one field the last write wins", async () => {
    const [one, other] = [await enter(), await enter()];
    await save(one, { values: [{ tabId: city.tabId, value: "Lisbon" }] });
    await Promise.all([
      save(one, { values: [{ tabId: city.tabId, value: "Porto" }] }),
      save(other, { values: [{ tabId: street.tabId, value: "1 Example Street" }] }),
    ]);
    expect((await seen(one)).values).toEqual(["Porto", "1 Example Street", ""]);
    await save(other, { values: [{ tabId: city.tabId, value: "" }] });
    expect((await seen(one)).values).toEqual(["", "1 Example Street", ""]);
    // The same twice changes nothing, and a field that the agreement does not have costs the others nothing.
    const twice = {
      values: [
        { tabId: city.tabId, value: "Faro" },
        { tabId: "unknown", value: "x" },
      ],
      place: "",
    };
    await save(one, twice);
    await save(one, twice);
    expect((await seen(other)).values).toEqual(["Faro", "1 Example Street", ""]);
  });

  test("is gone when the person has finished, and a tab that is behind writes nothing after that", async () => {
    const [one, behind] = [await enter(), await enter()];
    await save(one, { values: [{ tabId: city.tabId, value: "Lisbon" }], signature, initials });
    expect(await rows()).toHaveLength(3);
    await finish(one);
    expect(await rows()).toEqual([]);
    const late = save(behind, { values: [{ tabId: city.tabId, value: "stale" }] });
    await expectDomainError(late, "RECIPIENT_ALREADY_SIGNED");
    expect(await rows()).toEqual([]);
    const { tabs } = recipientOf(await organization.load(agreement.id), "1");
    expect(tabs.map(({ value }) => value)).toEqual(["final", "final", "signed"]);
  });

  test("of all is gone when somebody declines", async () => {
    const [ann, bob] = [await enter(), await enter("2")];
    await save(ann, { values: [{ tabId: city.tabId, value: "Lisbon" }] });
    await save(bob, { values: [], signature, place: "" });
    expect(await rows()).toHaveLength(3);
    await setup.signing.declineSigning({ sessionToken: bob, reason: "No." });
    expect(await rows()).toEqual([]);
    await expectDomainError(save(ann, { place: "" }), "VIEW_URL_EXPIRED");
  });

  test("counts for what is not given when they finish, and what is given comes before it", async () => {
    const session = await enter();
    await setup.signing.giveConsent({
      sessionToken: session,
      textSha256: text?.sha256 ?? Buffer.alloc(0),
      locale: "en",
    });
    await save(session, {
      values: [city, street].map(({ tabId }) => ({ tabId, value: "saved" })),
      ...{ signature, initials },
    });
    const values = [{ tabId: city.tabId, value: "given" }];
    await setup.signing.finishSigning({ sessionToken: session, values });
    const finished = (await organization.load(agreement.id)).recipients.find(({ recipientId }) => recipientId === "1");
    expect(finished?.tabs.map(({ value }) => value)).toEqual(expect.arrayContaining(["given", "saved"]));
    expect(finished?.signature).toMatchObject({ typed: "Ann Example" });
    expect(await rows()).toEqual([]);
  });

  test("stays when the person leaves, and when their session is over", async () => {
    const session = await enter();
    await setup.signing.leaveSigning({ sessionToken: session, values: [{ tabId: city.tabId, value: "Lisbon" }] });
    expect((await seen(await enter())).values).toEqual(["Lisbon", "", ""]);
    const idle = await enter();
    await save(idle, { values: [{ tabId: street.tabId, value: "1 Example Street" }] });
    setup.advance(61 * 60_000);
    await expectDomainError(save(idle, { place: "" }), "VIEW_URL_EXPIRED");
    expect((await seen(await enter())).values).toEqual(["Lisbon", "1 Example Street", ""]);
  });

  test("is refused when it is more than anybody can finish with, or no picture", async () => {
    const session = await enter();
    const tabs = [city, street].map(({ tabId }) => ({ tabId, value: "x".repeat(10_000) }));
    await save(session, { values: tabs });
    const broken = save(session, { signature: { ...signature, drawnPng: png.subarray(0, 40) } });
    expect((await expectDomainError(broken, "VALIDATION_FAILED")).details[0]?.field).toBe("signature");
    const jpeg = save(session, { initials: { ...initials, drawnPng: Buffer.from("ffd8ffe0", "hex") } });
    expect((await expectDomainError(jpeg, "VALIDATION_FAILED")).details[0]?.field).toBe("initials");
    const twice = save(session, { values: [tabs[0], tabs[0]] as typeof tabs });
    await expectDomainError(twice, "VALIDATION_FAILED");
    expect((await seen(session)).values[0]).toHaveLength(10_000);
    expect((await seen(session)).progress?.signature).toBeUndefined();
  });

  test("cannot be opened once the files of the agreement are erased", async () => {
    const session = await enter();
    await save(session, { values: [{ tabId: city.tabId, value: "Lisbon" }] });
    const { orgId } = organization;
    await withOrg(setup.deps.pool, orgId, (tenant) => setup.deps.files.eraseKey(tenant, agreement.id));
    const found = await withOrg(setup.deps.pool, orgId, (tenant) =>
      findProgress(setup.deps.files, tenant, agreement.id),
    );
    expect(found.size).toBe(0);
  });
});
