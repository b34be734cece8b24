import { expect, test } from "@jest/globals";
import { compatAddress } from "../http/express-app.ts";

test.each([
  ["/restapi/v2.1/accounts/a/envelopes", "/restapi/v2.1/accounts/a/envelopes"],
  ["/restapi/v2.1/accounts/a/envelopes///?count=1/", "/restapi/v2.1/accounts/a/envelopes?count=1/"],
  ["/restapi/v2/accounts/a", "/restapi/v2.1/accounts/a"],
  ["/restapi/v2", "/restapi/v2"],
  ["/restapi/v20/accounts", "/restapi/v20/accounts"],
  ["/restapi/", "/restapi"],
])("%s is answered as %s", (sent, expected) => {
  expect(compatAddress(sent)).toBe(expected);
});

test("slashes without end take time that grows with their number only", () => {
  const startedAt = performance.now();
  expect(compatAddress(`/restapi/x${"/".repeat(1_000_000)}`)).toBe("/restapi/x");
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
