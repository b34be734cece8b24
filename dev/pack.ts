// `npm run pack`: a release for machines without containers, beside what says what is in it and what it was made of.
// The same sources, lock file and Node make the same bytes. An argument names another folder to write to.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const root = resolve(import.meta.dirname, "..");
const text = (file: string): string => readFileSync(join(root, file), "utf8");

/** Beside what the image has: to install it, and to know how. */
export const besideImage = ["package-lock.json", "README.md", "CHANGELOG.md", "SECURITY.md", "docs", "deploy"];

/** Made from the sources, so that git does not know them. */
const made = ["gen", "web/dist"];

/** What the last stage of deploy/Dockerfile copies. */
const imagePaths = (): string[] =>
  [...text("deploy/Dockerfile").matchAll(/^COPY --from=build \/app\/(\S+) \S+$/gm)].map(([, path = ""]) => path);

/** Whether a path, relative to the root, is sent to the build, by the text of a .dockerignore as ours is written. */
export function isShipped(ignoreFile: string): (path: string) => boolean {
  const lines = ignoreFile.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return (path) => {
    const parts = path.split("/");
    return !lines.some((line) => {
      if (!line.startsWith("**/")) return path === line || path.startsWith(`${line}/`);
      const name = line.slice(3);
      return name.startsWith("*") ? path.endsWith(name.slice(1)) : parts.includes(name);
    });
  };
}

const git = (...args: string[]): string =>
  // Root may pack somebody else's folder.
  execFileSync("git", ["-c", "safe.directory=*", ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", 2],
  });

/** Every file of a release: of the repository only what git knows, so no secret that lies beside it, and no link to one. */
export function releasedFiles(): string[] {
  const nowhere = text("deploy/Dockerfile.dockerignore").replace(/^[^*].*$/gm, "");
  const shipped = isShipped(nowhere);
  const isWanted = (file: string): boolean =>
    [...imagePaths(), ...besideImage].some((path) => file === path || file.startsWith(`${path}/`)) && shipped(file);
  const known = git("ls-files", "-z", "--cached").split("\0");
  const sources = known.filter(
    (file) => isWanted(file) && lstatSync(join(root, file), { throwIfNoEntry: false })?.isFile() === true,
  );
  return [...new Set([...sources, ...made.flatMap(madeFiles)])].sort();
}

/** Of the scripts of processes those of the last build alone. */
function madeFiles(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const current = new Map(["gen/programs", "gen/processes"].map((path) => [path, listed(path)]));
  return files.filter((file) => {
    const cut = file.lastIndexOf("/");
    return current.get(file.slice(0, cut))?.has(file.slice(cut + 1)) ?? true;
  });
}

const listed = (folder: string): Set<string> => new Set(JSON.parse(text(`${folder}/.files`)) as string[]);

/** A tar archive as POSIX has it (ustar), of files that belong to nobody in particular. */
function tar(
  folder: string,
  files: ReadonlyMap<string, { readonly bytes: Buffer; readonly mode: number }>,
  at: number,
) {
  const parts: Buffer[] = [];
  for (const [path, { bytes, mode }] of files) {
    parts.push(header(`${folder}/${path}`, bytes.length, mode, at), bytes, Buffer.alloc(-bytes.length & 511));
  }
  return Buffer.concat([...parts, Buffer.alloc(1_024)]);
}

function header(path: string, size: number, mode: number, at: number): Buffer {
  const block = Buffer.alloc(512);
  const cut = path.length <= 100 ? -1 : path.indexOf("/", path.length - 101);
  const [prefix, name] = [path.slice(0, Math.max(cut, 0)), path.slice(cut + 1)];
  if (Buffer.byteLength(name) > 100 || Buffer.byteLength(prefix) > 155) throw new Error(`${path} is too long for tar`);
  const octal = (value: number, offset: number, length: number): void =>
    void block.write(value.toString(8).padStart(length - 1, "0"), offset);
  block.write(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(at, 136, 12);
  block.write("        0", 148);
  block.write("ustar\u000000", 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

interface Component {
  readonly "bom-ref": string;
}

/**
 * npm's, of the lock file alone. It is asked for all packages, and what is for development alone is taken out here: told to
 * leave those out, it forgets whatever they need, too. Number and time say nothing, so that they follow from the rest.
 */
function billOfMaterials(name: string, at: number): string {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
  const bill = JSON.parse(
    execFileSync("npm", args, {
      ...{ cwd: root, stdio: ["ignore", "pipe", "ignore"], encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
    }),
  );
  const { component } = bill.metadata;
  const wanted = new Set([component["bom-ref"], ...installedPackages(text("package-lock.json"))]);
  bill.components = bill.components.filter((one: Component) => wanted.has(one["bom-ref"]));
  const needs: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[] = bill.dependencies;
  bill.dependencies = needs.flatMap(({ ref, dependsOn }) =>
    wanted.has(ref) ? [{ ref, dependsOn: dependsOn.filter((one) => wanted.has(one)) }] : [],
  );
  const digest = sha256(JSON.stringify(bill.components));
  // npm calls it by its folder.
  component.name = name;
  bill.metadata.timestamp = new Date(at * 1_000).toISOString();
  bill.serialNumber = `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5")}`;
  return json(bill);
}

/** Names and versions of all packages that `npm ci --omit=dev` installs by a lock file, on whichever system. */
export function installedPackages(lockFile: string): Set<string> {
  const packages = Object.entries(JSON.parse(lockFile).packages as Record<string, LockedPackage>);
  return new Set(
    packages.flatMap(([path, { name, version, dev }]) =>
      path === "" || dev ? [] : [`${name ?? path.slice(path.lastIndexOf("node_modules/") + 13)}@${version}`],
    ),
  );
}

interface LockedPackage {
  /** When it is installed under another one. */
  readonly name?: string;
  readonly version: string;
  readonly dev?: boolean;
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

interface Sources {
  /** Absent without a commit, and when something differs from it. */
  readonly commit: string | undefined;
  /** When it was committed, in seconds; what everything in the archive is dated. */
  readonly at: number;
}

function sources(): Sources {
  try {
    const [commit = "", at = ""] = git("log", "-1", "--format=%H %ct").trim().split(" ");
    const isClean = git("status", "--porcelain") === "";
    return { commit: isClean ? commit : undefined, at: Number(process.env.SOURCE_DATE_EPOCH ?? at) };
  } catch {
    return { commit: undefined, at: Number(process.env.SOURCE_DATE_EPOCH ?? 0) };
  }
}

/** What was made of what, as in-toto and SLSA 1.0 write it: a claim of whoever made it, which their signature makes theirs. */
function provenance(
  version: string,
  commit: string | undefined,
  subjects: ReadonlyMap<string, Buffer | string>,
): string {
  const lock = { name: "package-lock.json", digest: { sha256: sha256(text("package-lock.json")) } };
  return json({
    _type: "https://in-toto.io/Statement/v1",
    subject: Array.from(subjects, ([name, bytes]) => ({ name, digest: { sha256: sha256(bytes) } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:assent:npm-run-pack:1",
        externalParameters: { version },
        internalParameters: { uncommittedChanges: commit === undefined },
        resolvedDependencies: [
          ...(commit === undefined ? [] : [{ name: "sources", digest: { gitCommit: commit } }]),
          lock,
          { name: "node", annotations: { version: process.versions.node } },
        ],
      },
      runDetails: { builder: { id: "urn:assent:whoever-ran-it" } },
    },
  });
}

/** Writes a release into a folder; the names of its files. */
function pack(into: string): string[] {
  const { name, version } = JSON.parse(text("package.json")) as { readonly name: string; readonly version: string };
  const { commit, at } = sources();
  const folder = `${name}-${version}`;
  const files = new Map(
    releasedFiles().map((file) => {
      const mode = lstatSync(join(root, file)).mode & 0o100 ? 0o755 : 0o644;
      return [file, { bytes: readFileSync(join(root, file)), mode }] as const;
    }),
  );
  // By this file dev/bootstrap.mjs knows that nothing is to be built.
  files.set("release.json", { bytes: Buffer.from(json({ version, commit })), mode: 0o644 });
  const archive = gzipSync(tar(folder, files, at), { level: 9 });
  // Which system made it.
  archive[9] = 255;
  const written = new Map<string, Buffer | string>([
    [`${folder}.tgz`, archive],
    [`${folder}.cdx.json`, billOfMaterials(name, at)],
  ]);
  written.set(`${folder}.intoto.json`, provenance(version, commit, new Map(written)));
  const sums = Array.from(written, ([file, bytes]) => `${sha256(bytes)}  ${file}\n`).join("");
  written.set(`${folder}.sha256`, sums);
  mkdirSync(into, { recursive: true });
  for (const [file, bytes] of written) writeFileSync(join(into, file), bytes);
  return [...written.keys()];
}

// The bootstrap imports it, so that it is not the main module.
if (process.argv[1] === import.meta.filename) {
  const into = resolve(process.argv[2] ?? ".");
  for (const file of pack(into)) process.stdout.write(`${join(into, file)}\n`);
}
