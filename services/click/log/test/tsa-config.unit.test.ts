import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { configFromEnv } from "../../config.ts";

const folder = mkdtempSync(join(tmpdir(), "assent-tsa-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = {
  DATABASE_URL: "postgres://db/assent",
  CLICK_MASTER_KEY: randomBytes(32).toString("base64"),
  EVIDENCE_ISSUER: "https://agreements.example.com",
  TEMPLATES_TARGET: "dns:///templates:50051",
  DOCGEN_TARGET: "dns:///docgen:50051",
  TSA_URL: "https://tsa.example.com/",
};

const certificate = `-----BEGIN CERTIFICATE-----
MIIBdjCCARugAwIBAgIUU0Fs9756UbZbeh6N1haqkI7Qo8cwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMjEwMTA2MDVaGA8yMTI2MTAyODAxMDYw
NVowDzENMAsGA1UEAwwEcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEi2
TruUWvIGxJ6fjPg90mNcxmFzFg8/xEK+gFXCjKWf6oyTmHSn/OCaprJP2IvMGIxT
XRNhr56GYEu+DA17cxajUzBRMB0GA1UdDgQWBBSuI940hUrnQ/Egydy9qMvuj7wO
oDAfBgNVHSMEGDAWgBSuI940hUrnQ/Egydy9qMvuj7wOoDAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0kAMEYCIQCxfcWShqQg9Gmt0bDe5luS67bC13fste/p
A7sqJOm1IQIhAOF7k9DVT12ayGVRzTP6cT1oWqUJzNhUvUQwnnyRcOJ8
-----END CERTIFICATE-----
`;

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("the settings of the time-stamping authority", () => {
  test("name it, and the certificates that its chain must end in", () => {
    const path = write("two.pem", `the first\n${certificate}the second\n${certificate}`);
    const { tsa } = configFromEnv({ ...env, TSA_CA_FILE: path });
    expect(tsa).toEqual({ url: "https://tsa.example.com/", trusted: [certificate, certificate] });
    expect(configFromEnv(env).tsa).toEqual({ url: "https://tsa.example.com/", trusted: [] });
  });
  test("name none unless there is an address", () => {
    expect(configFromEnv({ ...env, TSA_URL: "", TSA_CA_FILE: write("one.pem", certificate) }).tsa).toBeUndefined();
  });
  test("take only an address of HTTP", () => {
    for (const url of ["tsa.example.com", "ldap://tsa.example.com", "http://", "http://u:p@tsa.example.com"]) {
      expect(() => configFromEnv({ ...env, TSA_URL: url })).toThrow("TSA_URL must be an http or https URL");
    }
  });
  test("stop the start when the file has no certificates, or something else that looks like one", () => {
    const broken = certificate.replace("MII", "MIX");
    for (const path of [join(folder, "missing"), write("empty", ""), write("broken", `${certificate}${broken}`)]) {
      expect(() => configFromEnv({ ...env, TSA_CA_FILE: path })).toThrow("TSA_CA_FILE must name a PEM file");
    }
  });
  test("anchor once a minute unless told otherwise", () => {
    expect(configFromEnv(env).anchorIntervalSeconds).toBe(60);
    expect(configFromEnv({ ...env, ANCHOR_INTERVAL_SECONDS: "5" }).anchorIntervalSeconds).toBe(5);
    expect(() => configFromEnv({ ...env, ANCHOR_INTERVAL_SECONDS: "0" })).toThrow("ANCHOR_INTERVAL_SECONDS must be");
  });
  test("take too few connections for a mistake", () => {
    expect(() => configFromEnv({ ...env, DATABASE_POOL_SIZE: "10" })).toThrow("DATABASE_POOL_SIZE must be");
  });
});
