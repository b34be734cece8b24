// `npm run generate` and `npm run build:web`: the bootstrap has already made what was missing or stale.
process.stdout.write(
  "gen/ is up to date with proto/ and third_party/, its programs/ and processes/ with their sources,\n" +
    "web/dist/ with web/embed/, web/verify/, web/verify-document/, web/signing/ and web/dashboard/\n",
);
