import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createFileRegistry, type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { allRoutes } from "../../routes/index.ts";
import { backends, limitGroupOf, parseClientMap, publicAccess } from "../public-rpcs.ts";

const released = new URL("../../../test/released/contracts.binpb.gz", import.meta.url);
const rpcs = backends.flatMap(([, { methods }]) =>
  methods.flatMap((method) => {
    const access = publicAccess(method);
    return access === undefined ? [] : [[`${method.parent.typeName}/${method.name}`, method, access] as const];
  }),
);

describe("a public RPC", () => {
  test.each(rpcs)("%s asks for no less than its operation of the REST API", (_name, _method, access) => {
    const route = allRoutes.find(({ operationId }) => operationId === access.operation);
    if (route === undefined || route.access === "public") throw new Error(`${access.operation} protects nothing`);
    expect(access.scopes.length).toBeGreaterThan(0);
    expect(route.access.scopes).toEqual(expect.arrayContaining(access.scopes));
    expect(limitGroupOf(access)).toBe(route.access.limitGroup);
  });

  test.each(rpcs)("%s has no field that says on whose behalf it is made", (_name, { input }) => {
    const telling = [...messagesIn(input)].flatMap(({ typeName, fields }) =>
      fields
        .filter(({ name }) => /^(organization_id|org_id|client_id|caller)$/.test(name))
        .map(({ name }) => [typeName, name]),
    );
    expect(telling).toEqual([]);
  });

  test("belongs to a service that others may know of: neither credentials nor people are administered so", () => {
    expect([...new Set(rpcs.map(([, { parent }]) => parent.name))].sort()).toEqual([
      "ClickService",
      "DocgenService",
      "SignService",
      "TemplatesService",
    ]);
  });

  test("stays public, for whoever was allowed to call it when the last release was made", () => {
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, gunzipSync(readFileSync(released))));
    const before = backends.flatMap(([, { typeName }]) => registry.getService(typeName)?.methods ?? []);
    expect(before.length).toBeGreaterThan(100);
    for (const method of before) {
      const access = publicAccess(method);
      if (access === undefined) continue;
      const now = rpcs.find(([name]) => name === `${method.parent.typeName}/${method.name}`);
      expect(now?.[2].scopes).toEqual(expect.arrayContaining(access.scopes));
    }
  });
});

describe("docs/grpc.md", () => {
  const page = readFileSync(new URL("../../../docs/grpc.md", import.meta.url), "utf8");

  test("names every public RPC, and no other", () => {
    const rows = [...page.matchAll(/^\| `(assent\.[\w.]+)` \| (.+) \|$/gm)];
    const named = rows.flatMap(([, service = "", list = ""]) =>
      [...list.matchAll(/`(\w+)`/g)].map(([, name]) => `${service}/${name}`),
    );
    expect(named.sort()).toEqual(rpcs.map(([name]) => name).sort());
  });

  test("calls from the command line what there is, by the file that it is in", () => {
    const [, file = "", service = "", name = ""] = /-proto (\S+)[^`]*? (assent[\w.]+)\/(\w+)\n/.exec(page) ?? [];
    const rpc = rpcs.find(([rpcName]) => rpcName === `${service}/${name}`);
    expect(rpc?.[1].parent.file.name).toBe(file.replace(/\.proto$/, ""));
  });

  test("tells how to get the contracts, with all that they import", () => {
    const [command = ""] = /^node_modules\/.bin\/buf export .+$/m.exec(page) ?? [];
    const folder = mkdtempSync(join(tmpdir(), "assent-contracts-"));
    const root = new URL("../../../", import.meta.url);
    try {
      const [program = "", ...given] = command.replace(/ contracts$/, ` ${folder}`).split(" ");
      execFileSync(program, given, { cwd: root });
      const contracts = new Set(rpcs.map(([, { parent }]) => `${parent.file.name}.proto`));
      for (const name of contracts) {
        const sent = readFileSync(join(folder, name), "utf8");
        expect(sent).toBe(readFileSync(new URL(`proto/${name}`, root), "utf8"));
        for (const [, imported = ""] of sent.matchAll(/^import .(.+).;$/gm)) {
          if (imported.startsWith("google/protobuf/")) continue;
          expect(readFileSync(join(folder, imported), "utf8")).not.toBe("");
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});

/** A message and everything that may be in it. */
function messagesIn(message: DescMessage, found = new Set<DescMessage>()): Set<DescMessage> {
  if (found.has(message) || message.typeName.startsWith("google.protobuf.")) return found;
  found.add(message);
  for (const field of message.fields) if (field.message !== undefined) messagesIn(field.message, found);
  return found;
}

describe("the programs that have certificates", () => {
  const organizations = [newId()];
  const entry = { client: "checkout", organizations, scopes: ["click:accept"] };

  test("are known by the names in them", () => {
    const map = parseClientMap(JSON.stringify({ "spiffe://example.org/shop": entry }));
    expect(map.get("spiffe://example.org/shop")).toEqual({
      ...{ clientId: "service:checkout", organizations, scopes: new Set(["click:accept"]) },
    });
    expect(parseClientMap(" ").size).toBe(0);
  });

  test.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["no client", { ...entry, client: "" }],
    ["a client that looks like another kind", { ...entry, client: "user:1" }],
    ["no organization", { ...entry, organizations: [] }],
    ["every organization", { ...entry, organizations: "*" }],
    ["no scope", { ...entry, scopes: [] }],
    ["a scope of people", { ...entry, scopes: ["dashboard:admin"] }],
    ["a member that nothing reads", { ...entry, scope: "click:accept" }],
    ["nothing", null],
  ])("are refused with %s", (_what, value) => {
    const text = typeof value === "string" ? value : JSON.stringify({ shop: value });
    expect(() => parseClientMap(text)).toThrow(/^(must be|has) /);
  });
});
