import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";

const root = resolve(import.meta.dirname, "../..");
const importPattern = /(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)"([^"]+)"/g;

interface Import {
  readonly file: string;
  /** A path inside the repository, or the name of a package. */
  readonly target: string;
}

const sources = ["api", "platform", "services", "gateway", "views", "web", "dev", "bench", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules") && !name.startsWith("dist/"))
    .map((name) => join(folder, name)),
);
const imports = sources.flatMap(importsOf);
const isTest = (file: string) => file.endsWith(".test.ts") || /(^|\/)(test|testing)\//.test(file);

describe("dependencies between the parts", () => {
  test("the chassis knows no service and no gateway", () => {
    expect(violations((i) => i.file.startsWith("platform/") && /^(services|gateway)\//.test(i.target))).toEqual([]);
  });

  test("a service imports no other service and not the gateway", () => {
    const serviceOf = (path: string) => /^services\/([^/]+)\//.exec(path)?.[1];
    expect(
      violations((i) => {
        const from = serviceOf(i.file);
        if (from === undefined) return false;
        const to = serviceOf(i.target);
        return i.target.startsWith("gateway/") || (to !== undefined && to !== from);
      }),
    ).toEqual([]);
  });

  test("the gateway imports no service", () => {
    expect(violations((i) => i.file.startsWith("gateway/") && i.target.startsWith("services/"))).toEqual([]);
  });

  test("the tables of resources know the contracts and the chassis only", () => {
    const allowed = /^(api|gen|platform)\/|^(@bufbuild\/|node:)/;
    expect(violations((i) => i.file.startsWith("api/") && !isTest(i.file) && !allowed.test(i.target))).toEqual([]);
  });

  test("the views know the contracts and the chassis only", () => {
    expect(violations((i) => i.file.startsWith("views/") && /^(services|gateway)\//.test(i.target))).toEqual([]);
  });

  test("the pages know the contracts, the views and the chassis only", () => {
    expect(violations((i) => i.file.startsWith("web/") && /^(services|gateway)\//.test(i.target))).toEqual([]);
  });

  test("product code imports nothing of dev, test or bench", () => {
    expect(
      violations(
        (i) =>
          /^(api|platform|services|gateway|views|web)\//.test(i.file) &&
          !isTest(i.file) &&
          (/^(dev|test|bench)\//.test(i.target) || i.target.startsWith("platform/testing/")),
      ),
    ).toEqual([]);
  });

  test("the NATS client is imported for the bus and for the witness of the logs only", () => {
    const files = new Set(imports.filter((i) => i.target === "nats" && !isTest(i.file)).map((i) => i.file));
    expect([...files].filter((file) => !file.startsWith("platform/events/nats"))).toEqual([
      "platform/transparency/witness.ts",
    ]);
  });

  test("the environment is read in config.ts, main.ts and the programs of dev and bench only", () => {
    const readers = sources.filter(
      (file) =>
        /^(api|platform|services|gateway|views)\//.test(file) && !isTest(file) && /process\.env/.test(read(file)),
    );
    expect(readers.filter((file) => !/\/(config|main)\.ts$/.test(file))).toEqual([]);
  });

  test("what is recorded has its time of the clock that was injected", () => {
    const askers = sources.filter(
      (file) =>
        /^(api|platform|services|gateway|views)\//.test(file) && !isTest(file) && /new Date\(\)/.test(read(file)),
    );
    expect(askers).toEqual(["platform/clock.ts"]);
  });

  test("every package that is imported is declared", () => {
    const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
    const declared = { ...manifest.dependencies, ...manifest.devDependencies };
    const packages = new Set(imports.map((i) => packageName(i.target)).filter((name) => name !== undefined));
    expect([...packages].filter((name) => !Object.hasOwn(declared, name))).toEqual([]);
  });

  test("product code imports no package that is declared for development only", () => {
    const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
    expect(
      violations((i) => {
        const name = packageName(i.target);
        return (
          /^(api|platform|services|gateway|views)\//.test(i.file) &&
          !isTest(i.file) &&
          name !== undefined &&
          !Object.hasOwn(manifest.dependencies ?? {}, name)
        );
      }),
    ).toEqual([]);
  });
});

describe("dependencies on others", () => {
  test("every declared package has its reason in docs/dependencies.md", () => {
    const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
    const reasons = read("docs/dependencies.md");
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(declared.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([]);
  });
});

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

function importsOf(file: string): Import[] {
  return [...read(file).matchAll(importPattern)].map((match) => ({
    file,
    target: resolveTarget(file, match[1] ?? ""),
  }));
}

function resolveTarget(file: string, specifier: string): string {
  if (specifier.startsWith("#")) return specifier.slice(1);
  if (specifier.startsWith(".")) return relative(root, resolve(root, dirname(file), specifier));
  return specifier;
}

function packageName(target: string): string | undefined {
  if (target.startsWith("node:") || /^(api|platform|services|gateway|views|dev|test|bench|gen|web)\//.test(target))
    return undefined;
  const parts = target.split("/");
  return target.startsWith("@") ? parts.slice(0, 2).join("/") : parts[0];
}

function violations(breaks: (i: Import) => boolean): string[] {
  return imports.filter(breaks).map((i) => `${i.file} imports ${i.target}`);
}
