import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

export type Logger = PinoLogger;

/** Keys whose values never reach a log line, at the top level and one level down. */
const redactedKeys = [
  "authorization",
  "api_key",
  "apiKey",
  "client_secret",
  "clientSecret",
  "access_token",
  "accessToken",
  "token",
  "secret",
  "password",
  "cookie",
];

/**
 * A logger that writes one JSON object per line to stdout. Level names are pino's; `silent` turns it off.
 * Values under secret-looking keys are replaced; never log bodies or header collections all the same.
 */
export function createLogger(service: string, level = "info", destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedKeys.flatMap((key) => [key, `*.${key}`]), censor: "[redacted]" },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/**
 * Standard output written in blocks, for a process that logs a line per request: a write for each line would cost more
 * than the rest of the line. Lines appear within a quarter of a second and at exit; a process that is killed loses
 * those of its last moment.
 */
export const bufferedStdout = (): DestinationStream =>
  pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 250 });
