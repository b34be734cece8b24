import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Finding, notice, ok, reasonOf, wrong } from "./finding.ts";

const bytesOfMb = 1024 * 1024;
/** What the processes that read and make documents may need at once. */
const neededTemporaryMb = 200;

/** The Node that runs this, which is the one that runs the processes, and where temporary files go. */
export const checkRuntime = (version: string = process.versions.node, folder: string = tmpdir()): Finding[] => [
  nodeFinding(version),
  temporaryFolder(folder),
];

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 18)) {
    return wrong(
      "node",
      `Node ${version} cannot run TypeScript as it is`,
      "Install Node 24, or run it by npm run doctor.",
    );
  }
  if (major !== 24) {
    return notice("node", `Node ${version}; everything is tested with Node 24`, "Use Node 24, as the image does.");
  }
  return ok("node", `Node ${version}`);
}

function temporaryFolder(folder: string): Finding {
  try {
    const own = mkdtempSync(join(folder, "assent-doctor-"));
    try {
      writeFileSync(join(own, "probe"), "x");
    } finally {
      rmSync(own, { recursive: true });
    }
    const { bavail, bsize } = statfsSync(folder);
    const freeMb = Math.floor((bavail * bsize) / bytesOfMb);
    if (freeMb >= neededTemporaryMb) return ok("temporary files", `${folder} takes files, ${freeMb} MB are free`);
    return notice("temporary files", `${folder} has only ${freeMb} MB free`, `Leave ${neededTemporaryMb} MB.`);
  } catch (error) {
    return wrong(
      "temporary files",
      `no file can be written to ${folder}: ${reasonOf(error)}`,
      "Mount a writable folder there, as the manifests do, or set TMPDIR.",
    );
  }
}
