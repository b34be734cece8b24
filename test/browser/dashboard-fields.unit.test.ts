import { expect, test } from "@jest/globals";
import {
  copyOf,
  coveredBy,
  freeSpot,
  newField,
  placed,
  spotsOf,
  withButton,
  within,
} from "../../web/dashboard/src/pages/sending/field.ts";
import { changeFields, historyOf } from "../../web/dashboard/src/pages/sending/field-history.ts";
import { allOf, groupsOf } from "../../web/dashboard/src/pages/sending/recipients.ts";
import type { RecipientInput, Tab, TabType } from "../../web/dashboard/src/pages/sending/types.ts";

const at = { documentId: "1", page: 1, x: 100, y: 200 };
const field = (type: TabType = "text") => newField({ type, recipientId: "1", spot: at, fields: [] });

test("changes of one kind in a row are undone together, and others one by one", () => {
  const first = field();
  const moved = (x: number): Tab => ({ ...first.tab, x });
  let history = historyOf([]);
  history = changeFields(history, { kind: "add", fields: [first] });
  for (const x of [105, 110, 115]) {
    history = changeFields(history, { kind: "tab", key: first.key, tab: moved(x), of: "place 0" });
  }
  history = changeFields(history, { kind: "tab", key: first.key, tab: moved(300) });
  history = changeFields(history, { kind: "tab", key: first.key, tab: moved(400) });
  const places = [];
  for (let n = 0; n < 4; n += 1) {
    history = changeFields(history, { kind: "undo" });
    places.push(history.fields.map(({ tab }) => tab.x));
  }
  expect(places).toEqual([[300], [115], [100], []]);
  expect(changeFields(history, { kind: "undo" })).toBe(history);
  for (let n = 0; n < 4; n += 1) history = changeFields(history, { kind: "redo" });
  expect([history.fields.map(({ tab }) => tab.x), history.future.length]).toEqual([[400], 0]);
});

test("a field stays on its page and keeps a size that can be seen", () => {
  const page = { width: 595, height: 842 };
  const spot = { ...at, width: 100, height: 16 };
  expect(within({ ...spot, x: 590, y: -3 }, page)).toMatchObject({ x: 495, y: 0, width: 100 });
  expect(within({ ...spot, width: 1, height: 5_000 }, page)).toMatchObject({ width: 8, height: 842, y: 0 });
  expect(within({ ...spot, x: 10.123 }, page).x).toBe(10.1);
});

test("a new field goes where it covers no other, and what overlaps is told of", () => {
  const page = { width: 595, height: 842 };
  const checkbox = newField({ type: "checkbox", recipientId: "2", spot: { ...at, x: 110, y: 205 }, fields: [] });
  const date = field("date");
  expect(coveredBy(date, [checkbox, date])).toEqual([checkbox]);
  const [spot] = spotsOf(date);
  if (spot === undefined) throw new Error("the date has no place");
  const free = freeSpot(spot, [checkbox], page);
  expect(Math.hypot(free.x - spot.x, free.y - spot.y)).toBeLessThan(30);
  const moved = { ...date, tab: placed(date.tab, 0, free) };
  expect(coveredBy(moved, [checkbox, moved])).toEqual([]);
  expect(freeSpot(spot, [], page)).toBe(spot);
  const whole = { ...field("text"), tab: { ...field("text").tab, x: 0, y: 0, width: 595, height: 842 } };
  expect(freeSpot(spot, [whole], page)).toBe(spot);
  const elsewhere = { ...checkbox, tab: { ...checkbox.tab, page: 2 } };
  expect(coveredBy(date, [elsewhere])).toEqual([]);
});

test("each button of a group has a place of its own, and new ones a word of their own", () => {
  const group = field("radioGroup");
  const three = { ...group, tab: withButton(group) };
  expect(spotsOf(three).map(({ x, y }) => [x, y])).toEqual([
    [100, 200],
    [100, 222],
    [100, 244],
  ]);
  expect(new Set(three.tab.buttons.map(({ value }) => value)).size).toBe(3);
  const [, second] = spotsOf(three);
  if (second === undefined) throw new Error("there is no second button");
  const moved = { ...three, tab: placed(three.tab, 1, { ...second, page: 2, x: 7, y: 9 }) };
  expect(spotsOf(moved).map(({ page, x }) => [page, x])).toEqual([
    [1, 100],
    [2, 7],
    [1, 100],
  ]);
});

test("no two fields share what is entered unless somebody says so", () => {
  const first = field();
  const second = newField({ type: "text", recipientId: "1", spot: at, fields: [first] });
  const third = copyOf(first, [first, second]);
  expect([first, second, third].map(({ tab }) => tab.label)).toEqual(["text 1", "text 2", "text 3"]);
});

test("a request has the recipients by what they do, without what only answers have", () => {
  const noMail = { note: null, locale: null, emailSubject: null, emailBlurb: null };
  const nothing = { clientUserId: null, roleName: null, ...noMail, hostName: null, hostEmail: null };
  const who = { ...nothing, name: "Ann", email: "ann@example.com", routingOrder: 1, excludedDocuments: ["2"] };
  const answered = { ...field().tab, tabId: "an id", status: "active" };
  const people: RecipientInput[] = [
    { ...who, recipientId: "1", role: "carbonCopy", tabs: [] },
    { ...who, recipientId: "2", role: "approver", tabs: [answered] },
  ];
  const groups = groupsOf(people);
  expect(allOf(groups)).toMatchObject([{ recipientId: "2", role: "approver" }, { recipientId: "1" }]);
  expect(groups.carbonCopies[0]).not.toHaveProperty("role");
  expect(JSON.stringify(groups)).not.toMatch(/tabId|"status"/);
});
