import { expect, test } from "@jest/globals";
import { organizationPredicates, without } from "./predicates.ts";

/** The statement without each of its predicates, one at a time. */
const mutants = (sql: string): string[] => organizationPredicates(sql).map((predicate) => without(sql, predicate));

test.each([
  ["a parameter", "where organization_id = $1 and id = $2", ["where $1::uuid is not null and id = $2"]],
  ["a parameter with its type", "where organization_id = $1::uuid", ["where $1::uuid is not null"]],
  ["a parameter on the left", "where $1 = a.organization_id", ["where $1::uuid is not null"]],
  ["a list", "where a.organization_id = any($2) and x", ["where $2::uuid[] is not null and x"]],
  ["a list with its type", "where organization_id = any($2::uuid[])", ["where $2::uuid[] is not null"]],
  ["a literal", "where organization_id = '0'::uuid or x", ["where true or x"]],
  ["a join", "join b on b.organization_id = a.organization_id and b.id = 1", ["join b on true and b.id = 1"]],
  ["a join with another name", "where organization_id = i.o", ["where true"]],
  ["what MikroORM writes", 'where "t0"."organization_id" = $1 and 1=1', ["where $1::uuid is not null and 1=1"]],
  [
    "a key of several columns as MikroORM writes it",
    'where ("t0"."organization_id", "t0"."id") in (($1, $2))',
    ['where ($1::uuid, "t0"."id") in (($1, $2))'],
  ],
  [
    "a key of several columns with values in the text",
    "where (organization_id, id) in (('a', 'b'), ('a', 'c'))",
    ["where ('a'::uuid, id) in (('a', 'b'), ('a', 'c'))"],
  ],
  [
    "a key of several columns that is looked for in a query",
    "where (organization_id, id) in (select organization_id, id from due)",
    ["where (0, id) in (select 0, id from due)"],
  ],
  ["a column that is only read", "select organization_id from t group by organization_id", []],
  ["a column that is written", "insert into t (organization_id, id) values ($1, $2) on conflict (organization_id)", []],
  ["a column with a longer name", "where my_organization_id = $1", []],
  [
    "several, one at a time",
    "join b on b.organization_id = $1 where a.organization_id = $1",
    [
      "join b on $1::uuid is not null where a.organization_id = $1",
      "join b on b.organization_id = $1 where $1::uuid is not null",
    ],
  ],
])("it takes away a comparison with %s", (_what, sql, expected) => {
  expect(mutants(sql)).toEqual(expected);
});

test("it refuses a form that it does not know, so that none is overlooked", () => {
  expect(() => organizationPredicates("where organization_id = coalesce($1, $2)")).toThrow("no known form");
});
