import { type Environment, readSettings } from "#platform/config.ts";
import { settingsOfPrograms } from "../programs.ts";

type Program = (typeof settingsOfPrograms)[number];

/** What is looked at: some processes of an installation, and the environment that they read. */
export interface Installation {
  readonly env: Environment;
  readonly programs: readonly Program[];
  /** Whether a process of this name is looked at. */
  has(program: string): boolean;
  /** The value that those processes use which know the setting; undefined when none does, or it is not set or not usable. */
  value(name: string): unknown;
  /** The same where it is a text that is not empty. */
  text(name: string): string | undefined;
}

export const programNames: readonly string[] = settingsOfPrograms.map(({ title }) => title);

export function createInstallation(names: readonly string[], env: Environment): Installation {
  const programs = settingsOfPrograms.filter(({ title }) => names.includes(title));
  const value = (name: string): unknown => {
    const setting = programs.map(({ settings }) => settings[name]).find((one) => one !== undefined);
    if (setting === undefined) return undefined;
    try {
      return readSettings({ [name]: setting }, env)[name];
    } catch {
      // What is wrong with it stands among the findings about settings.
      return undefined;
    }
  };
  return {
    env,
    programs,
    has: (program) => programs.some(({ title }) => title === program),
    value,
    text: (name) => {
      const found = value(name);
      return typeof found === "string" && found !== "" ? found : undefined;
    },
  };
}
