import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

// biome-ignore lint/suspicious/noExplicitAny: tests look into manifests of every kind
export type Manifest = any;

export const deployFolder = join(import.meta.dirname, "../../../deploy");

/** Those that are for use, and one of the tests' own with all components that these leave out. */
export const overlays = ["local", "staging", "production", "everything"] as const;
export type Overlay = (typeof overlays)[number];

export const folderOf = (overlay: Overlay): string =>
  overlay === "everything"
    ? join(import.meta.dirname, "../overlays/everything")
    : join(deployFolder, "k8s/overlays", overlay);

/** A program that builds kustomizations, and why there is none. */
export type Builder =
  | { readonly command: readonly [string, ...string[]] }
  | { readonly command?: undefined; readonly missing: string };

/** Components need kustomize 4, which kubectl has within it from 1.22 on. */
export function findBuilder(): Builder {
  const kubectl = answerOf("kubectl", "version", "--client", "--output=json");
  if (hasKustomize(kubectl)) return { command: ["kubectl", "kustomize"] };
  if (/v?([4-9]|\d\d)\.\d+\.\d+/.test(answerOf("kustomize", "version"))) return { command: ["kustomize", "build"] };
  const [version = ""] = /v\d+\.\d+\.\d+/.exec(kubectl) ?? [];
  const found = version === "" ? "there is neither" : `this is kubectl ${version}`;
  return { missing: `kubectl 1.22 or newer, or kustomize 4 or newer, is needed to check the manifests; ${found}` };
}

/** Newer ones name the version of their kustomize, older ones only their own. */
export function hasKustomize(versionOfKubectl: string): boolean {
  const [, kustomize = "0"] = /"kustomizeVersion":\s*"v(\d+)\./.exec(versionOfKubectl) ?? [];
  const [, major = "0", minor = "0"] = /"gitVersion":\s*"v(\d+)\.(\d+)\./.exec(versionOfKubectl) ?? [];
  return Number(kustomize) >= 4 || Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 22);
}

function answerOf(program: string, ...args: string[]): string {
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? stdout : "";
}

/** What would be applied to a cluster. */
export function buildOverlay(overlay: Overlay): Manifest[] {
  const { command } = findBuilder();
  if (command === undefined) throw new Error("there is nothing to build manifests with");
  const [program, ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, [...args, folderOf(overlay)], {
    encoding: "utf8",
    maxBuffer: 16 * 1_048_576,
  });
  if (status !== 0) throw new Error(`${command.join(" ")} ${overlay}: ${stderr}`);
  return parseAllDocuments(stdout).map((document) => {
    if (document.errors.length > 0) throw new Error(String(document.errors[0]));
    return document.toJS();
  });
}

export const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

export const nameOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;
