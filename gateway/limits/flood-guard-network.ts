/**
 * What the flood guard counts an address as: an IPv4 address as itself, however it is written, and an IPv6 address as
 * its /64, since whoever has one address of that has all of them.
 */
export function networkOf(address: string): string {
  // Most addresses are IPv4, which this leaves alone.
  if (!address.includes(":")) return address;
  const groups = groupsOf(address);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped) return [groups[6], groups[7]].flatMap((group = 0) => [group >> 8, group & 0xff]).join(".");
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

/** The eight groups of an IPv6 address; `::` stands for as many zeros as are missing, and a zone tells nothing. */
function groupsOf(address: string): number[] {
  const [withoutZone = ""] = address.split("%");
  const [before = [], after = []] = withoutZone.split("::").map(readGroups);
  return [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

function readGroups(text: string): number[] {
  return text
    .split(":")
    .filter((part) => part !== "")
    .flatMap((part) => (part.includes(".") ? readDotted(part) : [Number.parseInt(part, 16)]));
}

/** The IPv4 address that an IPv6 address may end with. */
function readDotted(text: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}
