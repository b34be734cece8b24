import { expect, test } from "@jest/globals";
import { createNameResolver } from "../name-resolver.ts";

test("names that are kept for examples are asked for nowhere, others as they are", async () => {
  const asked: string[] = [];
  const resolve = createNameResolver({ allowPrivate: true }, async (host) => {
    asked.push(host);
    return [{ address: "8.8.8.8", family: 4 }];
  });
  for (const host of [
    "www.example.com",
    "Example.ORG",
    "a.b.example.net",
    "shop.example",
    "hooks.invalid",
    "invalid",
  ]) {
    await expect(resolve(host)).rejects.toThrow("kept for examples");
  }
  expect(asked).toEqual([]);
  const others = ["notexample.com", "example.com.shop.de", "localhost"];
  for (const host of others) await expect(resolve(host)).resolves.toHaveLength(1);
  expect(asked).toEqual(others);
});
