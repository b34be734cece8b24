import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { watchMemory } from "#platform/child-processes/pooled-process.ts";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { findGuards, type Guard, guarded, type OfficeLimits } from "./guards.ts";
import { type OfficeFormat, officeFormats } from "./look-into.ts";

export type Printed =
  | { readonly kind: "printed"; readonly pdf: Uint8Array }
  | {
      readonly kind: "ended";
      readonly end: "timeout" | "out_of_memory" | "too_large" | "unreadable" | "aborted" | "killed";
    };

/** LibreOffice, started anew for each file. */
export interface Office {
  readonly formats: readonly OfficeFormat[];
  /** Starts the program once. Rejects when it cannot be started. */
  prepare(): Promise<void>;
  /** Whether the program sees no files but its own and the one that it prints. Rejects as prepare does. */
  isApart(): Promise<boolean>;
  /** Rejects when this machine is at fault: no space, no processes. */
  print(format: OfficeFormat, content: Uint8Array, signal?: AbortSignal): Promise<Printed>;
  /** Removes what it has on the disk. */
  close(): Promise<void>;
}

/** The program on PATH; undefined when there is none. */
export function findOffice(path: string): string | undefined {
  const places = path.split(delimiter).flatMap((folder) => [join(folder, "soffice"), join(folder, "libreoffice")]);
  return places.find((place) => existsSync(place));
}

/** Throws when the program is not there. It is started for the first time by `prepare`, or by the first file. */
export function openOffice(program: string, limits: OfficeLimits, logger: Logger): Office {
  if (!existsSync(program)) throw new Error(`there is no LibreOffice at ${program}`);
  const folder = dirname(realpathSync(program));
  const binary = [join(folder, "soffice.bin"), realpathSync(program)].find((place) => existsSync(place)) ?? program;
  const formats = officeFormats.filter(({ library }) => existsSync(join(folder, library)));
  if (formats.length === 0) throw new Error(`there is no LibreOffice for texts, sheets or slides at ${program}`);
  let preparing: Promise<Prepared> | undefined;
  const prepared = (): Promise<Prepared> => {
    preparing ??= prepare(binary, limits, logger).catch((error: unknown) => {
      preparing = undefined;
      throw ofFullDisk(error);
    });
    return preparing;
  };
  return {
    formats,
    prepare: async () => {
      await prepared();
    },
    isApart: async () => (await prepared()).guard.isApart,
    print: async (format, content, signal) => {
      const { guard, profile } = await prepared();
      const place = await makePlace(guard).catch((error: unknown) => {
        throw ofFullDisk(error);
      });
      try {
        const file = join(place, `document.${format.name}`);
        await cp(profile, join(place, "profile"), { recursive: true });
        await writeFile(file, content);
        await own(place, guard);
        const how = [`--infilter=${format.reader}`, "--convert-to", `pdf:${format.printer}:${printing}`];
        const end = await run(start(binary, guard, place, [...how, "--outdir", place, file]), limits, signal);
        if (end !== "exited") return { kind: "ended", end };
        return await readPdf(join(place, "document.pdf"), limits);
      } catch (error) {
        throw ofFullDisk(error);
      } finally {
        await rm(place, { recursive: true, force: true });
      }
    },
    close: async () => {
      const { profile } = (await preparing?.catch(() => undefined)) ?? {};
      if (profile !== undefined) await rm(dirname(profile), { recursive: true, force: true });
    },
  };
}

const startedAnew = 81;

interface Prepared {
  readonly guard: Guard;
  /** A profile as the program leaves it after its first start, which takes as long as a file. Each file gets a copy. */
  readonly profile: string;
}

async function prepare(binary: string, limits: OfficeLimits, logger: Logger): Promise<Prepared> {
  await removeLeftovers();
  const apart = await findGuards(limits, binary, { mayBeApart: true });
  const prepared = await prepareWith(apart, binary, logger);
  if (prepared !== undefined) return prepared;
  // LibreOffice may need something that is not among what it was given.
  const more = apart.isApart ? await findGuards(limits, binary, { mayBeApart: false }) : undefined;
  const second = more && (await prepareWith(more, binary, logger));
  if (second === undefined) throw new Error("LibreOffice did not start");
  return second;
}

/** Undefined when it does not start. */
async function prepareWith(guard: Guard, binary: string, logger: Logger): Promise<Prepared | undefined> {
  const place = await makePlace(guard);
  const profile = join(place, "profile");
  try {
    await mkdir(join(profile, "user"), { recursive: true });
    await writeFile(join(profile, "user", "registrymodifications.xcu"), registry());
    await own(place, guard);
    const startLimits = { deadlineMs: 60_000, maxMemoryMb: 2_048, maxFileBytes: 0 };
    const child = start(binary, guard, place, ["--terminate_after_init"]);
    const end = await run(child, startLimits);
    // It asks to be started again when it has made its profile.
    if (end === "exited" && [0, startedAnew].includes(child.exitCode ?? -1)) {
      logger.info({ guards: guard.names }, "LibreOffice is ready");
      return { guard, profile };
    }
    logger.warn({ end, code: child.exitCode, guards: guard.names }, "LibreOffice did not start");
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    throw error;
  }
  await rm(place, { recursive: true, force: true });
  return undefined;
}

/** What is printed: the document, without comments, and without a form that readers would show in their own way. */
const printing = JSON.stringify({
  ExportFormFields: { type: "boolean", value: "false" },
  ExportNotes: { type: "boolean", value: "false" },
  ExportBookmarks: { type: "boolean", value: "true" },
  UseTaggedPDF: { type: "boolean", value: "true" },
});

async function readPdf(path: string, { maxFileBytes }: OfficeLimits): Promise<Printed> {
  const size = await stat(path).then(
    ({ size: bytes }) => bytes,
    () => 0,
  );
  if (size === 0) {
    const { bavail, bsize } = await statfs(dirname(path));
    // It says nothing of a full disk.
    if (bavail * bsize < leastSpace) throw new DomainError("SERVICE_UNAVAILABLE", { message: noSpace });
    return { kind: "ended", end: "unreadable" };
  }
  if (size > maxFileBytes) return { kind: "ended", end: "too_large" };
  return { kind: "printed", pdf: await readFile(path) };
}

/** A full disk says nothing about the file: it may be sent again. */
const ofFullDisk = (error: unknown): unknown =>
  ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "")
    ? new DomainError("SERVICE_UNAVAILABLE", { message: noSpace, cause: error })
    : error;

const leastSpace = 8 * 1024 * 1024;
const noSpace = "There is no space for temporary files where Office files are converted.";

const prefix = "assent-convert-";

/** Of this life of the process. */
const ownPrefix = (): string => `${prefix}${process.pid}-${Math.floor(performance.timeOrigin)}-`;

/** A folder of its own for each file. It says whose it is, so that those of killed processes can be removed. */
async function makePlace(guard: Guard): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), ownPrefix()));
  await own(place, guard);
  return place;
}

async function own(place: string, { user }: Guard): Promise<void> {
  if (user === undefined) return;
  await chown(place, user, user);
  for (const entry of await readdir(place, { recursive: true })) await chown(join(place, entry), user, user);
}

async function removeLeftovers(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const pid = Number(name.slice(prefix.length).split("-")[0]);
    const isOurs = name.startsWith(ownPrefix());
    // In a container every life has the same number.
    if (!isOurs && (pid === process.pid || !isAlive(pid))) {
      await rm(join(tmpdir(), name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Nothing of our environment: it has secrets. */
const environmentIn = (place: string): NodeJS.ProcessEnv => ({
  ...{ PATH: "/usr/bin:/bin", HOME: place, TMPDIR: place, LANG: "C.UTF-8", TZ: "UTC" },
  ...{ SAL_USE_VCLPLUGIN: "svp", SAL_NO_MOUSEGRABS: "1" },
});

/** In a group of its own, so that whatever it starts ends with it. */
function start(binary: string, guard: Guard, place: string, args: readonly string[]): ChildProcess {
  const [program = binary, ...rest] = [...guarded(guard, place), binary];
  const profile = new URL(`file://${join(place, "profile")}`).href;
  const quiet = ["--headless", "--invisible", "--norestore", "--nologo", "--nodefault", "--nolockcheck"];
  return spawn(program, [...rest, `-env:UserInstallation=${profile}`, ...quiet, ...args], {
    // The loader finds the libraries of the program by /proc, which it does not see.
    env: { ...environmentIn(place), ...(guard.isApart ? { LD_LIBRARY_PATH: dirname(binary) } : {}) },
    ...{ cwd: place, stdio: "ignore", detached: true },
  });
}

type End = "exited" | "timeout" | "out_of_memory" | "too_large" | "aborted" | "killed";

/** How the system ends it, in our place or because it is short of memory itself. */
const endings: Readonly<Record<string, End>> = { SIGXCPU: "timeout", SIGXFSZ: "too_large", SIGKILL: "killed" };

/** Waits for its end, and kills it with its whole group when it takes too much. Rejects when it cannot be started. */
const run = (child: ChildProcess, { deadlineMs, maxMemoryMb }: OfficeLimits, signal?: AbortSignal): Promise<End> =>
  new Promise((resolve, reject) => {
    let end: End = "exited";
    const kill = (why: End) => {
      if (end === "exited") end = why;
      killGroup(child);
    };
    const stopWatching = watchMemory(child.pid ?? 0, maxMemoryMb * 1024 * 1024, () => kill("out_of_memory"));
    const timer = setTimeout(() => kill("timeout"), deadlineMs);
    const onAbort = () => kill("aborted");
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    const settle = () => {
      stopWatching();
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      killGroup(child);
    };
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("exit", (_code, signalled) => {
      settle();
      resolve(end === "exited" ? (endings[signalled ?? ""] ?? end) : end);
    });
  });

/** Its group ends with it: nothing stays behind, even when it exited by itself. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

/** Its settings: nothing runs, nothing is fetched, nothing is computed anew. */
function registry(): string {
  const items = settings.map(
    ([path, name, value]) =>
      `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${items.join("\n")}
</oor:items>
`;
}

const settings: readonly (readonly [path: string, name: string, value: string | number | boolean])[] = [
  ["Office.Common/Security/Scripting", "MacroSecurityLevel", 3],
  ["Office.Common/Security/Scripting", "DisableMacrosExecution", true],
  ["Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", true],
  ["Office.Java/VirtualMachine", "Enable", false],
  // Links are never followed: 2 is "never".
  ["Office.Writer/Content/Update", "Link", 2],
  ["Office.Calc/Content/Update", "Link", 2],
  // Cells keep the values that they were saved with: 1 is "never".
  ["Office.Calc/Formula/Load", "OOXMLRecalcMode", 1],
  ["Office.Calc/Formula/Load", "ODFRecalcMode", 1],
  // A proxy where nothing listens, in case that the network is there.
  ["Inet/Settings", "ooInetProxyType", 2],
  ["Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"],
  ["Inet/Settings", "ooInetHTTPProxyPort", 9],
  ["Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"],
  ["Inet/Settings", "ooInetHTTPSProxyPort", 9],
  ["Inet/Settings", "ooInetFTPProxyName", "127.0.0.1"],
  ["Inet/Settings", "ooInetFTPProxyPort", 9],
  ["Setup/L10N", "ooSetupSystemLocale", "en-US"],
];
