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
  const parsed = (file: string) => parse(readFileSync(join(base, file), "utf8"));
  const read = (folder: string, file: string): Deployed => deployedOf(parsed(join(folder, file)), shared);
  const added = (file: string): Variable[] =>
    parsed(file).flatMap(({ path, value }: Patch) => (path.endsWith("/env/-") ? [value] : []));
  const [everywhere, inServices] = [added("every-deployment.yaml"), added("every-service.yaml")];
  const folders = readdirSync(base, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const services = folders.map(({ name }) => name).filter((name) => name !== "migrate");
  return {
    processes: services.map((name) => {
      const process = read(name, "deployment.yaml");
      const more = [...everywhere, ...(name === "gateway" ? [] : inServices)];
      return { ...process, settings: [...process.settings, ...more.map(settingOf)] };
    }),
    migrate: read("migrate", "job.yaml"),
  };
}

interface Patch {
  readonly path: string;
  readonly value: Variable;
}

interface Variable {
  readonly name: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly optional?: boolean } };
}

// biome-ignore lint/suspicious/noExplicitAny: manifests are checked elsewhere
function deployedOf(manifest: any, shared: readonly string[]): Deployed {
  const [container] = manifest.spec.template.spec.containers;
  const own = container.env.map(settingOf);
  const all = container.envFrom === undefined ? [] : shared.map((setting) => ({ setting, isOptional: false }));
  return { name: manifest.metadata.name, command: container.command, settings: [...all, ...own] };
}

/** Its value may stand in a file. */
const settingOf = ({ name, valueFrom }: Variable): Deployed["settings"][number] => ({
  setting: name.replace(/_FILE$/, ""),
  // The certificates of former keys need not be there.
  isOptional: valueFrom?.secretKeyRef?.optional === true || name.startsWith("SEAL_FORMER"),
});
