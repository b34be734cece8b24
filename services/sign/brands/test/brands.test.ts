import { createHash, randomUUID } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { onePixel } from "#api/kinds.ts";
import { type Brand, BrandImageKind } from "#gen/assent/sign/v1/brands_pb.ts";
import { contrastOf } from "#platform/contrast.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { type Organization, type SignHarness, startSign } from "../../test/harness.ts";
import { type BrandText, textOf } from "../brand.ts";

let system: SignHarness;
let organization: Organization;

beforeAll(async () => {
  system = await startSign();
});
beforeEach(() => {
  organization = system.organization();
});
afterAll(() => system.stop());

type Settings = NonNullable<Parameters<Organization["createBrand"]>[0]["settings"]>;

async function create(settings: Settings, owner = organization): Promise<Brand> {
  const { brand } = await owner.createBrand({ settings });
  if (brand === undefined) throw new Error("the answer has no brand");
  return brand;
}

const auditActions = async (): Promise<string[]> => {
  const { rows } = await system.superuser.query<{ data: string }>(
    `select data from sign.outbox where organization_id = $1 and subject = 'assent.audit.organization' order by position`,
    [organization.orgId],
  );
  return rows.map(({ data }) => JSON.parse(data).auditedOrganization.action);
};

describe("a brand", () => {
  test("is kept in one form, changed in part, and deleted", async () => {
    const made = await create({
      name: "  Example AG ",
      colors: { button: "#0B5D3B", header: "#FFDD00" },
      footerText: "Example AG\nBerlin",
      senderName: "Example AG",
      replyTo: "contracts@example.com",
      texts: [{ locale: "DE-de", mail: "invitation", subject: "Bitte: {subject}", intro: "Guten Tag {name}" }],
    });
    expect(made).toMatchObject({
      ...{ name: "Example AG", isDefault: false, font: "sans" },
      // Black reads better than white on yellow.
      colors: { button: "#0b5d3b", buttonText: "#ffffff", header: "#ffdd00", headerText: "#000000" },
      texts: [{ locale: "de-DE", mail: "invitation" }],
    });
    const { brand } = await organization.updateBrand({
      brandId: made.id.toUpperCase(),
      settings: { senderName: "Other", footerText: "ignored" },
      updateMask: { paths: ["sender_name", "texts"] },
    });
    expect(brand).toMatchObject({ senderName: "Other", footerText: "Example AG\nBerlin", texts: [] });
    expect((await organization.getBrand({ brandId: made.id })).brand).toEqual(brand);
    // The same again is no news.
    await organization.updateBrand({
      ...{ brandId: made.id, settings: { senderName: "Other" }, updateMask: { paths: ["sender_name"] } },
    });
    await organization.deleteBrand({ brandId: made.id });
    await expectDomainError(organization.deleteBrand({ brandId: made.id }), "BRAND_NOT_FOUND");
    expect(await auditActions()).toEqual(["brand.created", "brand.changed", "brand.deleted"]);
  });

  test("that is hard to read is refused with the contrast that was measured", async () => {
    const refused = organization.createBrand({
      settings: { name: "Pale", colors: { button: "#777777", buttonText: "#888888", headerText: "#ffffff" } },
    });
    const error = await expectDomainError(refused, "VALIDATION_FAILED");
    expect(error.details).toEqual([
      {
        field: "colors.buttonText",
        code: "LOW_CONTRAST",
        message: "#888888 on #777777 has a contrast of 1.26:1; at least 4.5:1 is needed to be read (WCAG 2.2)",
      },
      { field: "colors.headerText", code: "REQUIRES", message: "needs colors.header, which it is read on" },
    ]);
    // The border, as WebAIM and the standard's own examples have it.
    expect(contrastOf("#767676", "#ffffff")).toBeGreaterThan(4.5);
    expect(contrastOf("#777777", "#ffffff")).toBeLessThan(4.5);
    expect(contrastOf("#000000", "#ffffff")).toBe(21);
  });

  test.each<[string, Settings, string]>([
    ["a name of blanks", { name: "  " }, "name REQUIRED"],
    ["an address in the name of the sender", { name: "A", senderName: "ceo@example.com" }, "senderName NOT_ALLOWED"],
    ["no address for answers", { name: "A", replyTo: "nobody" }, "replyTo INVALID_EMAIL"],
    ["a language that is none", { name: "A", texts: [text({ locale: "x y" })] }, "texts[0].locale INVALID_LOCALE"],
    [
      "a language that no mail is in",
      { name: "A", texts: [text({ locale: "german" })] },
      "texts[0].locale INVALID_LOCALE",
    ],
    ["two texts for the same", { name: "A", texts: [text({}), text({ locale: "EN" })] }, "texts[1] DUPLICATE"],
    ["a text that says nothing", { name: "A", texts: [text({ subject: "" })] }, "texts[0] REQUIRED"],
    [
      "a subject without what it is about",
      { name: "A", texts: [text({ subject: "Hi" })] },
      "texts[0].subject REQUIRES",
    ],
    [
      "a placeholder that the mail has not",
      { name: "A", texts: [text({ intro: "{reason} {link}" })] },
      "texts[0].intro UNKNOWN_PLACEHOLDER",
    ],
  ])("with %s is refused", async (_what, settings, expected) => {
    const { details } = await expectDomainError(organization.createBrand({ settings }), "VALIDATION_FAILED");
    expect(details.map(({ field, code }) => `${field} ${code}`)).toEqual([expected]);
  });

  test("has a name of its own, and one of them is the default, also of those that are made at once", async () => {
    const made = await Promise.allSettled(["A", "B", "C", "a"].map((name) => create({ name, isDefault: true })));
    expect(made.filter(({ status }) => status === "rejected")).toHaveLength(1);
    const { brands } = await organization.listBrands({});
    expect(brands.map(({ name }) => name.toUpperCase()).sort()).toEqual(["A", "B", "C"]);
    const usual = brands.filter(({ isDefault }) => isDefault);
    expect(usual).toHaveLength(1);
    const other = brands.find(({ isDefault }) => !isDefault);
    await expectDomainError(
      organization.updateBrand({
        brandId: other?.id ?? "",
        settings: { name: usual[0]?.name ?? "" },
        updateMask: { paths: ["name"] },
      }),
      "BRAND_NAME_EXISTS",
    );
    // Lower case is another in JavaScript than in the database, as of İ and of Σ at the end.
    const pairs = [
      ["İz", "iz"],
      ["ΑΣ", "ασ"],
      ["ΑΣ", "ας"],
    ];
    for (const pair of pairs) {
      const both = await Promise.allSettled(pair.map((name) => create({ name })));
      const refused = both.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      for (const reason of refused) await expectDomainError(Promise.reject(reason), "BRAND_NAME_EXISTS");
      for (const one of both) if (one.status === "fulfilled") await organization.deleteBrand({ brandId: one.value.id });
    }
    const resolved = async (brandId: string) => (await organization.resolveBrand({ brandId })).brand?.id;
    expect(await resolved("")).toBe(usual[0]?.id);
    expect(await resolved(other?.id ?? "")).toBe(other?.id);
    expect(await resolved(randomUUID())).toBe(usual[0]?.id);
    await organization.deleteBrand({ brandId: usual[0]?.id ?? "" });
    expect(await resolved("")).toBeUndefined();
    expect(await resolved(other?.id ?? "")).toBe(other?.id);
  });

  test("has pictures that are checked, kept once, shown by their hash, and gone with the last brand", async () => {
    const [one, two] = [await create({ name: "One" }), await create({ name: "Two" })];
    const content = Uint8Array.from(Buffer.from(onePixel, "base64"));
    const put = (brandId: string, kind: BrandImageKind, bytes: Uint8Array<ArrayBuffer>) =>
      organization.putBrandImage({ brandId, kind, content: bytes });
    for (const { id } of [one, two]) await put(id, BrandImageKind.LOGO, content);
    const { brand } = await put(one.id, BrandImageKind.FAVICON, content);
    expect(brand).toMatchObject({
      logo: { contentType: "image/png", width: 1, height: 1, bytes: content.length },
      favicon: { width: 1 },
    });
    const sha256 = brand?.logo?.sha256 ?? new Uint8Array();
    const shown = () => organization.getPublicBrandImage({ organizationId: organization.orgId, sha256 });
    expect(Buffer.from((await shown()).content)).toEqual(Buffer.from(content));
    await expectDomainError(
      organization.getPublicBrandImage({ organizationId: system.organization().orgId, sha256 }),
      "BRAND_IMAGE_NOT_FOUND",
    );
    await organization.deleteBrand({ brandId: one.id });
    expect((await shown()).image?.contentType).toBe("image/png");
    await put(two.id, BrandImageKind.LOGO, new Uint8Array());
    await expectDomainError(shown(), "BRAND_IMAGE_NOT_FOUND");
    await expectDomainError(
      organization.getBrandImage({ brandId: two.id, kind: BrandImageKind.LOGO }),
      "BRAND_IMAGE_NOT_FOUND",
    );
    const svg = Uint8Array.from(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    for (const [bytes, message] of [
      [svg, "must be a PNG or JPEG"],
      [Uint8Array.from([...content, 0]), "must end where the picture ends"],
      [new Uint8Array(300 * 1024 + 1), "must have at most 300 KB"],
    ] as const) {
      const { details } = await expectDomainError(put(two.id, BrandImageKind.LOGO, bytes), "VALIDATION_FAILED");
      expect(details).toMatchObject([{ field: "content", message }]);
    }
  });

  test("has a logo without what a PNG may hold packed beside its pixels", async () => {
    const { id } = await create({ name: "Packed" });
    const plain = Buffer.from(onePixel, "base64");
    const header = 8 + 25;
    const extras = ["iTXt", "zTXt", "iCCP"].map((type) => pngChunk(type, deflateSync(Buffer.alloc(1_000_000))));
    const lasting = pngChunk("gAMA", Buffer.from([0, 0, 0xb1, 0x8f]));
    const parts = [plain.subarray(0, header), ...extras, lasting, plain.subarray(header)];
    const content = Uint8Array.from(Buffer.concat(parts));
    await organization.putBrandImage({ brandId: id, kind: BrandImageKind.LOGO, content });
    const read = await organization.getBrandImage({ brandId: id, kind: BrandImageKind.LOGO });
    const kept = Buffer.concat([plain.subarray(0, header), lasting, plain.subarray(header)]);
    expect(Buffer.from(read.content)).toEqual(kept);
    expect(read.image).toMatchObject({ bytes: kept.length, sha256: createHash("sha256").update(kept).digest() });
  });

  test("goes with others or not at all, also when some of them are deleted at the same time", async () => {
    const names = ["A", "B", "C", "D"];
    const ids = await Promise.all(names.map(async (name) => (await create({ name })).id));
    const [first = "", second = "", third = "", fourth = ""] = ids;
    const left = async () => (await organization.listBrands({})).brands.map(({ name }) => name).sort();
    for (const otherBrandIds of [
      [second, randomUUID()],
      [second, "nonsense"],
    ]) {
      await expectDomainError(organization.deleteBrand({ brandId: first, otherBrandIds }), "BRAND_NOT_FOUND");
    }
    expect(await left()).toEqual(names);
    const both = await Promise.allSettled([
      organization.deleteBrand({ brandId: first, otherBrandIds: [second, third.toUpperCase()] }),
      organization.deleteBrand({ brandId: third, otherBrandIds: [fourth, third] }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect([["A", "B"], ["D"]]).toContainEqual(await left());
    const gone = both[0].status === "fulfilled" ? 3 : 2;
    expect((await auditActions()).filter((action) => action === "brand.deleted")).toHaveLength(gone);
  });

  test("is seen in a mail before it is saved, and what would be refused is refused", async () => {
    const texts = [text({ locale: "de", subject: "Von {sender}: {subject}" })];
    const brand = await create({ name: "Example AG", footerText: "Berlin", texts });
    const content = Buffer.from(onePixel, "base64");
    await organization.putBrandImage({ brandId: brand.id, kind: BrandImageKind.LOGO, content });
    const preview = (settings: Settings, paths: string[], more: { mail?: string; locale?: string } = {}) =>
      organization.previewBrandMail({
        ...{ brandId: brand.id, settings, updateMask: { paths }, mail: "invitation", locale: "de", ...more },
      });
    const changes = { senderName: "Example Legal", replyTo: "legal@example.com", colors: { button: "#0b5d3b" } };
    const mail = await preview(changes, ["sender_name", "reply_to", "colors"]);
    expect(mail).toMatchObject({
      ...{ fromName: "Example Legal", replyTo: "legal@example.com", subject: "Von Acme: Lease agreement" },
    });
    expect(mail.html).toContain("background:#0b5d3b");
    expect(mail.html).toMatch(/<img src="data:image\/png;base64,[A-Za-z0-9+/=]+" alt="Example Legal"/);
    expect(mail.text).toMatch(/Berlin\n$/);
    for (const kind of ["reminder", "expiring", "completed", "declined", "voided", "expired"]) {
      expect((await preview({}, [], { mail: kind, locale: "" })).subject).toContain("Lease agreement");
    }
    await expectDomainError(preview({ senderName: "a@b.example" }, ["sender_name"]), "VALIDATION_FAILED");
    await expectDomainError(preview({}, [], { locale: "x y" }), "VALIDATION_FAILED");
    const stranger = system.organization();
    const theirs = stranger.previewBrandMail({
      ...{ brandId: brand.id, settings: {}, updateMask: { paths: [] }, mail: "invitation" },
    });
    await expectDomainError(theirs, "BRAND_NOT_FOUND");
    // Nothing of it is kept.
    expect((await organization.getBrand({ brandId: brand.id })).brand).toMatchObject({ senderName: "", replyTo: "" });
  });

  test("of another organization is none", async () => {
    const stranger = system.organization();
    const { id } = await create({ name: "Theirs", isDefault: true }, stranger);
    await expectDomainError(organization.getBrand({ brandId: id }), "BRAND_NOT_FOUND");
    expect((await organization.listBrands({})).brands).toEqual([]);
    expect((await organization.resolveBrand({ brandId: id })).brand).toBeUndefined();
    await expectDomainError(organization.createAgreement({ definition: { brandId: id } }), "BRAND_NOT_FOUND");
  });
});

describe("an agreement", () => {
  test("has the brand that it or its template has chosen, until a draft chooses another", async () => {
    const [one, two] = [await create({ name: "One" }), await create({ name: "Two" })];
    const template = await organization.createAgreement({
      isTemplate: true,
      definition: { name: "NDA", brandId: one.id },
    });
    const source = { case: "templateId", value: template.agreement?.id ?? "" } as const;
    const made = async (definition: { brandId?: string }) =>
      (await organization.createAgreement({ definition, compositions: [{ layers: [{ source }] }] })).agreement;
    const draft = await made({});
    expect(draft?.brandId).toBe(one.id);
    expect((await made({ brandId: two.id.toUpperCase() }))?.brandId).toBe(two.id);
    const change = async (brandId: string) => {
      const target = { id: { case: "agreementId", value: draft?.id ?? "" } } as const;
      return (await organization.updateAgreement({ target, changes: { brandId } })).agreement?.brandId;
    };
    expect(await change(two.id)).toBe(two.id);
    await expectDomainError(change(randomUUID()), "BRAND_NOT_FOUND");
    await expectDomainError(change("nonsense"), "BRAND_NOT_FOUND");
    expect(await change("")).toBe("");
    // A template whose brand is gone is used like any other.
    await organization.deleteBrand({ brandId: one.id });
    expect((await made({}))?.brandId).toBe(one.id);
  });
});

test("a text holds for its tag, and else for its language", () => {
  const texts = [text({ locale: "pt" }), text({ locale: "pt-BR", intro: "Oi" })];
  const introFor = (tag: string) => textOf({ texts }, "invitation", tag)?.intro;
  expect(["pt-BR", "pt-PT", "PT", "de", ""].map(introFor)).toEqual(["Oi", "", "", undefined, undefined]);
  expect(textOf({ texts }, "reminder", "pt")).toBeUndefined();
});

function text(more: Partial<BrandText>): BrandText {
  return { locale: "en", mail: "invitation", subject: "{subject}", intro: "", ...more };
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
