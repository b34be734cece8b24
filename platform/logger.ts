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
