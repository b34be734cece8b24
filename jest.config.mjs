export default {
  testEnvironment: "node",
  roots: ["<rootDir>/platform", "<rootDir>/services", "<rootDir>/gateway", "<rootDir>/dev", "<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/dev/jest/strip-types.mjs" },
  globalSetup: "<rootDir>/dev/jest/global-setup.mjs",
  globalTeardown: "<rootDir>/dev/jest/global-teardown.mjs",
  setupFilesAfterEnv: ["<rootDir>/dev/jest/retry-in-ci.mjs"],
  testTimeout: 90_000,
  maxWorkers: 2,
  workerIdleMemoryLimit: "800MB",
  reporters: ["default", "<rootDir>/dev/jest/result-line-reporter.mjs"],
};
