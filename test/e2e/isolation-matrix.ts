import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  allPlaces,
  allUnknownNames,
  answersAnyway,
  ending,
  type Place,
  protectedPlaces,
  refusedAsMember,
  requestWith,
  unknownName,
} from "../isolation/places.ts";
import {
  comparable,
  createResources,
  createTermsResources,
  everythingOf,
  type Resources,
  valueIn,
} from "../isolation/resources.ts";
import { createAnewFor, isOfSigning, signingHeaders } from "../isolation/sign-resources.ts";
import type { Api } from "../support/api.ts";
import { type Mode, type System, scenario } from "../support/system.ts";

// Of the single process the mutation suite asks the same.
export const isolationMatrix = scenario("isolation of organizations", describeMatrix, "distributed");

function describeMatrix(_mode: Mode, running: () => System): void {
  let system: System;
  let b: Api;
  let idsOfA: Resources;
  let idsOfB: Resources;
  let a: Api;
  let before: unknown;

  beforeAll(async () => {
    system = running();
    a = await system.newOrganization();
    b = await system.newOrganization();
    const limits = { accept: 1_000_000, render: 1_000_000, other: 1_000_000, sign: 1_000_000 };
    await system.admin.setOrganizationLimits({ organizationId: b.organizationId, limits });
    idsOfA = await createResources(a, "of-a");
    idsOfB = await createResources(b, "of-b");
    before = await everythingOf(a, idsOfA);
  });

  const ask = async ({ operation, at }: Place, value: (resource: string) => string, own = idsOfB) => {
    const { path, body } = requestWith(operation, at, value, own);
    const headers: Record<string, string> = { accept: "application/json", ...signingHeaders(operation, own) };
    if (operation.needsIdempotencyKey) headers["x-idempotency-key"] = randomUUID();
    return b.call(operation.method, path, body, headers);
  };

  /** What has not been changed yet, for what can be changed once. */
  const ownFor = async ({ operation }: Place): Promise<Resources> => {
    if (operation.method === "GET") return idsOfB;
    if (isOfSigning(operation)) return await createAnewFor(operation, b, idsOfB);
    return ending.test(operation.operationId)
      ? { ...idsOfB, ...(await createTermsResources(b, `own-${randomUUID()}`)) }
      : idsOfB;
  };

  describe.each(allPlaces.map((place) => [place.title, place] as const))("%s", (_title, place) => {
    test("answers another organization's id exactly as an unknown one", async () => {
      const absent = await ask(place, unknownName);
      const foreign = await ask(place, (resource) => valueIn(idsOfA, resource));
      const names = [...Object.values(idsOfA), ...allUnknownNames()];
      expect(comparable(foreign, names)).toEqual(comparable(absent, names));
      if (answersAnyway.includes(place.title)) expect(foreign.status).toBeLessThan(500);
      else if (refusedAsMember.includes(place.title)) {
        const { errorCode, details } = foreign.body;
        expect([foreign.status, errorCode, details[0].field, details[0].code]).toEqual([
          ...[400, "VALIDATION_FAILED", place.at, "NOT_FOUND"],
        ]);
      } else
        expect([foreign.status, foreign.body.errorCode ?? foreign.body.code]).toEqual([
          404,
          expect.stringMatching(/(^|_)NOT_FOUND$/i),
        ]);
    });
  });

  test("all of that has changed nothing of the other organization", async () => {
    expect(await everythingOf(a, idsOfA)).toEqual(before);
  });

  // Without this a request that fails for another reason would prove nothing. A Word file needs LibreOffice: what is filled
  // in one is tried in test/interop.
  const found = protectedPlaces.filter(({ operation }) => operation.operationId !== "compatUpdateDocGenFormFields");
  test.each(found.map((place) => [place.title, place] as const))("%s finds an id of its own", async (_title, place) => {
    const own = await ownFor(place);
    const answer = await ask(place, (resource) => valueIn(own, resource), own);
    expect(answer.status === 404 || answer.status >= 500 ? answer : undefined).toBeUndefined();
  });
}
