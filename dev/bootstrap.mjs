// Runs one of our programs on a machine that has nothing but Node 20 and npm:
// installs the dependencies, generates the contract code, and builds the browser code and the scripts of processes when
// they are missing or stale, then hands over to Node 24, which runs TypeScript directly.
// In a release (dev/pack.ts), and wherever NODE_ENV is production, it installs and builds nothing: it says what is missing.
// Usage: node dev/bootstrap.mjs <program.ts> [args]
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const binaries = join(root, "node_modules", ".bin");
const nodeBinary = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");

const scripts = [
  { folder: join(root, "gen", "programs"), mode: [] },
  { folder: join(root, "gen", "processes"), mode: ["--mode", "processes"] },
];

const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  console.error("usage: node dev/bootstrap.mjs <program.ts> [arguments]");
  process.exit(2);
}
const isRelease = existsSync(join(root, "release.json"));
if (isRelease || process.env.NODE_ENV === "production") refuseWhenIncomplete();
else
  withLock(() => {
    installWhenStale();
    generateWhenStale();
    buildWebWhenStale();
    buildScriptsWhenStale();
  });
await runProgram(builtProgram(program) ?? resolve(root, program), args);

/** Whoever runs a release installs by hand, once, what its lock file names: a start never fetches anything. */
function refuseWhenIncomplete() {
  if (!runsTypeScript()) refuse(`Node 22.18 or newer is required; this is ${process.versions.node}`);
  if (!hasPackages()) refuse("the installed packages differ from package-lock.json: run npm ci --omit=dev");
  if (isRelease || (isGenerated() && isWebBuilt() && areScriptsBuilt())) return;
  refuse("something is not built, and NODE_ENV=production builds nothing: install a release, or unset NODE_ENV");
}

function refuse(reason) {
  console.error(`assent: ${reason}`);
  process.exit(1);
}

/** All that are not for development alone; npm writes down what it installs. */
function hasPackages() {
  try {
    const packages = (file) => JSON.parse(readFileSync(join(root, file), "utf8")).packages;
    const installed = packages("node_modules/.package-lock.json");
    return Object.entries(packages("package-lock.json")).every(
      ([path, { dev, optional, devOptional, version }]) =>
        path === "" || dev || optional || devOptional || installed[path]?.version === version,
    );
  } catch {
    return false;
  }
}

/** Two programs started at once on a fresh clone must not install into the same folder. */
function withLock(work) {
  if (isInstalled() && isGenerated() && isWebBuilt() && areScriptsBuilt()) return;
  const lock = join(root, ".bootstrap.lock");
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (!isAlive(readLockOwner(lock))) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function readLockOwner(lock) {
  try {
    return Number(readFileSync(lock, "utf8"));
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function digest(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(root, file)))
      .update("\0");
  return hash.digest("hex");
}

function hasStamp(stampFile, expected) {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === expected;
}

function lockDigest() {
  return digest(["package-lock.json"]);
}

function isInstalled() {
  return hasStamp(join(root, "node_modules", ".assent-stamp"), lockDigest());
}

function installWhenStale() {
  if (isInstalled()) return;
  console.error("assent: installing dependencies …");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(join(root, "node_modules", ".assent-stamp"), lockDigest());
}

function contractFiles() {
  const files = ["buf.yaml", "buf.gen.yaml"];
  for (const folder of ["proto", "third_party"]) {
    for (const entry of readdirSync(join(root, folder), { recursive: true }).sort()) {
      if (entry.endsWith(".proto")) files.push(join(folder, entry));
    }
  }
  return files;
}

function contractDigest() {
  return digest([...contractFiles(), "package-lock.json"]);
}

function isGenerated() {
  return hasStamp(join(root, "gen", ".stamp"), contractDigest());
}

function generateWhenStale() {
  if (isGenerated()) return;
  console.error("assent: generating code …");
  rmSync(join(root, "gen"), { recursive: true, force: true });
  run(join(binaries, "buf"), ["generate"]);
  mkdirSync(join(root, "gen"), { recursive: true });
  writeFileSync(join(root, "gen", ".stamp"), contractDigest());
}

/** Of everything that decides what browsers get, so that it is built again when any of it changes. */
function webDigest() {
  const manifest = JSON.parse(readFileSync(join(root, "node_modules", "vite", "package.json"), "utf8"));
  const sources = ["embed", "verify", "verify-document", "signing", "dashboard"]
    .flatMap((folder) => readdirSync(join(root, "web", folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
  return `${manifest.version} ${digest(["web/vite.config.mjs", ...sources])}`;
}

function isWebBuilt() {
  return hasStamp(join(root, "web", "dist", ".stamp"), webDigest());
}

function buildWebWhenStale() {
  if (isWebBuilt()) return;
  console.error("assent: building pages …");
  // The first one empties the folder.
  for (const args of [
    ["web"],
    ["web/verify"],
    ["web/verify", "--mode", "page"],
    ["web/verify-document"],
    ["web/signing"],
    ["web/dashboard"],
  ]) {
    const [folder, ...mode] = args;
    run(join(binaries, "vite"), ["build", "--config", `${folder}/vite.config.mjs`, ...mode]);
  }
  writeFileSync(join(root, "web", "dist", ".stamp"), webDigest());
}

/** The build tells which sources went into scripts; undefined before the first one, or when one of them is gone. */
function scriptsDigest(folder) {
  try {
    const sources = JSON.parse(readFileSync(join(folder, ".sources"), "utf8"));
    return digest(["dev/scripts.vite.config.mjs", "package-lock.json", ...sources]);
  } catch {
    return undefined;
  }
}

function areScriptsBuilt() {
  return scripts.every(({ folder }) => hasStamp(join(folder, ".stamp"), scriptsDigest(folder)));
}

function buildScriptsWhenStale() {
  for (const { folder, mode } of scripts) {
    const stamp = join(folder, ".stamp");
    if (hasStamp(stamp, scriptsDigest(folder))) continue;
    console.error(`assent: building ${relative(root, folder)} …`);
    rmSync(stamp, { force: true });
    run(join(binaries, "vite"), ["build", "--config", "dev/scripts.vite.config.mjs", ...mode]);
    writeFileSync(stamp, scriptsDigest(folder));
  }
}

function run(command, commandArgs) {
  const result = spawnSync(command, commandArgs, {
    cwd: root,
    // Standard output belongs to the program that runs afterwards.
    stdio: ["ignore", 2, 2],
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ""}` },
    shell: process.platform === "win32",
  });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) {
    console.error(`assent: '${command} ${commandArgs.join(" ")}' failed with exit code ${result.status}`);
    process.exit(result.status ?? 1);
  }
}

/** The server alone, for whose whole life it saves the memory of sources that nobody reads again; it starts sooner, too. */
function builtProgram(source) {
  const script = join(root, "gen", "processes", "start.mjs");
  return source === "dev/start.ts" && existsSync(script) ? script : undefined;
}

function runsTypeScript() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

async function runProgram(file, programArgs) {
  process.env.PATH = `${binaries}${delimiter}${process.env.PATH ?? ""}`;
  // Keeps sources without their types, compiled: most of a start is that.
  const compileCache = join(root, "node_modules", ".cache", "compiled");
  // It holds wherever the folder is copied to.
  process.env.NODE_COMPILE_CACHE_PORTABLE = "1";
  if (runsTypeScript()) {
    module.enableCompileCache(compileCache);
    process.argv = [process.execPath, file, ...programArgs];
    await import(pathToFileURL(file).href);
    return;
  }
  const child = spawn(nodeBinary, [...process.execArgv, file, ...programArgs], {
    stdio: "inherit",
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
}
