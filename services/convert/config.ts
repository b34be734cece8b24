import { booleanSetting, type Environment, integerSetting, readSettings, stringSetting } from "#platform/config.ts";
import { commonSettings } from "#platform/service-settings.ts";

export interface ConvertConfig {
  /** The path of LibreOffice; the one on PATH when empty. */
  readonly program?: string;
  readonly path?: string;
  /** Files of one organization that this process prints at once; 0 or absent: two, or one on a single core. */
  readonly processes?: number;
  readonly seconds?: number;
  readonly memoryMb?: number;
  /** Whether there is nothing else where the process runs that a file could show. */
  readonly isApart?: boolean;
}

const { DATABASE_URL, DATABASE_ROLE, DATABASE_POOL_SIZE, NATS_URL, ...common } = commonSettings;

export const settings = {
  ...common,
  OFFICE_PROGRAM: stringSetting(
    "The path of LibreOffice (soffice), which prints Office files. Empty takes the one on PATH. Without LibreOffice the process does not start.",
    "",
  ),
  CONVERT_PROCESSES: integerSetting(
    "The number of files of one organization that are printed at once, each by its own LibreOffice, which ends with the file. There is one more for organizations that have none in progress. 0 means two, or one on a machine with one core.",
    0,
    { max: 64 },
  ),
  CONVERT_SECONDS: integerSetting(
    "How long LibreOffice can take for a file before it is killed and the file is refused. Callers wait for at most a minute.",
    20,
    { min: 1, max: 50 },
  ),
  CONVERT_MEMORY_MB: integerSetting(
    "The physical memory that LibreOffice can use for a file before it is killed and the file is refused. A contract takes about 150 MB.",
    768,
    { min: 256, max: 65_536 },
  ),
  CONVERT_APART: booleanSetting(
    "Whether the process runs where no files are but the system and LibreOffice, as in its image. A .doc can show pictures whose path its author knows: such files are taken with this, or where LibreOffice can be kept from all other files (by unshare, in a user namespace); elsewhere they are refused.",
    false,
  ),
};

/** Throws a ConfigError that lists every problem. */
export function configFromEnv(env: Environment): ConvertConfig {
  const values = readSettings(settings, env);
  return {
    program: values.OFFICE_PROGRAM,
    path: env.PATH ?? "",
    processes: values.CONVERT_PROCESSES,
    seconds: values.CONVERT_SECONDS,
    memoryMb: values.CONVERT_MEMORY_MB,
    isApart: values.CONVERT_APART,
  };
}
