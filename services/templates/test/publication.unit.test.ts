import { describe, expect, test } from "@jest/globals";
import { contentBytes, contentHash, materialHash } from "../domain/content.ts";
import { decidePublish, decideUnpublish, nextLabel } from "../domain/publication.ts";

const draft = { status: "DRAFT", revision: 0, label: null } as const;
const unpublished = { status: "DRAFT", revision: 3, label: "2.1" } as const;
const published = { ...unpublished, status: "PUBLISHED" } as const;
const archived = { ...unpublished, status: "ARCHIVED" } as const;

describe("decidePublish", () => {
  const same = { materialHash: "a", lastMaterialHash: "a", hasDraft: false, requireReacceptance: true };
  const changed = { materialHash: "b", lastMaterialHash: "a", hasDraft: false, requireReacceptance: true };

  test("the first publication is revision 1 with label 1.0, re-acceptance or not", () => {
    for (const requireReacceptance of [true, false]) {
      const order = { materialHash: "a", lastMaterialHash: null, hasDraft: false, requireReacceptance };
      expect(decidePublish(draft, order)).toEqual({ kind: "revised", revision: 1, label: "1.0" });
    }
  });

  test("changed material makes the next revision", () => {
    expect(decidePublish(unpublished, changed)).toEqual({ kind: "revised", revision: 4, label: "3.0" });
    expect(decidePublish(unpublished, { ...changed, requireReacceptance: false })).toEqual({
      kind: "revised",
      revision: 4,
      label: "2.2",
    });
  });

  test("unchanged material is published again under its old number", () => {
    expect(decidePublish(unpublished, same)).toEqual({ kind: "republished", revision: 3, label: "2.1" });
  });

  test("publishing the published changes nothing", () => {
    expect(decidePublish(published, same)).toEqual({ kind: "unchanged" });
  });

  test("the draft of a published version makes the next revision, or says what is live already", () => {
    const withDraft = { ...changed, hasDraft: true, requireReacceptance: false };
    expect(decidePublish(published, withDraft)).toEqual({ kind: "revised", revision: 4, label: "2.2" });
    expect(decidePublish(published, { ...same, hasDraft: true })).toMatchObject({ kind: "republished", revision: 3 });
  });

  test("an archived version is refused", () => {
    expect(() => decidePublish(archived, changed)).toThrow(expect.objectContaining({ code: "CLICK_VERSION_ARCHIVED" }));
  });
});

describe("decideUnpublish", () => {
  test("changes only what is published", () => {
    expect(decideUnpublish(published)).toBe(true);
    expect(decideUnpublish(draft)).toBe(false);
    expect(decideUnpublish(unpublished)).toBe(false);
  });

  test("an archived version is refused", () => {
    expect(() => decideUnpublish(archived)).toThrow(expect.objectContaining({ code: "CLICK_VERSION_ARCHIVED" }));
  });
});

describe("nextLabel", () => {
  test.each([
    [null, true, "1.0"],
    [null, false, "1.0"],
    ["1.0", true, "2.0"],
    ["1.0", false, "1.1"],
    ["1.9", false, "1.10"],
    ["9.10", true, "10.0"],
  ])("after %j with re-acceptance %j comes %j", (last, requireReacceptance, label) => {
    expect(nextLabel(last, requireReacceptance)).toBe(label);
  });
});

describe("contentHash", () => {
  test("is the SHA-256 of the UTF-8 bytes", () => {
    expect(contentHash("")).toBe("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(contentHash("<p>ä</p>")).toBe(contentHash(Buffer.from("<p>ä</p>", "utf8")));
  });

  test("keeps line endings, blanks and Unicode forms apart", () => {
    const texts = ["a\n", "a\r\n", "a", "a ", "\u00e4", "a\u0308", "\ufeffa"];
    expect(new Set(texts.map(contentHash)).size).toBe(texts.length);
    for (const text of texts) expect(contentBytes(text).toString("utf8")).toBe(text);
  });
});

describe("materialHash", () => {
  const material = {
    contentHash: contentHash("text"),
    format: "HTML",
    locale: "en",
    title: "Terms",
    texts: { buttonText: "Agree", linkText: "Terms" },
  } as const;

  test("does not depend on the order of parts or on anything that is not shown", () => {
    const { texts, ...rest } = material;
    const reordered = { texts: { linkText: "Terms", buttonText: "Agree" }, ...rest, changeSummary: "none" };
    expect(materialHash(reordered)).toBe(materialHash(material));
  });

  test.each([
    { contentHash: contentHash("other") },
    { format: "TEXT" as const },
    { locale: "de" },
    { title: null },
    { texts: { buttonText: "OK", linkText: "Terms" } },
    { texts: { buttonText: "Agree" } },
  ])("changes with %j", (change) => {
    expect(materialHash({ ...material, ...change })).not.toBe(materialHash(material));
  });
});
