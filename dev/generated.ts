// `npm run generate`: the bootstrap has already generated the contract code when it was stale.
process.stdout.write("gen/ is up to date with proto/ and third_party/\n");
