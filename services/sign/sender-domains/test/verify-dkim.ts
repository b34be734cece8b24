import { createHash, createPublicKey, verify } from "node:crypto";

/**
 * Verifies the DKIM signature of a mail as its receiver does (RFC 6376 §6.1), with what the DNS says and nothing of ours.
 * Gives the domain that it speaks for; throws when it does not hold.
 */
export async function verifyDkim(raw: string, resolve: (name: string) => Promise<readonly string[]>): Promise<string> {
  const end = raw.indexOf("\r\n\r\n");
  const headers = raw.slice(0, end + 2).match(/[^\r\n]+\r\n(?:[ \t][^\r\n]*\r\n)*/g) ?? [];
  const named = (name: string) => headers.filter((header) => header.toLowerCase().startsWith(`${name}:`));
  const [signed = ""] = named("dkim-signature");
  const tags = tagsOf(signed.slice(signed.indexOf(":") + 1));
  const tag = (name: string) => tags.get(name)?.replaceAll(/\s/g, "") ?? "";
  if (tag("a") !== "rsa-sha256" || tag("c") !== "relaxed/relaxed") throw new Error(`signed by ${tag("a")} ${tag("c")}`);
  const body = `${raw
    .slice(end + 4)
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ \r\n/g, "\r\n")
    .replace(/(?:\r\n)*$/, "")}\r\n`;
  if (createHash("sha256").update(body, "latin1").digest("base64") !== tag("bh")) throw new Error("another body");
  const names = tag("h").toLowerCase().split(":");
  if (!names.includes("from")) throw new Error("From is not signed");
  const left = [...headers];
  const covered = names.flatMap((name) => {
    const at = left.findLastIndex((header) => header.toLowerCase().startsWith(`${name}:`));
    return at < 0 ? [] : left.splice(at, 1).map(relaxed);
  });
  const own = relaxed(signed.replace(/([;\s]b=)[^;]*/, "$1")).replace(/\r\n$/, "");
  const [record = ""] = await resolve(`${tag("s")}._domainkey.${tag("d")}`);
  const key = createPublicKey({
    key: Buffer.from(tagsOf(record).get("p") ?? "", "base64"),
    format: "der",
    type: "spki",
  });
  const isRight = verify("sha256", Buffer.from(covered.join("") + own, "latin1"), key, Buffer.from(tag("b"), "base64"));
  if (!isRight) throw new Error("another signature");
  return tag("d");
}

const relaxed = (header: string): string => {
  const at = header.indexOf(":");
  const value = header.slice(at + 1).replaceAll("\r\n", "");
  return `${header.slice(0, at).trim().toLowerCase()}:${value.replaceAll(/[ \t]+/g, " ").trim()}\r\n`;
};

const tagsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(";").map((part): [string, string] => {
      const at = part.indexOf("=");
      return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    }),
  );
