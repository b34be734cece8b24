import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { UserRole } from "#gen/assent/auth/v1/users_pb.ts";
import { AssetSchema, ValidateTemplateResponseSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { AnchorSchema, TabSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  ContentFormat,
  CreateVersionRequestSchema,
  TemplateStatus,
  UpdateVersionRequestSchema,
  VersionChangesSchema,
  VersionSchema,
  VersionStatus,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { CreateEndpointResponseSchema } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { genTemplate, genValidation } from "../generation-templates.ts";
import { count, flag, list, named, text, time } from "../kinds.ts";
import { optional, readOnly } from "../members.ts";
import { nameReader, recordsOf } from "../records.ts";
import { nested, resource, shown } from "../resource.ts";
import { type TabBody, tab } from "../tabs.ts";
import { deployment, publication, version, versionWithAll } from "../templates.ts";
import { user } from "../users.ts";
import { endpoint, endpointWithSecret } from "../webhooks.ts";

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

describe("a table that does not fit its message is refused at start", () => {
  const report = shown(AnchorSchema, { text: readOnly(text()) });
  const cases: [string, () => unknown, string][] = [
    ["a field that is not there", () => shown(VersionSchema, { words: readOnly(text()) }), "has no words"],
    ["a place that is not there", () => shown(VersionSchema, { b: readOnly(text(), { at: "texts.b" }) }), "no texts.b"],
    ["a text for a number", () => shown(VersionSchema, { revision: readOnly(text()) }), "revision is not a text"],
    ["a number for a text", () => shown(VersionSchema, { title: readOnly(count) }), "title is not an integer"],
    ["a flag for a text", () => shown(VersionSchema, { title: readOnly(flag) }), "title is not a flag"],
    ["a time for a text", () => shown(VersionSchema, { title: readOnly(time) }), "title is not a time"],
    ["one value for a list", () => shown(VersionSchema, { revisions: readOnly(text()) }), "revisions is not a text"],
    ["a list for one value", () => shown(VersionSchema, { title: readOnly(list(text())) }), "title is not a list"],
    [
      "another message",
      () => shown(VersionSchema, { template: readOnly(nested(report)) }),
      "is no assent.sign.v1.Anchor",
    ],
    ["another enum", () => shown(VersionSchema, { format: readOnly(named(TemplateStatus)) }), "format is not one of"],
    [
      "a text longer than the contract lets through",
      () => resource(CreateVersionRequestSchema, { title: optional(text(0, 256)) }),
      "title is not a text of 256 characters",
    ],
    [
      "what can be changed and is in no change",
      () =>
        resource(
          VersionSchema,
          { label: optional(text()) },
          { change: UpdateVersionRequestSchema, create: VersionSchema },
        ),
      "VersionChanges has no label",
    ],
  ];
  test.each(cases)("%s", (_, declare, message) => {
    expect(declare).toThrow(message);
  });
});

describe("the schemas of a table", () => {
  test("take the bounds of the contract, of what is sent and not of what is shown", () => {
    const { create: sent, answer } = version.schemas;
    expect((sent.properties as Record<string, unknown>).buttonText).toEqual({
      type: ["string", "null"],
      minLength: 0,
      maxLength: 255,
    });
    expect((answer.properties as Record<string, unknown>).buttonText).toEqual({ type: ["string", "null"] });
    expect([sent.required, version.schemas.change.required]).toEqual([["locale", "content"], []]);
  });
});

describe("bodies", () => {
  test("become requests, with names of enums, times and what stands in messages of their own", () => {
    const body = {
      locale: "en",
      content: "x",
      format: "markdown",
      title: null,
      effectiveAt: "2027-01-01T00:00:00+01:00",
      buttonText: "OK",
    } as const;
    expect(version.create(body)).toEqual({
      locale: "en",
      content: "x",
      format: ContentFormat.MARKDOWN,
      effectiveAt: timestampFromDate(new Date("2026-12-31T23:00:00Z")),
      texts: { buttonText: "OK" },
    });
  });

  test("that change have a mask of everything that they name, null included", () => {
    const ifUpdatedAt = "2027-01-01T00:00:00.000Z";
    expect(version.change({ title: null, buttonText: "OK", purposeTexts: null, ifUpdatedAt })).toEqual({
      changes: { texts: { buttonText: "OK" } },
      updateMask: { paths: ["title", "texts.button_text", "texts.purpose_texts"] },
      ifUpdatedAt: timestampFromDate(new Date(ifUpdatedAt)),
    });
    expect(deployment.change({ name: "a", force: true })).toEqual({
      fields: { name: "a" },
      updateMask: { paths: ["name"] },
      force: true,
    });
  });

  test.each([
    [{}, true],
    [{ publish: false }, false],
    [{ isPublished: false, publish: null }, false],
    [{ published: true, publish: false }, true],
  ])("of a publication may call it by three names: %j", (body, published) => {
    expect(publication.create(body)).toEqual({ published, requireReacceptance: true });
  });

  test("that change by a request without a mask have the empty value for null", () => {
    expect(endpoint.change({ description: null, eventTypes: null })).toEqual({
      description: "",
      eventTypes: {},
    });
    expect(endpoint.change({ eventTypes: ["webhook.test"], enabled: false })).toEqual({
      eventTypes: { types: ["webhook.test"] },
      enabled: false,
    });
    expect(endpoint.create({ url: "https://a.example/", eventTypes: null })).toEqual({
      url: "https://a.example/",
      enabled: true,
    });
    expect(user.change({ locale: null, role: "owner" })).toEqual({ locale: "", role: UserRole.OWNER });
    expect(genTemplate.change({ page: { header: null, font: "serif" }, sampleData: null })).toEqual({
      page: { header: "", font: "serif" },
      sampleDataJson: "null",
    });
  });

  test.each([
    ["texts.consent_text", "consentText"],
    ["changes.texts.consentText", "consentText"],
    ['changes.texts.purpose_texts["a"]', 'purposeTexts["a"]'],
    ["changeSummary", "changeSummary"],
    ["change_summary", "changeSummary"],
    ["updateMask", "updateMask"],
  ])("are told of a problem at %s as %s", (path, name) => {
    expect(version.bodyPath(path)).toBe(name);
  });
});

describe("answers", () => {
  const message = create(VersionSchema, {
    id: "1",
    format: ContentFormat.HTML,
    status: VersionStatus.PUBLISHED,
    createdAt: { seconds: 1_700_000_000n, nanos: 123_999_999 },
  });

  test("have what a message holds in another one as its own, what is given to them, and flags that are off", () => {
    const made = create(CreateEndpointResponseSchema, { endpoint: { id: "1", enabled: false }, secret: "s" });
    expect(endpointWithSecret.answer(made, { organizationId: "2" })).toMatchObject({
      ...{ id: "1", organizationId: "2", secret: "s" },
      ...{ enabled: false, status: "DISABLED", description: null, eventTypes: [] },
    });
    expect(endpointWithSecret.schemas.answer.required).toContain("organizationId");
  });

  test("leave out what is shown only when there is something", () => {
    const findings = [
      { code: "a", message: "b" },
      { code: "c", message: "d", path: "/e", line: 3 },
    ];
    expect(genValidation.answer(create(ValidateTemplateResponseSchema, { findings }))).toEqual({
      valid: false,
      errors: [
        { code: "a", message: "b", line: null, column: null },
        { code: "c", message: "d", line: 3, column: null, path: "/e" },
      ],
    });
  });

  test("have null for what is not there, and milliseconds that are cut off", () => {
    expect(version.answer(message)).toMatchObject({
      title: null,
      format: "html",
      buttonText: null,
      purposeTexts: {},
      isPublished: true,
      revision: 0,
      createdAt: "2023-11-14T22:13:20.123Z",
      archivedAt: null,
      revisions: [],
    });
    expect(version.answer(create(VersionSchema, { format: 99 as ContentFormat }))).toMatchObject({ status: null });
  });

  test("take for nothing what a field without presence has for it", () => {
    const { buttons } = tab.answer(create(TabSchema, { buttons: [{ value: "a" }] }));
    expect(buttons).toMatchObject([{ tabId: null, value: "a", page: null, x: 0, anchor: null, selected: false }]);
  });

  test("have what is shown on demand when it is asked for", () => {
    expect(Object.keys(versionWithAll.answer(message))).not.toContain("deployments");
    expect(versionWithAll.answer(message, { deployments: true })).toMatchObject({ deployments: [] });
  });
});

describe("tabs", () => {
  const points = fc.integer({ min: -100_000, max: 100_000 });
  const line = fc.string({ minLength: 1, maxLength: 20 });
  const anchor = fc.record({
    text: line,
    xOffset: points,
    yOffset: points,
    unit: fc.constantFrom("pixels" as const, "millimeters" as const),
    alignment: fc.constantFrom("left" as const, "right" as const),
    caseSensitive: fc.boolean(),
    wholeWord: fc.boolean(),
    ignoreIfAbsent: fc.boolean(),
  });
  const page = fc.integer({ min: 1, max: 100_000 });
  const button = fc.record({
    value: line,
    page,
    x: points,
    y: points,
    anchor: fc.option(anchor),
    selected: fc.boolean(),
  });
  const body: fc.Arbitrary<TabBody> = fc.record({
    type: fc.constantFrom("dateSigned" as const, "list" as const, "radioGroup" as const),
    label: fc.option(line),
    documentId: fc.option(line),
    page: fc.option(page),
    x: fc.option(points),
    y: fc.option(points),
    width: fc.option(points),
    height: fc.option(points),
    anchor: fc.option(anchor),
    required: fc.boolean(),
    locked: fc.boolean(),
    value: fc.option(fc.string()),
    items: fc.array(fc.record({ text: line, value: line, selected: fc.boolean() })),
    buttons: fc.array(button),
    tooltip: fc.option(line),
    maxLength: fc.option(fc.integer({ min: 1, max: 10_000 })),
    validationPattern: fc.option(line),
    validationMessage: fc.option(line),
    scale: fc.option(fc.constantFrom(0.5, 1, 2)),
    condition: fc.option(fc.record({ label: line, value: fc.option(line) })),
    shared: fc.boolean(),
  });

  test("are shown as they were sent", () => {
    fc.assert(
      fc.property(body, (sent) => {
        const { tabId, status, buttons, ...shownAgain } = tab.answer(create(TabSchema, tab.create(sent)));
        const withoutIds = buttons.map(({ tabId: _, ...one }) => one);
        expect({ ...shownAgain, buttons: withoutIds }).toEqual(sent);
      }),
      { seed, numRuns: 300 },
    );
  });
});

describe("records", () => {
  const versions = recordsOf(VersionSchema, { format: ContentFormat, status: VersionStatus });

  test("have dates, names and null, and become the same message again", () => {
    const message = create(VersionSchema, {
      id: "1",
      title: "t",
      format: ContentFormat.TEXT,
      createdAt: timestampFromDate(new Date(1_700_000_000_123)),
    });
    const record = versions.read(message);
    expect(record).toMatchObject({ title: "t", format: "TEXT", status: null, label: null, publishedAt: null });
    expect(record.createdAt).toEqual(new Date(1_700_000_000_123));
    expect(create(VersionSchema, versions.write(record))).toEqual(message);
  });

  test("are read as far as a mask names their members", () => {
    const changes = recordsOf(VersionChangesSchema, { format: ContentFormat });
    const message = create(VersionChangesSchema, { title: "t", texts: { buttonText: "b" } });
    expect(changes.masked(message, ["title", "label", "texts.button_text", "texts.nothing", "change_summary"])).toEqual(
      {
        changes: { title: "t", changeSummary: null },
        parts: { texts: ["buttonText"] },
        unknown: ["label", "texts.nothing"],
      },
    );
  });

  test("have the names that a service uses, and numbers for 64 bits", () => {
    const statuses = { "not-yet": VersionStatus.DRAFT, live: VersionStatus.PUBLISHED } as const;
    const named = recordsOf(VersionSchema, { status: statuses });
    expect(named.write({ status: "live" })).toEqual({ status: VersionStatus.PUBLISHED });
    expect(named.read(create(VersionSchema, { status: VersionStatus.DRAFT })).status).toBe("not-yet");
    expect(named.read(create(VersionSchema, { status: VersionStatus.ARCHIVED })).status).toBeNull();
    expect(recordsOf(AssetSchema).write({ bytes: 7 })).toEqual({ bytes: 7n });
  });

  test("a number has its name, but for that of nothing and those of a later contract", () => {
    const statusOf = nameReader(VersionStatus);
    const numbers = [undefined, VersionStatus.UNSPECIFIED, VersionStatus.DRAFT, 99];
    expect(numbers.map(statusOf)).toEqual([undefined, undefined, "DRAFT", undefined]);
  });
});
