// `npm run build:web`: the bootstrap has already built the browser code when it was stale.
process.stdout.write(
  "web/dist/ is up to date with web/embed/, web/verify/, web/verify-document/, web/signing/ and web/dashboard/\n",
);
