import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { allRoutes } from "../../gateway/routes/index.ts";
import type { JsonSchema } from "../../gateway/routes/route.ts";

// How long a text may be is said by the contract of a service, by the schema of the interface, which is documentation,
// and by the forms of the dashboard, which stop the typing. Here they are held together, by the names of the fields.
const root = resolve(import.meta.dirname, "../..");

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(root, folder, name), "utf8"));

type Limits = Map<string, Set<number>>;

function add(limits: Limits, name: string, limit: number): void {
  limits.set(name, (limits.get(name) ?? new Set()).add(limit));
}

function limitsOfContracts(): Limits {
  const limits: Limits = new Map();
  for (const source of filesIn("proto/assent", ".proto")) {
    for (const [, name = "", rules = ""] of source.matchAll(/string (\w+) = \d+ \[([^\]]*)\]/g)) {
      const limit = /max_len(?: =|:) (\d+)/.exec(rules)?.[1];
      const camel = name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
      if (limit !== undefined) add(limits, camel, Number(limit));
    }
  }
  return limits;
}

function limitsOfInterface(): Limits {
  const limits: Limits = new Map();
  const seen = new Set<unknown>();
  const visit = (schema: JsonSchema, name: string): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (typeof schema.maxLength === "number") add(limits, name, schema.maxLength);
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
  // Recipients and custom fields, by services/sign/domain.
  ...["email 100", "email 500", "recipientId 100", "value 500"],
]);

const contracts = limitsOfContracts();
const interfaces = limitsOfInterface();

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
