export default {
  roots: [
    "<rootDir>/api",
    "<rootDir>/platform",
    "<rootDir>/services",
    "<rootDir>/gateway",
    "<rootDir>/dev",
    "<rootDir>/test",
  ],
  testMatch: ["**/*.test.ts"],
  transform: {},
  runner: "<rootDir>/dev/jest/runner.mjs",
  testSequencer: "<rootDir>/dev/jest/sequencer.mjs",
  // Where nobody can look and run them again, a few files that fail beside others run a second time, alone; their first
  // failure is printed all the same.
  testEnvironmentOptions: { fileLimitSeconds: 900, secondRuns: process.env.CI === "true" ? 3 : 0 },
  globalSetup: "<rootDir>/dev/jest/global-setup.mjs",
  globalTeardown: "<rootDir>/dev/jest/global-teardown.mjs",
  // Far more than anything takes: what is waited for has limits of its own.
  testTimeout: 240_000,
  injectGlobals: false,
  // Each takes other kinds of files first, the last two only while a core is idle (dev/jest/runner.mjs).
  maxWorkers: 5,
  workerIdleMemoryLimit: "800MB",
  reporters: ["default", "<rootDir>/dev/jest/result-line-reporter.mjs"],
};
