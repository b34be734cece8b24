import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

// biome-ignore lint/suspicious/noExplicitAny: tests look into manifests of every kind
export type Manifest = any;

export const deployFolder = join(import.meta.dirname, "../../../deploy");
export const overlays = ["local", "staging", "production"] as const;
export type Overlay = (typeof overlays)[number];

/** Whether this machine has a kubectl that knows components. In CI one must be there. */
export function hasKustomize(): boolean {
  const { status, stdout } = spawnSync("kubectl", ["version", "--client", "--output=json"], { encoding: "utf8" });
  const version = status === 0 ? String(JSON.parse(stdout).kustomizeVersion ?? "") : "";
  if (/^v([4-9]|\d\d)\./.test(version)) return true;
  if (process.env.CI === "true")
    throw new Error(`kubectl with kustomize 4 or newer is required in CI, not '${version}'`);
  return false;
}

/** What would be applied to a cluster. */
export function buildOverlay(overlay: Overlay): Manifest[] {
  const folder = join(deployFolder, "k8s/overlays", overlay);
  const { status, stdout, stderr } = spawnSync("kubectl", ["kustomize", folder], {
    encoding: "utf8",
    maxBuffer: 16 * 1_048_576,
  });
  if (status !== 0) throw new Error(`kubectl kustomize ${overlay}: ${stderr}`);
  return parseAllDocuments(stdout).map((document) => {
    if (document.errors.length > 0) throw new Error(String(document.errors[0]));
    return document.toJS();
  });
}

export const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

export const nameOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;
