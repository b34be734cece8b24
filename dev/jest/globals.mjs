// What `@jest/globals` is in plain Node. Modules stay loaded from one test file to the next, so the bindings change
// under them with each file.
import { createRequire } from "node:module";

export let afterAll;
export let afterEach;
export let beforeAll;
export let beforeEach;
export let describe;
export let expect;
export let it;
export let test;

export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = globals);
}

const requireFromGlobals = createRequire(createRequire(import.meta.url).resolve("@jest/globals"));
const requireFromEnvironment = createRequire(requireFromGlobals.resolve("@jest/environment"));
const { ModuleMocker } = requireFromGlobals("jest-mock");
const { ModernFakeTimers } = requireFromEnvironment("@jest/fake-timers");

const mocker = new ModuleMocker(globalThis);
let timers;

/** What the tests use of it; the rest replaces modules, which plain Node does not allow. */
export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: () => timers.useFakeTimers(),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
};

/** Before each file. */
export function prepareTimers(config) {
  timers ??= new ModernFakeTimers({ config, global: globalThis });
}
