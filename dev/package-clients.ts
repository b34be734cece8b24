// `npm run package:clients`: the clients for JavaScript and TypeScript, of the public contracts alone, as a package.
// An argument names another folder to write it to.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { backends, publicAccess } from "../gateway/grpc/public-rpcs.ts";

const root = resolve(import.meta.dirname, "..");
const text = (file: string): string => readFileSync(join(root, file), "utf8");

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Writes `assent-clients-<version>.tgz` into a folder; its path. */
function packageClients(into: string): string {
  const { version, license, dependencies } = JSON.parse(text("package.json")) as Manifest;
  const folder = mkdtempSync(join(tmpdir(), "assent-clients-"));
  try {
    generate(folder);
    const peer = (name: string): readonly [string, string] => [name, `^${dependencies[name]}`];
    const manifest = {
      ...{ name: "assent-clients", version, license, type: "module" },
      description: "Clients of the public RPCs of Assent.",
      exports: { ".": { types: "./index.d.ts", default: "./index.js" }, "./*": "./assent/*" },
      sideEffects: false,
      peerDependencies: Object.fromEntries(["@bufbuild/protobuf", "@connectrpc/connect"].map(peer)),
    };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    writeFileSync(join(folder, "README.md"), readme());
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    execFileSync("npm", ["pack", folder, "--silent", "--pack-destination", into], { cwd: root, stdio: "ignore" });
    return join(into, `assent-clients-${version}.tgz`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The page on gRPC says it once for both. */
function readme(): string {
  const [, section] = /^## JavaScript and TypeScript\n([\s\S]*?)^## /m.exec(text("docs/grpc.md")) ?? [];
  if (section === undefined) throw new Error("docs/grpc.md has no section on JavaScript");
  return `# Clients of Assent\n\nThe public RPCs of Assent, for programs in the same cluster.\n${section.trimEnd()}\n`;
}

/** What failures say more than their status. */
const details = ["ErrorInfo", "BadRequest"];

function generate(folder: string): void {
  const methods = backends.flatMap(([, service]) => service.methods.filter((one) => publicAccess(one) !== undefined));
  const plugin = { local: "protoc-gen-es", out: ".", opt: ["target=js+dts", "import_extension=js"] };
  const rpcs = methods.map(({ parent, name }) => `${parent.typeName}.${name}`);
  const types = [...rpcs, ...details.map((name) => `google.rpc.${name}`)];
  const args = [
    ...["generate", ".", "--output", folder, "--template", JSON.stringify({ version: "v2", plugins: [plugin] })],
    // What the gateway checks is not checked by clients.
    ...["--exclude-type", "buf.validate.**", ...types.flatMap((name) => ["--type", name])],
  ];
  const binaries = join(root, "node_modules/.bin");
  const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}` };
  execFileSync(join(binaries, "buf"), args, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
  const services = [...new Set(methods.map(({ parent }) => parent))];
  const index = services.map(({ name, file }) => `export { ${name} } from "./${file.name}_pb.js";\n`);
  const schemas = details.map((name) => `${name}Schema`).join(", ");
  index.push(`export { ${schemas} } from "./google/rpc/error_details_pb.js";\n`);
  for (const name of ["index.js", "index.d.ts"]) writeFileSync(join(folder, name), index.join(""));
}

process.stdout.write(`${packageClients(resolve(process.argv[2] ?? "."))}\n`);
