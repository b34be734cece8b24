import { execFile } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

export interface OfficeLimits {
  /** How long it may take to print a file. */
  readonly deadlineMs: number;
  /** Physical memory of the program while it prints. */
  readonly maxMemoryMb: number;
  /** Of what it writes: each file, and the PDF. */
  readonly maxFileBytes: number;
}

/** Programs that start another one with less than we have. */
export interface Guard {
  readonly command: readonly string[];
  readonly names: readonly string[];
  /** Who the program runs as, when we are root. */
  readonly user: number | undefined;
  /** Whether it sees no files but its own and those of the place that it is given. */
  readonly isApart: boolean;
}

/** The command with the folder in which the program may read and write. */
export const guarded = ({ command }: Guard, place: string): string[] =>
  command.map((word) => (word === placeWord ? place : word));

const placeWord = "{place}";
const unprivileged = 65_534;

/**
 * Makes a root of the programs and libraries of the system, the fonts, LibreOffice and one folder, in mounts that no one
 * else sees, and starts a program in it. Without /proc, which leads to the files of other processes.
 */
const apartScript = `set -e
PATH=/usr/bin:/bin:/usr/sbin:/sbin
place=$1 office=$2
shift 2
root=$place/root
mkdir -p "$root"
mount -t tmpfs -o size=1m,mode=755 none "$root"
show() {
  if [ -L "$1" ]; then cp -P "$1" "$root$1"
  elif [ -d "$1" ]; then mkdir -p "$root$1" && mount --rbind "$1" "$root$1"
  elif [ -e "$1" ]; then mkdir -p "$root\${1%/*}" && : > "$root$1" && mount --bind "$1" "$root$1"
  fi
}
for one in /usr /bin /sbin /lib /lib32 /lib64 /etc/fonts /etc/ld.so.cache /etc/libreoffice /etc/alternatives /etc/passwd \
  /etc/nsswitch.conf /var/cache/fontconfig /dev/null /dev/zero /dev/random /dev/urandom; do show "$one"; done
case $office in /usr/*) ;; *) show "$office" ;; esac
mkdir -p "$root$place"
mount --bind "$place" "$root$place"
exec chroot "$root" "$@"`;

interface Alternative {
  readonly name: string;
  readonly command: readonly string[];
  readonly user?: number | undefined;
  readonly isApart?: boolean;
}

/** What this machine allows: each is tried once. */
export async function findGuards(
  limits: OfficeLimits,
  binary: string,
  { mayBeApart }: { readonly mayBeApart: boolean },
): Promise<Guard> {
  const place = await mkdtemp(join(tmpdir(), "assent-guards-"));
  try {
    if (process.getuid?.() === 0) await chown(place, unprivileged, unprivileged);
    let guard: Guard = { command: [], names: [], user: undefined, isApart: false };
    for (const alternatives of choices(limits, binary)) {
      for (const { name, command, user = guard.user, isApart = guard.isApart } of alternatives) {
        if (isApart && !mayBeApart) continue;
        const tried = { command: [...guard.command, ...command], names: [...guard.names, name], user, isApart };
        if (!(await works(guarded(tried, place)))) continue;
        guard = tried;
        break;
      }
    }
    return guard.user === undefined ? guard : { ...guard, names: [...guard.names, "a user of its own"] };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function choices({ deadlineMs, maxMemoryMb, maxFileBytes }: OfficeLimits, binary: string): Alternative[][] {
  const isRoot = process.getuid?.() === 0;
  const seconds = Math.ceil(deadlineMs / 1000) * 4;
  // The program maps some gigabytes that it never touches.
  const bounds = [
    `--as=${(maxMemoryMb + 3_072) * 1024 * 1024}`,
    `--fsize=${maxFileBytes * 4}`,
    `--cpu=${seconds}`,
    "--core=0",
    "--nofile=1024",
  ];
  const otherUser = ["--reuid", String(unprivileged), "--regid", String(unprivileged), "--clear-groups"];
  const user = isRoot ? unprivileged : undefined;
  const apart = ["sh", "-c", apartScript, "sh", placeWord, dirname(dirname(binary))];
  const ends = ["--no-new-privs", "--pdeathsig", "KILL", "--"];
  return [
    [
      {
        ...{ name: "no network, no files but its own", user, isApart: true },
        command: [
          ...(isRoot ? ["setpriv", ...otherUser, "--"] : []),
          ...["unshare", "--user", "--map-root-user", "--net", "--ipc", "--mount", "--", ...apart],
        ],
      },
      { name: "no network", command: ["unshare", "--net", "--ipc", "--"] },
      { name: "no network", command: ["unshare", "--user", "--map-current-user", "--net", "--ipc", "--"] },
    ],
    [
      ...(isRoot
        ? [{ name: "ends with its parent, gains no rights", command: ["setpriv", ...otherUser, ...ends], user }]
        : []),
      { name: "ends with its parent, gains no rights", command: ["setpriv", ...ends] },
      { name: "ends with its parent", command: ["setpriv", "--pdeathsig", "KILL", "--"] },
    ],
    [{ name: "bounded memory, time and files", command: ["prlimit", ...bounds, "--"] }],
  ];
}

const execute = promisify(execFile);

const works = ([program = "", ...rest]: readonly string[]): Promise<boolean> =>
  execute(program, [...rest, "true"], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
