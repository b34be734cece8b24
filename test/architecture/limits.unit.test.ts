import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { JsonSchema } from "#api/kinds.ts";
import { allRoutes } from "../../gateway/routes/index.ts";

// How long a text may be, how large a number and how many entries a list has is said by the contract of a service, by the
// schema of the interface, which is documentation, and by the forms of the dashboard, which stop the typing. Here they are
// held together, by the names of the fields.
const root = resolve(import.meta.dirname, "../..");

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(root, folder, name), "utf8"));

type Limits = Map<string, Set<number>>;

function add(limits: Limits, name: string, limit: number): void {
  limits.set(name, (limits.get(name) ?? new Set()).add(limit));
}

interface Kind {
  /** A field in a contract: its name, and its rules. */
  readonly field: RegExp;
  readonly rule: RegExp;
  readonly keywords: readonly string[];
}

const integer = /\bu?int\d+ (\w+) = \d+ \[([^\]]*)\]/g;

const lengths: Kind = {
  field: /string (\w+) = \d+ \[([^\]]*)\]/g,
  rule: /max_len(?: =|:) (\d+)/,
  keywords: ["maxLength"],
};

const ranges: Readonly<Record<string, Kind>> = {
  "the least a number may be": { field: integer, rule: /\bgte(?: =|:) (\d+)/, keywords: ["minimum"] },
  "the most a number may be": { field: integer, rule: /\blte(?: =|:) (\d+)/, keywords: ["maximum"] },
  "how many entries there may be": {
    field: /(?:repeated [\w.]+|map<[^>]+>) (\w+) = \d+ \[([^\]]*)\]/g,
    rule: /max_(?:items|pairs)(?: =|:) (\d+)/,
    keywords: ["maxItems", "maxProperties"],
  },
};

function limitsOfContracts({ field, rule }: Kind): Limits {
  const limits: Limits = new Map();
  for (const source of filesIn("proto/assent", ".proto")) {
    for (const [, name = "", rules = ""] of source.matchAll(field)) {
      const limit = rule.exec(rules)?.[1];
      const camel = name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
      if (limit !== undefined) add(limits, camel, Number(limit));
    }
  }
  return limits;
}

function limitsOfInterface({ keywords }: Kind): Limits {
  const limits: Limits = new Map();
  const seen = new Set<unknown>();
  const visit = (schema: JsonSchema, name: string): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    for (const keyword of keywords) {
      const limit = schema[keyword];
      if (typeof limit === "number") add(limits, name, limit);
    }
    for (const [key, value] of Object.entries(schema)) {
      if (typeof value !== "object" || value === null) continue;
      if (key === "properties") for (const [inner, one] of Object.entries(value)) visit(one as JsonSchema, inner);
      else if (Array.isArray(value)) for (const one of value) visit(Object(one) as JsonSchema, name);
      else visit(value as JsonSchema, name);
    }
  };
  for (const { body, query } of allRoutes) {
    if (body !== undefined) visit(body.schema, "");
    if (query !== undefined) visit({ properties: query.properties }, "");
  }
  return limits;
}

/** Said at one side only: by rules of a domain, or of what never reaches a service under that name. */
const ofOneSide = new Set([
  ...["code 4000", "cursor 20", "id 255", "renderToken 8192"],
  // Recipients and custom fields, by services/sign/create.
  ...["email 100", "email 500", "recipientId 100", "value 500"],
  // In contracts 0 is no limit, and a width that of a tile of the log, where that of a tab has no bounds.
  ...["limit 1", "width 100000"],
]);

const interfaces = limitsOfInterface(lengths);

/** Those that the other side does not know, of names that it does know. */
const unknownTo = (known: Limits, limits: Limits): string[] =>
  [...limits].flatMap(([name, values]) => {
    const others = known.get(name);
    return others === undefined
      ? []
      : [...values].filter((value) => !others.has(value)).map((value) => `${name} ${value}`);
  });

describe("how long texts may be", () => {
  test("the schemas of the interface and the contracts of the services say the same", () => {
    const contracts = limitsOfContracts(lengths);
    expect(contracts.size).toBeGreaterThan(50);
    expect(unknownTo(contracts, interfaces).filter((one) => !ofOneSide.has(one))).toEqual([]);
  });

  test("the forms of the dashboard stop where the interface does", () => {
    const forms: Limits = new Map();
    for (const source of filesIn("web/dashboard/src", ".tsx")) {
      for (const [, attributes = ""] of source.matchAll(/<Text(?:Field|Area)\b([^>]*?)\/>/gs)) {
        const name = /\bname="(\w+)"/.exec(attributes)?.[1];
        const limit = /\bmaxLength=\{([\d_]+)\}/.exec(attributes)?.[1];
        if (name !== undefined && limit !== undefined) add(forms, name, Number(limit.replaceAll("_", "")));
      }
    }
    expect(forms.size).toBeGreaterThan(3);
    expect(unknownTo(interfaces, forms)).toEqual([]);
  });
});

describe("ranges", () => {
  test.each(Object.entries(ranges))("%s: the interface and the contracts say the same", (_title, kind) => {
    const [ofContracts, ofInterface] = [limitsOfContracts(kind), limitsOfInterface(kind)];
    expect([...ofContracts.keys()].filter((name) => ofInterface.has(name)).length).toBeGreaterThan(0);
    expect(unknownTo(ofContracts, ofInterface).filter((one) => !ofOneSide.has(one))).toEqual([]);
  });
});
