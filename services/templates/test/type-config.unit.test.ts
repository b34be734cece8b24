import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import {
  completeTypeConfig,
  readTypeConfig,
  type TemplateType,
  typeConfigProblems,
  typeConfigSizeProblems,
} from "../domain/type-config.ts";

const found = (type: TemplateType, config: unknown): string[] =>
  typeConfigProblems(type, config as JsonObject).map(({ field, code }) => `${field} ${code}`);

const defaultProblem = "variables[0].default INVALID_DEFAULT";

describe("completeTypeConfig", () => {
  test("fills in the defaults of the type", () => {
    expect(completeTypeConfig("STATIC")).toEqual({ downloadable: true });
    expect(completeTypeConfig("GENERATED")).toEqual({ variables: [], missing: "ERROR" });
    expect(completeTypeConfig("CONSENT")).toEqual({ purposes: [] });
  });

  test("fills in the defaults of documents, variables and purposes", () => {
    expect(completeTypeConfig("STATIC", { documents: [{ name: "Annex" }], downloadable: false })).toEqual({
      documents: [{ name: "Annex", mustRead: false }],
      downloadable: false,
    });
    expect(completeTypeConfig("GENERATED", { variables: [{ key: "a" }] }).variables).toEqual([
      { key: "a", type: "STRING", required: true, pii: true },
    ]);
    expect(completeTypeConfig("CONSENT", { purposes: [{ key: "news", name: "News" }] }).purposes).toEqual([
      {
        key: "news",
        name: "News",
        legalBasis: "CONSENT",
        required: false,
        dataCategories: [],
        recipients: [],
        thirdCountries: [],
        saleOrShare: false,
      },
    ]);
  });

  test("leaves what it was given alone, and is done when done once", () => {
    const given = { purposes: [{ key: "news", name: "News" }] };
    const complete = completeTypeConfig("CONSENT", given);
    expect(given).toEqual({ purposes: [{ key: "news", name: "News" }] });
    expect(completeTypeConfig("CONSENT", complete)).toEqual(complete);
    const [purpose] = readTypeConfig("CONSENT", complete).purposes;
    expect(purpose?.saleOrShare).toBe(false);
  });

  test("throws for what is not valid", () => {
    expect(() => completeTypeConfig("STATIC", { purposes: [] })).toThrow(
      expect.objectContaining({
        code: "CLICK_VALIDATION_FAILED",
        details: [expect.objectContaining({ field: "typeConfig.purposes", code: "UNKNOWN_FIELD" })],
      }),
    );
  });
});

describe("typeConfigProblems", () => {
  test.each<[TemplateType, JsonObject]>([
    [
      "STATIC",
      {
        documents: [
          { name: "Annex", order: 1, url: "https://a.example/x.pdf", contentHash: `sha256:${"0".repeat(64)}` },
          { name: "Prices", order: 2, mustRead: true },
        ],
        displayMode: "LINK",
        downloadable: false,
      },
    ],
    [
      "GENERATED",
      {
        variables: [
          { key: "fullName", label: "Name", type: "STRING", maxLength: 100, pattern: "[^<>]+", default: "Ann" },
          { key: "order.total", type: "NUMBER", required: false, default: 1.5 },
          { key: "due", type: "DATE", default: "2028-02-29", pii: false },
          { key: "paid", type: "BOOLEAN", default: false },
          { key: "plan", type: "ENUM", enum: ["basic", "pro"], default: "pro" },
        ],
        missing: "EMPTY",
      },
    ],
    [
      "CONSENT",
      {
        controller: {
          name: "Acme",
          address: "Street 1",
          email: "a@acme.example",
          url: "https://acme.example",
          dpoEmail: "dpo@acme.example",
        },
        jurisdiction: "EU",
        privacyNoticeUrl: "https://acme.example/privacy",
        withdrawalMethod: "Settings, or a mail",
        purposes: [
          {
            key: "news",
            name: "News",
            description: "Once a month",
            legalBasis: "EXPLICIT_CONSENT",
            required: true,
            dataCategories: ["e-mail address"],
            recipients: ["Mailer Inc."],
            thirdCountries: ["US"],
            retention: "until withdrawn",
            expiresAfterDays: 365,
            saleOrShare: true,
          },
        ],
      },
    ],
  ])("takes everything that %s can say", (type, config) => {
    expect(found(type, config)).toEqual([]);
    expect(completeTypeConfig(type, config)).toMatchObject(config);
  });

  test.each<[TemplateType, unknown, string]>([
    ["STATIC", { purposes: [] }, "purposes UNKNOWN_FIELD"],
    ["STATIC", { documents: {} }, "documents TYPE"],
    ["STATIC", { documents: [{}] }, "documents[0].name REQUIRED"],
    ["STATIC", { documents: [{ name: "" }] }, "documents[0].name MIN_LENGTH"],
    ["STATIC", { documents: [{ name: "A", secret: 1 }] }, "documents[0].secret UNKNOWN_FIELD"],
    ["STATIC", { documents: [{ name: "A", order: 1.5 }] }, "documents[0].order TYPE"],
    ["STATIC", { documents: [{ name: "A", order: -1 }] }, "documents[0].order MINIMUM"],
    ["STATIC", { documents: [{ name: "A", url: "http://a.example" }] }, "documents[0].url PATTERN"],
    ["STATIC", { documents: [{ name: "A", url: "https://u:p@a.example" }] }, "documents[0].url FORMAT"],
    ["STATIC", { documents: [{ name: "A", url: "https://" }] }, "documents[0].url FORMAT"],
    ["STATIC", { documents: [{ name: "A", contentHash: "sha256:0" }] }, "documents[0].contentHash PATTERN"],
    ["STATIC", { documents: [{ name: "A" }, { name: "B" }, { name: "A" }] }, "documents[2].name NOT_UNIQUE"],
    ["STATIC", { displayMode: "POPUP" }, "displayMode ENUM"],
    ["STATIC", { downloadable: "yes" }, "downloadable TYPE"],
    ["STATIC", { downloadable: null }, "downloadable TYPE"],
    ["STATIC", JSON.parse('{"__proto__":{"downloadable":false}}'), "__proto__ UNKNOWN_FIELD"],
    ["STATIC", { constructor: 1 }, "constructor UNKNOWN_FIELD"],
    ["GENERATED", { missing: "IGNORE" }, "missing ENUM"],
    ["GENERATED", { variables: [{ key: "1a" }] }, "variables[0].key PATTERN"],
    ["GENERATED", { variables: [{ key: `a${"b".repeat(64)}` }] }, "variables[0].key PATTERN"],
    ["GENERATED", { variables: [{ key: "a" }, { key: "A" }, { key: "a" }] }, "variables[2].key NOT_UNIQUE"],
    ["GENERATED", { variables: [{ key: "a", type: "MONEY" }] }, "variables[0].type ENUM"],
    ["GENERATED", { variables: [{ key: "a", kind: "x" }] }, "variables[0].kind UNKNOWN_FIELD"],
    ["GENERATED", { variables: [{ key: "a", maxLength: 0 }] }, "variables[0].maxLength MINIMUM"],
    ["GENERATED", { variables: [{ key: "a", type: "DATE", maxLength: 5 }] }, "variables[0].maxLength NOT_APPLICABLE"],
    ["GENERATED", { variables: [{ key: "a", type: "NUMBER", pattern: "1" }] }, "variables[0].pattern NOT_APPLICABLE"],
    ["GENERATED", { variables: [{ key: "a", pattern: "(a" }] }, "variables[0].pattern INVALID_PATTERN"],
    ["GENERATED", { variables: [{ key: "a", pattern: "(a)\\1" }] }, "variables[0].pattern INVALID_PATTERN"],
    ["GENERATED", { variables: [{ key: "a", pattern: "x".repeat(201) }] }, "variables[0].pattern MAX_LENGTH"],
    ["GENERATED", { variables: [{ key: "a", enum: ["b"] }] }, "variables[0].enum NOT_APPLICABLE"],
    ["GENERATED", { variables: [{ key: "a", type: "ENUM" }] }, "variables[0].enum REQUIRED"],
    ["GENERATED", { variables: [{ key: "a", type: "ENUM", enum: [] }] }, "variables[0].enum MIN_ITEMS"],
    ["GENERATED", { variables: [{ key: "a", type: "ENUM", enum: ["b", "b"] }] }, "variables[0].enum UNIQUE_ITEMS"],
    ["GENERATED", { variables: [{ key: "a", type: "ENUM", enum: ["b"], default: "c" }] }, defaultProblem],
    ["GENERATED", { variables: [{ key: "a", default: 1 }] }, defaultProblem],
    ["GENERATED", { variables: [{ key: "a", maxLength: 2, default: "🙂🙂🙂" }] }, defaultProblem],
    ["GENERATED", { variables: [{ key: "a", pattern: "[a-z]+", default: "A" }] }, defaultProblem],
    ["GENERATED", { variables: [{ key: "a", type: "NUMBER", default: "1" }] }, defaultProblem],
    ["GENERATED", { variables: [{ key: "a", type: "BOOLEAN", default: 0 }] }, defaultProblem],
    ["GENERATED", { variables: [{ key: "a", type: "DATE", default: "2027-02-29" }] }, defaultProblem],
    ["GENERATED", { variables: [{ key: "a", type: "DATE", default: "2027-13-01" }] }, defaultProblem],
    ["GENERATED", { variables: [{ key: "a", type: "DATE", default: "1.2.2027" }] }, defaultProblem],
    ["CONSENT", { controller: { email: "a@b.example" } }, "controller.name REQUIRED"],
    ["CONSENT", { controller: { name: "A", phone: "1" } }, "controller.phone UNKNOWN_FIELD"],
    ["CONSENT", { controller: { name: "A", email: "nobody" } }, "controller.email FORMAT"],
    ["CONSENT", { controller: { name: "A", email: "a b@c.example" } }, "controller.email FORMAT"],
    ["CONSENT", { controller: { name: "A", email: "a@@c.example" } }, "controller.email FORMAT"],
    ["CONSENT", { controller: { name: "A", dpoEmail: "a@c..example" } }, "controller.dpoEmail FORMAT"],
    ["CONSENT", { jurisdiction: "Germany" }, "jurisdiction PATTERN"],
    ["CONSENT", { privacyNoticeUrl: "javascript:alert(1)" }, "privacyNoticeUrl PATTERN"],
    ["CONSENT", { purposes: [{ key: "News", name: "N" }] }, "purposes[0].key PATTERN"],
    ["CONSENT", { purposes: [{ key: "news" }] }, "purposes[0].name REQUIRED"],
    [
      "CONSENT",
      { purposes: [{ key: "a", name: "A", legalBasis: "LEGITIMATE_INTEREST" }] },
      "purposes[0].legalBasis ENUM",
    ],
    ["CONSENT", { purposes: [{ key: "a", name: "A", checked: true }] }, "purposes[0].checked UNKNOWN_FIELD"],
    ["CONSENT", { purposes: [{ key: "a", name: "A", expiresAfterDays: 0 }] }, "purposes[0].expiresAfterDays MINIMUM"],
    [
      "CONSENT",
      {
        purposes: [
          { key: "a", name: "A" },
          { key: "a", name: "B" },
        ],
      },
      "purposes[1].key NOT_UNIQUE",
    ],
    ["CONSENT", { purposes: purposes(21) }, "purposes MAX_ITEMS"],
  ])("of %s with %j", (type, config, expected) => {
    expect(found(type, config)).toContain(`typeConfig.${expected}`);
  });

  test("takes 20 purposes", () => {
    expect(found("CONSENT", { purposes: purposes(20) })).toEqual([]);
  });

  test("names everything that is wrong at once", () => {
    const purpose = { key: "NEWS", name: "", legalBasis: "CONTRACT", on: true };
    expect(found("CONSENT", { purposes: [purpose], extra: 1 }).sort()).toEqual([
      "typeConfig.extra UNKNOWN_FIELD",
      "typeConfig.purposes[0].key PATTERN",
      "typeConfig.purposes[0].legalBasis ENUM",
      "typeConfig.purposes[0].name MIN_LENGTH",
      "typeConfig.purposes[0].on UNKNOWN_FIELD",
    ]);
  });

  test("a huge one costs little", () => {
    const hostile = { variables: Array.from({ length: 8000 }, () => ({})), missing: 1 };
    const tooLarge = { documents: "x".repeat(1_000_000) };
    const start = performance.now();
    expect(found("GENERATED", hostile)).toHaveLength(1);
    expect(found("STATIC", tooLarge)).toEqual(["typeConfig TOO_LARGE"]);
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(typeConfigSizeProblems({ a: "ä".repeat(32_800) })).toHaveLength(1);
  });
});

function purposes(count: number) {
  return Array.from({ length: count }, (_, n) => ({ key: `p${n}`, name: `Purpose ${n}` }));
}
