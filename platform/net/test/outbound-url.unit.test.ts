import { describe, expect, test } from "@jest/globals";
import type { ResolvedAddress } from "../name-resolver.ts";
import { isPublicAddress, type OutboundRules, outboundUrlProblem, resolvedUrlProblem } from "../outbound-url.ts";
import { createNamedReceivers } from "../receiver-settings.ts";

const rules: OutboundRules = { allowPrivate: false };
const notPublic = "must name a public host";

describe("isPublicAddress", () => {
  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:200::1",
    "2001:4860:4860:0:0:0:0:8888",
    "2a00:1450:4001:80b::200e",
  ])("%s is public", (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });

  test.each([
    ["this network", "0.0.0.0 0.255.255.255"],
    ["private", "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255"],
    ["loopback", "127.0.0.0 127.0.0.1 127.255.255.255 ::1"],
    ["metadata of clouds", "169.254.169.254 169.254.170.2 100.100.100.200 192.0.0.192 168.63.129.16 fd00:ec2::254"],
    ["link-local", "169.254.0.0 169.254.255.255 fe80::1 febf::1 fec0::1"],
    ["carrier-grade NAT", "100.64.0.0 100.127.255.255"],
    ["documentation", "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1 3fff:fff::1"],
    ["protocol assignments and benchmarks", "192.0.0.1 192.88.99.1 198.18.0.0 198.19.255.255 2001::1 2001:1ff::1"],
    ["multicast and reserved", "224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 ff02::1"],
    ["unspecified and local IPv6", ":: fc00::1 fdff::1 100::1 5f00::1 4000::1 8000::1"],
    ["IPv4 inside IPv6", "::127.0.0.1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:10.0.0.1 ::ffff:8.8.8.8"],
    [
      "translated IPv4",
      "64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::a00:1 2002:7f00:1:: 2002:a9fe:a9fe::1 ::ffff:0:1.1.1.1",
    ],
    [
      "no addresses",
      "localhost 0177.0.0.1 0x7f.1 127.1 2130706433 [2606:4700::1] 8.8.8.8:80 2606:4700::1%eth0 1.1.1.1/32",
    ],
  ])("%s: not public", (_what, ips) => {
    expect(ips.split(" ").filter(isPublicAddress)).toEqual([]);
    expect(isPublicAddress("")).toBe(false);
  });
});

describe("outboundUrlProblem", () => {
  test.each([
    "https://example.com",
    "https://hooks.example.com/in?key=1&other=%20",
    "HTTPS://Hooks.Example.COM:443/",
    "https://example.com./path",
    "https://8.8.8.8/",
    "https://[2606:4700:4700::1111]/",
    "https://münchen.example/",
    "https://xn--mnchen-3ya.example/@path@",
    "https://localhost.example.com/",
    "https://internal.example.com/",
    "https://svc.io/",
    `https://example.com/${"a".repeat(2_028)}`,
  ])("%s is taken", (url) => {
    expect(outboundUrlProblem(url, rules)).toBeUndefined();
  });

  test.each([
    // The ways to write the loopback address, and what stands for it.
    ...["127.0.0.1", "127.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.0.0.1.", "%31%32%37.0.0.1"],
    ...["１２７.0.0.1", "①②⑦.0.0.1", "127。0。0。1", "0", "0.0.0.0", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]"],
    ...["[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"],
    ...["10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "2852039166", "0xa9fea9fe", "100.64.0.1"],
    ...["[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "224.0.0.1", "255.255.255.255"],
    // Names that are not of the internet.
    ...[
      "localhost",
      "LOCALHOST",
      "localhost.",
      "ⓛocalhost",
      "ｌｏｃａｌｈｏｓｔ",
      "local%68ost",
      "a.localhost",
      "a.localhost.",
    ],
    ...["gateway", "metadata", "metadata.google.internal", "metadata.google.internal.", "printer.local", "nas.lan"],
    ...["router.home.arpa", "home.arpa", "click.default.svc", "click.default.svc.cluster.local", "a.localdomain"],
  ])("a host of %s is refused", (host) => {
    expect(outboundUrlProblem(`https://${host}/in`, rules)).toBe(notPublic);
    expect(outboundUrlProblem(`https://${host}/in`, { allowPrivate: true })).toBeUndefined();
  });

  const absolute = "must be an absolute https URL";
  const spelling = "must not contain blanks, control characters or backslashes";
  const credentials = "must not contain a user name or password";
  test.each([
    ["", absolute],
    ["example.com", absolute],
    ["//example.com", absolute],
    ["https:example.com", absolute],
    ["https:/example.com", absolute],
    ["https:///example.com", absolute],
    ["https:///user@example.com", absolute],
    ["https://", absolute],
    ["https://?example.com", absolute],
    ["http://example.com", absolute],
    ["ftp://example.com", absolute],
    ["file:///etc/passwd", absolute],
    ["javascript:alert(1)//", absolute],
    ["https://example.com:99999/", absolute],
    ["https://256.1.1.1/", absolute],
    ["https://[fe80::1%25eth0]/", absolute],
    ["https://user@example.com/", credentials],
    ["https://user:password@example.com/", credentials],
    ["https://@example.com/", credentials],
    ["https://:@example.com/", credentials],
    ["https://example.com@127.0.0.1/", credentials],
    ["https://example.com/#part", "must not have a fragment"],
    ["https://example.com/#", "must not have a fragment"],
    [" https://example.com/", spelling],
    ["https://example.com/a b", spelling],
    ["https://example.com/\r\nX-Header: 1", spelling],
    ["https://exam\tple.com/", spelling],
    ["https://example.com/\u0000", spelling],
    ["https://example.com/\u0085", spelling],
    ["https:\\\\example.com\\", spelling],
    ["https://example.com\\@127.0.0.1/", spelling],
    ["https://example.com..", "must have a valid host name"],
    ["https://127.0.0.1../", "must have a valid host name"],
    ["https://a..example.com", "must have a valid host name"],
    ["https://./", "must have a valid host name"],
    [`https://${"a.".repeat(126)}example`, "must have a valid host name"],
    [`https://example.com/${"a".repeat(2_029)}`, "must have at most 2,048 characters"],
    ["https://example.com:8443/", "must use port 443"],
    ["https://example.com:80/", "must use port 443"],
    ["https://example.com:0/", "must use port 443"],
  ])("%j: %s", (url, problem) => {
    expect(outboundUrlProblem(url, rules)).toBe(problem);
  });

  test("ports besides 443 are taken only where the rules name them", () => {
    const wider = { ...rules, ports: [8443] };
    expect(outboundUrlProblem("https://example.com:8443/", wider)).toBeUndefined();
    expect(outboundUrlProblem("https://example.com/", wider)).toBeUndefined();
    expect(outboundUrlProblem("https://example.com:8080/", wider)).toBe("must use port 443 or 8443");
  });

  test("where private addresses are allowed, so are http and every port, and nothing else", () => {
    const loose = { allowPrivate: true };
    expect(outboundUrlProblem("http://localhost:3000/in", loose)).toBeUndefined();
    expect(outboundUrlProblem("ftp://localhost/", loose)).toBe("must be an absolute http or https URL");
    expect(outboundUrlProblem("http://user@localhost/", loose)).toBe(credentials);
  });

  test("a text of a megabyte is refused for its length", () => {
    for (const start of ["https://", "https://a.", ".", "@", "\\"]) {
      expect(outboundUrlProblem(start.repeat(200_000), rules)).toBe("must have at most 2,048 characters");
    }
  });
});

describe("receivers inside the operator's own network", () => {
  const named = createNamedReceivers([
    "hooks.bank.internal:8443",
    "*.apps.bank.internal",
    "10.20.0.0/16:9443",
    "[fd00::]/8",
  ]);
  const inside = { allowPrivate: false, ports: [8443], named };

  test.each([
    "https://hooks.bank.internal:8443/in",
    "https://HOOKS.bank.internal.:8443/in",
    "https://one.apps.bank.internal/",
    "https://two.of.apps.bank.internal/",
    "https://10.20.3.4:9443/",
    "https://[fd12::1]/",
    "https://partner.example.com:9443/",
  ])("%s may be named", (url) => {
    expect(outboundUrlProblem(url, inside)).toBeUndefined();
  });

  test.each([
    "https://hooks.bank.internal/in",
    "https://hooks.bank.internal:9443/in",
    "https://evil.hooks.bank.internal:8443/",
    "https://apps.bank.internal/",
    "https://evilapps.bank.internal/",
    "https://one.apps.bank.internal:8443/",
    "https://10.20.3.4/",
    "https://10.21.0.1:9443/",
    "https://[fe80::1]/",
    "https://localhost:9443/",
    "https://redis.svc:9443/",
    "http://hooks.bank.internal:8443/",
    "https://partner.example.com:9444/",
  ])("%s stays refused", (url) => {
    expect(outboundUrlProblem(url, inside)).toBeDefined();
  });

  const resolved = (url: string, ...addresses: string[]) =>
    resolvedUrlProblem(url, inside, async () => addresses.map((address) => ({ address, family: 4 })));

  test("a name that is named may have a private address; no name may be this machine or what a cloud tells its own", async () => {
    const host = "https://hooks.bank.internal:8443/";
    await expect(resolved(host, "192.168.1.1")).resolves.toBeUndefined();
    for (const address of [
      "127.0.0.1",
      "169.254.169.254",
      "::1",
      "::ffff:10.0.0.1",
      "100.100.100.200",
      "0.0.0.0",
      "fd00:ec2::254",
      "fd00:ec2::23",
      "fd20:ce::254",
    ]) {
      await expect(resolved(host, address)).resolves.toBe(notPublic);
    }
  });

  test("a network is open to names that lead there by its port, and to no other address", async () => {
    await expect(resolved("https://partner.example.net:9443/", "10.20.255.1")).resolves.toBeUndefined();
    await expect(resolved("https://partner.example.net:9443/", "10.21.0.1")).resolves.toBe(notPublic);
    await expect(resolved("https://partner.example.net/", "10.20.255.1")).resolves.toBe(notPublic);
    // The port is open to what is named, not to the internet.
    await expect(resolved("https://partner.example.net:9443/", "93.184.216.34")).resolves.toBe(
      "must use port 443 or 8443",
    );
    await expect(resolved("https://partner.example.net:9443/", "93.184.216.34", "10.20.1.1")).resolves.toBeUndefined();
    const sixOnly = { ...inside, named: createNamedReceivers(["[::]/0"]) };
    expect(outboundUrlProblem("https://10.0.0.1/", sixOnly)).toBe(notPublic);
  });

  test.each([
    "",
    "a b",
    "https://hooks.bank.internal",
    "hooks/8",
    "10.0.0.0/33",
    "10.0.0.300",
    "host:0",
    "host:70000",
    "*",
    "a..b",
    "fd00::/8:443",
  ])("%p is no entry", (entry) => {
    expect(() => createNamedReceivers([entry])).toThrow("must list hosts");
  });
});

describe("resolvedUrlProblem", () => {
  const check = (addresses: readonly string[], url = "https://hooks.example.com./in") => {
    const names: string[] = [];
    const resolver = async (host: string): Promise<ResolvedAddress[]> => {
      names.push(host);
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    };
    return { names, problem: resolvedUrlProblem(url, rules, resolver) };
  };

  test("one public address is enough", async () => {
    const { names, problem } = check(["10.0.0.1", "8.8.8.8"]);
    await expect(problem).resolves.toBeUndefined();
    expect(names).toEqual(["hooks.example.com"]);
  });

  test("a name of which every address is closed is refused", async () => {
    await expect(check(["127.0.0.1", "::1", "169.254.169.254"]).problem).resolves.toBe(notPublic);
  });

  test("a name that does not resolve, or not in time, is no problem", async () => {
    await expect(check([]).problem).resolves.toBeUndefined();
    const fails = () => Promise.reject(new Error("ENOTFOUND"));
    await expect(resolvedUrlProblem("https://a.example/", rules, fails)).resolves.toBeUndefined();
    const hangs = () => new Promise<never>(() => undefined);
    await expect(resolvedUrlProblem("https://a.example/", rules, hangs, 10)).resolves.toBeUndefined();
  });

  test("what is wrong without a look-up is told without one", async () => {
    const { names, problem } = check(["8.8.8.8"], "https://10.0.0.1/");
    await expect(problem).resolves.toBe(notPublic);
    await expect(check(["8.8.8.8"], "ftp://a.example").problem).resolves.toBe("must be an absolute https URL");
    expect(names).toEqual([]);
  });
});
