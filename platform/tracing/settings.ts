import { type Setting, secretSetting, stringSetting } from "../config.ts";

const share: Setting<number> = {
  kind: "string",
  doc: "The share of new traces that is recorded, from 0 to 1. Those that a caller has begun are recorded when its traceparent says so.",
  fallback: 0.1,
  secret: false,
  parse: (text) => {
    const value = /^[01](?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value <= 1)) throw new Error("must be a number from 0 to 1");
    return value;
  },
};

/** Settings of every process that says where its traces go. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...stringSetting(
      "Where traces are sent (OTLP over HTTP), such as http://collector:4318; /v1/traces is added. Empty records none.",
      "",
    ),
    parse: (text: string) => {
      const { protocol = "", username, password } = URL.parse(text) ?? {};
      if (!/^https?:$/.test(protocol) || username !== "" || password !== "") {
        throw new Error("must be an http or https URL without credentials");
      }
      return text;
    },
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...secretSetting("Headers of what is sent there, such as the key of a vendor: name=value,name=value.", ""),
    parse: (text: string) => {
      parseOtlpHeaders(text);
      return text;
    },
  },
  OTEL_TRACES_SAMPLER_ARG: share,
};

/** Values are percent-encoded, as the convention has it. Throws for what is no list of headers. */
export function parseOtlpHeaders(text: string): Record<string, string> {
  const pairs = text === "" ? [] : text.split(",");
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      const name = pair.slice(0, Math.max(0, at)).trim();
      if (!/^[A-Za-z0-9-]+$/.test(name)) throw new Error("must be name=value pairs, separated by commas");
      try {
        return [name, decodeURIComponent(pair.slice(at + 1).trim())];
      } catch {
        throw new Error("must have percent-encoded values");
      }
    }),
  );
}
