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
  testEnvironmentOptions: { fileLimitSeconds: 600 },
  globalSetup: "<rootDir>/dev/jest/global-setup.mjs",
  globalTeardown: "<rootDir>/dev/jest/global-teardown.mjs",
  // Far more than anything takes: what is waited for has limits of its own.
  testTimeout: 240_000,
  injectGlobals: false,
  // The first takes the files that start many processes, as long as there are any (dev/jest/runner.mjs).
  maxWorkers: 2,
  workerIdleMemoryLimit: "800MB",
  reporters: ["default", "<rootDir>/dev/jest/result-line-reporter.mjs"],
};
