import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  addAcceptances,
  type CountedAcceptance,
  dayOf,
  localeScope,
  never,
  placesOf,
  templateScope,
  type UserDays,
  versionScope,
} from "../user-days.ts";

const start = Date.parse("2026-11-01T00:00:00Z");
const versions = [
  { versionId: "v1", locale: "en" },
  { versionId: "v2", locale: "en" },
  { versionId: "v3", locale: "de" },
];

const acceptance: fc.Arbitrary<CountedAcceptance> = fc
  .record({
    version: fc.constantFrom(...versions),
    revision: fc.integer({ min: 1, max: 2 }),
    // Few different moments, so that some fall together.
    acceptedAt: fc.integer({ min: 0, max: 40 }).map((n) => new Date(start + n * 21_600_000)),
  })
  .map(({ version, ...rest }) => ({ ...version, ...rest }));

const users = fc.array(fc.array(acceptance, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 });

describe("the days of a user", () => {
  test("come out the same in whatever order and portions the acceptances come", () => {
    fc.assert(
      fc.property(fc.array(acceptance, { minLength: 1, maxLength: 10 }), fc.array(fc.nat(9)), (all, cuts) => {
        const whole = addAcceptances(undefined, all);
        let user: UserDays | undefined;
        const rest = all.toReversed();
        for (const cut of [...cuts, rest.length]) {
          const portion = rest.splice(0, cut);
          if (portion.length > 0) user = addAcceptances(user, portion);
        }
        expect(user).toEqual(whole);
      }),
    );
  });

  test("tell how many users accepted in any period, as a sum over places", () => {
    const day = fc.integer({ min: -1, max: 12 }).map((n) => dayOf(new Date(start + n * 86_400_000)));
    fc.assert(
      fc.property(users, day, day, fc.constantFrom("", "v1", "v2", "v3", "en", "de"), (everybody, from, to, what) => {
        const scope = what === "" ? templateScope : what.startsWith("v") ? versionScope(what) : localeScope(what);
        const places = everybody.flatMap((all) => [...placesOf(addAcceptances(undefined, all)).values()]);
        const counted = places.filter(
          (place) =>
            place.kind === "reach" &&
            place.scope === scope &&
            place.day >= from &&
            place.day <= to &&
            place.previousDay < from,
        );
        const isWanted = ({ versionId, locale, acceptedAt }: CountedAcceptance) =>
          ["", versionId, locale].includes(what) && dayOf(acceptedAt) >= from && dayOf(acceptedAt) <= to;
        expect(counted).toHaveLength(everybody.filter((all) => all.some(isWanted)).length);
      }),
    );
  });

  test("each user holds exactly one text: the one that was accepted last", () => {
    fc.assert(
      fc.property(fc.array(acceptance, { minLength: 1, maxLength: 8 }), (all) => {
        const holders = [...placesOf(addAcceptances(undefined, all)).values()].filter(({ kind }) => kind === "holder");
        const last = all
          .toSorted(
            (a, b) =>
              a.acceptedAt.getTime() - b.acceptedAt.getTime() ||
              a.versionId.localeCompare(b.versionId) ||
              a.revision - b.revision,
          )
          .at(-1);
        expect(holders).toEqual([
          {
            kind: "holder",
            versionId: last?.versionId,
            revision: last?.revision,
            day: dayOf(last?.acceptedAt ?? new Date(0)),
          },
        ]);
      }),
    );
  });

  test("the first day of each scope has no day before it", () => {
    const user = addAcceptances(undefined, [
      { versionId: "v1", revision: 1, locale: "en", acceptedAt: new Date(start) },
      { versionId: "v3", revision: 1, locale: "de", acceptedAt: new Date(start + 86_400_000) },
    ]);
    const reach = [...placesOf(user).values()].flatMap((place) =>
      place.kind === "reach" ? [[place.scope, place.day, place.previousDay]] : [],
    );
    expect(reach).toEqual([
      ["", "2026-11-01", never],
      ["", "2026-11-02", "2026-11-01"],
      ["v:v1", "2026-11-01", never],
      ["l:en", "2026-11-01", never],
      ["v:v3", "2026-11-02", never],
      ["l:de", "2026-11-02", never],
    ]);
  });
});
