import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** A process as its manifest has it. */
export interface Deployed {
  readonly name: string;
  readonly command: readonly string[];
  readonly settings: readonly { readonly setting: string; readonly isOptional: boolean }[];
}

/** Every Deployment below the folder, and the Job that migrates. */
export function readDeployed(base: string): { readonly processes: readonly Deployed[]; readonly migrate: Deployed } {
  const shared = Object.keys(parse(readFileSync(join(base, "settings.yaml"), "utf8")).data);
  const read = (folder: string, file: string): Deployed =>
    deployedOf(parse(readFileSync(join(base, folder, file), "utf8")), shared);
  const folders = readdirSync(base, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const services = folders.map(({ name }) => name).filter((name) => name !== "migrate");
  return {
    processes: services.map((name) => read(name, "deployment.yaml")),
    migrate: read("migrate", "job.yaml"),
  };
}

interface Variable {
  readonly name: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly optional?: boolean } };
}

// biome-ignore lint/suspicious/noExplicitAny: manifests are checked elsewhere
function deployedOf(manifest: any, shared: readonly string[]): Deployed {
  const [container] = manifest.spec.template.spec.containers;
  const own = container.env.map(({ name, valueFrom }: Variable) => ({
    setting: name,
    isOptional: valueFrom?.secretKeyRef?.optional === true,
  }));
  const all = container.envFrom === undefined ? [] : shared.map((setting) => ({ setting, isOptional: false }));
  return { name: manifest.metadata.name, command: container.command, settings: [...all, ...own] };
}
