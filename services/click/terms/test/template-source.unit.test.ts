import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "@jest/globals";
import {
  type ResolveTemplatesRequest,
  TemplateSnapshotSchema,
  TemplateStatus,
  TemplatesService,
  TemplateType,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { keepSoon } from "../content-keeper.ts";
import { createTemplateSource, resolveNow, type TemplateName, templateKey } from "../template-source.ts";

const organizationId = "0190a000-0000-7000-8000-000000000001";
const name: TemplateName = { organizationId, template: { case: "templateSlug", value: "terms" } };

describe("resolve", () => {
  let now: number;
  let validForMs: number;
  let etag: string;
  let changesAt: Date | undefined;
  let requests: ResolveTemplatesRequest[];

  beforeEach(() => {
    now = 1_000;
    validForMs = 25;
    etag = "a";
    changesAt = undefined;
    requests = [];
  });

  const source = () => {
    const transport = createMemoryTransport(
      (router) => {
        router.service(TemplatesService, {
          resolveTemplates: (request) => {
            requests.push(request);
            const results = request.items.map((item) =>
              item.knownEtag === etag
                ? { etag }
                : {
                    etag,
                    snapshot: { ...snapshot(etag), ...(changesAt && { changesAt: timestampFromDate(changesAt) }) },
                  },
            );
            return { results, validForMs };
          },
        });
      },
      { interceptors: [] },
    );
    return createTemplateSource(createClient(TemplatesService, transport), () => now);
  };
  const nameOf = async (templates: ReturnType<typeof source>) =>
    (await templates.resolve([name])).get(templateKey(name))?.terms.terms.name;

  test("nothing is asked again while the answer is valid", async () => {
    const templates = source();
    expect(await nameOf(templates)).toBe("a");
    now += 24;
    expect(await nameOf(templates)).toBe("a");
    expect(requests).toHaveLength(1);
  });

  test("afterwards a change is seen, and what has not changed travels as an etag", async () => {
    const templates = source();
    await nameOf(templates);
    now += 25;
    expect(await nameOf(templates)).toBe("a");
    expect(requests[1]?.items[0]?.knownEtag).toBe("a");
    etag = "b";
    now += 25;
    expect(await nameOf(templates)).toBe("b");
    expect(requests).toHaveLength(3);
  });

  test("a text that goes live while it is asked for is asked for again, also when another one does meanwhile", async () => {
    validForMs = 0;
    const changes = [5_000, 5_000, 5_002, undefined];
    const times = [4_999, 5_000, 5_003, 5_004];
    const clock = { now: () => new Date(times.shift() ?? 0) };
    const templates = source();
    const ask = () => {
      const resolve: typeof templates.resolve = async (names) => {
        const time = changes.shift();
        changesAt = time === undefined ? undefined : new Date(time);
        etag = `${time}`;
        return templates.resolve(names);
      };
      return resolveNow({ templates: { ...templates, resolve }, clock }, [name]);
    };
    expect((await ask()).now).toEqual(new Date(4_999));
    expect(requests).toHaveLength(1);
    expect([(await ask()).now, requests.length]).toEqual([new Date(5_004), 4]);
  });

  test("nothing is named while texts change faster than they can be asked for", async () => {
    validForMs = 0;
    changesAt = new Date(5_000);
    const clock = { now: () => new Date(5_000) };
    await expectDomainError(resolveNow({ templates: source(), clock }, [name]), "SERVICE_UNAVAILABLE");
  });

  test("an answer that vouches for nothing is never used again", async () => {
    validForMs = 0;
    const templates = source();
    await nameOf(templates);
    await nameOf(templates);
    expect(requests).toHaveLength(2);
  });
});

const snapshot = (label: string) =>
  create(TemplateSnapshotSchema, {
    organizationId,
    templateId: "0190a000-0000-7000-8000-000000000002",
    slug: "terms",
    name: label,
    type: TemplateType.STATIC,
    status: TemplateStatus.PUBLISHED,
    defaultLocale: "en",
    typeConfig: {},
    policyFlags: {},
    publishedVersions: [],
  });

test("an acceptance does not wait long for a text to be kept, which goes on all the same", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isKept = false;
  const noteKept = () => {
    isKept = true;
  };
  const keep = () => (isKept ? undefined : promise.then(noteKept));
  const what = [] as never;
  await expectDomainError(Promise.resolve(keepSoon({ keep }, what, 1)), "SERVICE_UNAVAILABLE");
  const waiting = keepSoon({ keep }, what, 60_000);
  resolve();
  await waiting;
  expect(keepSoon({ keep }, what)).toBeUndefined();
});
