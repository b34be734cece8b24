import { onePixel } from "#api/kinds.ts";

/**
 * How each printed command is run. A block is found by how it begins. Pages are walked as a reader would: their blocks in
 * order, in one shell, in a clone, beside a copy that runs.
 */
export interface PlannedBlock {
  /** The first characters of the block; of those that begin alike, the first that was not taken yet. */
  readonly begins: string;
  /** Typed before it: what the page leaves to the reader, such as ids that an earlier answer printed. */
  readonly before?: string;
  /** Typed after it, to look at what it left. */
  readonly after?: string;
  /** Replaced in it: what is only an example, by what is so here. */
  readonly instead?: ReadonlyArray<readonly [string | RegExp, string]>;
  /** What its output must say. */
  readonly says?: readonly RegExp[];
  /** Error codes that it shows on purpose. */
  readonly refuses?: readonly string[];
  /** Not typed, since something else runs it. */
  readonly ranBy?: string;
}

export interface PlannedPage {
  readonly page: string;
  /** Which copy runs beside it. */
  readonly beside: "single" | "distributed";
  readonly blocks: readonly PlannedBlock[];
}

const field = `field() { node -pe "JSON.parse(require('fs').readFileSync(0)).$1"; }`;
const demo = `demo() { node -pe "JSON.parse(require('fs').readFileSync('.assent/demo.json')).$1"; }`;

/** Seven processes of which each tells of the test server's disk, some of an address that is an example, and none of more. */
const sevenWithoutDurability =
  /(?:WRONG +durability(?:(?!WRONG).)*(?:WRONG +public address(?:(?!WRONG).)*)?Result: [12] wrong(?:(?!WRONG).)*){7}/s;

export const plannedPages: readonly PlannedPage[] = [
  {
    page: "README.md",
    beside: "single",
    blocks: [
      { begins: "npm start ", ranBy: "script start" },
      { begins: "demo()" },
      { begins: "TEMPLATE=", says: [/"status":"PUBLISHED"/] },
      { begins: "SESSION=", says: [/HTTP\/1\.1 201/, /"status":"RECORDED"/] },
      { begins: "api -X POST $BASE/v1/click/accept", refuses: ["CLICK_IDEMPOTENCY_KEY_REUSED"] },
      {
        begins: "api -X POST $BASE/v1/click/sessions/",
        says: [/COMPLETED/, /We keep what you sign/, /assent\.localhost/],
      },
      { begins: "curl -s", says: [/Result: nothing failed/, /FAIL +CONTENT_HASH/] },
      { begins: "api", after: "head -c 5 evidence.pdf", says: [/%PDF-/] },
      { begins: "curl -s -X POST $BASE/v1/gen", says: [/"status":"completed"/] },
      { begins: "ENDPOINT=", says: [/"status":"DELIVERED"/] },
      {
        begins: "npm run -s admin -- organizations create",
        instead: [["--organization ID", "--organization $(demo organizationId)"]],
        says: [/"organizationId":"/, /"clientSecret":"/, /"kid":"/, /Usage: /],
      },
      {
        begins: "deploy/make-secrets.sh && docker",
        says: [
          /docker compose -f deploy\/compose\.yaml up --build/,
          /kubectl apply -k deploy\/k8s\/overlays\/production/,
        ],
      },
      { begins: "npm run doctor", says: [/the one at http:\S+ is ready/, /Result: 0 wrong/] },
    ],
  },
  {
    page: "CONTRIBUTING.md",
    beside: "single",
    blocks: [{ begins: "npm start ", ranBy: "script start" }],
  },
  {
    page: "docs/authentication.md",
    beside: "single",
    blocks: [
      { begins: "demo()" },
      {
        begins: "admin keys create",
        before: `admin() { npm run -s admin -- "$@"; }\nORG=$(demo organizationId)`,
        says: [/"apiKey":"ak_/],
      },
      {
        begins: "admin keys list",
        before: "MADE=$(admin keys create --organization $ORG --name revoked --json | field keyId)",
        instead: [["--key GTHduqAAZ9ob1teB", "--key $MADE"]],
        says: [/lastUsedAt/],
      },
      { begins: "admin clients create", says: [/"clientSecret":"cs_/] },
      {
        begins: "curl -s -X POST $BASE/oauth2/token",
        before: `PAIR=$(admin clients create --organization $ORG --name x --scopes "click:read sign:read sign:send" --json)
CLIENT=$(echo $PAIR | field clientId); SECRET=$(echo $PAIR | field clientSecret)`,
        says: [/"scope":"click:read"/, /"scope":"sign:read sign:send click:read"|"scope":"[a-z: ]*sign:send/],
      },
      { begins: "openssl genrsa", says: [/"algorithm":"RS256"/] },
      { begins: "b64url()", says: [/"access_token":"eyJ/] },
      {
        begins: "curl -s $BASE/oauth/userinfo",
        before:
          "TOKEN=$(curl -s -u $CLIENT:$SECRET -d grant_type=client_credentials $BASE/oauth/token | field access_token)",
        says: [/"accounts":/],
      },
      { begins: "admin users create-owner", says: [/"inviteUrl":"/] },
      {
        begins: "curl -s -c jar",
        before: "EMAIL=$(demo ownerEmail); PASSWORD=$(demo ownerPassword)",
        says: [/"csrfToken":"/, /ben@example\.com/],
      },
      { begins: 'curl -s -u "$CLIENT:wrong"', says: [/invalid_client/] },
    ],
  },
  {
    page: "docs/dashboard.md",
    beside: "single",
    blocks: [
      {
        begins: "npm run admin -- users create-owner",
        before: `${demo}\nORG=$(demo organizationId)`,
        instead: [["ann@example.com", "anna@example.com"]],
        says: [/invitation#/],
      },
    ],
  },
  {
    page: "docs/docgen.md",
    beside: "single",
    blocks: [
      { begins: "demo()" },
      { begins: "cat > offer.html", says: [/^1$/m, /"validUntil"/] },
      { begins: "api -i -X POST $BASE/v1/gen/documents", says: [/Bücher & Söhne/] },
      { begins: "ITEM=", says: [/"ref":"row-1"/] },
      // A file that is laid out in Word, and the converter for its documents.
      { begins: "FILE=", ranBy: "services/docgen/test/word-documents.test.ts" },
    ],
  },
  {
    page: "docs/events.md",
    beside: "distributed",
    blocks: [
      { begins: "nats consumer add", says: [/nats consumer next EVENTS billing --count 10/] },
      {
        begins: "npm run -s admin -- dead-events list",
        // Nothing has died here; what becomes of what has is dev/admin/dead-events.test.ts.
        instead: [[/^(.*--event .*)$/gm, "$1 2>&1 | grep -i 'no such\\|not\\|0'"]],
      },
    ],
  },
  {
    page: "docs/operations.md",
    beside: "distributed",
    blocks: [
      {
        begins: "docker build",
        instead: [["deploy/make-secrets.sh  ", "deploy/make-secrets.sh  "]],
        before: "EDITOR=true",
        says: [/docker push registry\.example\.com/, /kustomize edit set image/, /kubectl -n assent rollout status/],
      },
      { begins: "VAULT=secret/assent", ranBy: "test/deploy/secrets.test.ts" },
      { begins: "for process in", says: [/deploy\/webhooks -- node .* dev\/doctor\.ts webhooks/] },
      {
        begins: "kubectl -n assent port-forward",
        instead: [["http://127.0.0.1:9090", "$ADMIN_URL"]],
        says: [/invitation#/],
      },
      {
        begins: "docker compose -f deploy/compose.yaml exec",
        says: [/exec .* auth node .* dev\/admin\.ts organizations create --name Acme/, /dev\/doctor\.ts click/],
      },
      {
        begins: "npm run -s admin -- organizations list",
        says: [/organizationId +name +plan +state/, /suspensionReason +unpaid since August/, /maxCredentials +20/],
      },
      {
        begins: "sha256sum",
        before: `CLONE=$PWD; export ROOT=$CLONE/.root; mkdir -p $ROOT/opt; npm run -s pack -- $ROOT; cd $ROOT
own_servers() {
  printf %s "$RELEASE_DATABASE" | tee $ROOT/etc/assent/shared/DATABASE_URL > $ROOT/etc/assent/secrets/DATABASE_OWNER_URL
  printf %s "$RELEASE_NATS" > $ROOT/etc/assent/shared/NATS_URL
  sed -i '/^SERVICE_LOGIN/d' $ROOT/etc/assent/migrate.env
}`,
        instead: [
          ["/opt", "$ROOT/opt"],
          ["$EDITOR /etc/assent/assent.env", "own_servers"],
          ["systemd/doctor.sh", "systemd/doctor.sh || true"],
        ],
        says: [/assent-0\.1\.0\.tgz: OK/, /added \d+ packages/, sevenWithoutDurability],
      },
      {
        begins: "export ASSENT_ADMIN_URL",
        before: `own_port() { node -pe "JSON.parse(require('fs').readFileSync('$ROOT/run/ports.json'))[$1]"; }`,
        instead: [["127.0.0.1:9091", "127.0.0.1:$(own_port 9091)"]],
        after: `KEY=$(npm run -s admin -- keys create --organization $ORG --name first --json | field apiKey)
at() { curl -s -X POST "http://127.0.0.1:$(own_port 8080)$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d "$2" $3 $4; }
TERMS=$(at /v1/click/templates '{"name":"Terms","type":"STATIC"}')
VERSIONS=/v1/click/templates/$(echo "$TERMS" | field id)/versions
at $VERSIONS/$(at $VERSIONS '{"locale":"en","title":"Terms","content":"<p>Be kind.</p>"}' | field id)/publish '{}'
at /v1/click/accept "{\\"templateSlug\\":\\"$(echo "$TERMS" | field slug)\\",\\"userRef\\":\\"ada\\"}" -H x-idempotency-key:first`,
        says: [/invitation#/, /"receiptId":"/],
      },
      // The programs of development are a server's alone; the drill does the same by functions of the server.
      { begins: "pg_basebackup", ranBy: "test/chaos/restore/servers.ts" },
      { begins: "systemctl stop", after: "cd $CLONE", says: [/assent@gateway\.service has ended/] },
    ],
  },
  {
    page: "docs/performance.md",
    beside: "single",
    blocks: [{ begins: "npm run bench ", ranBy: "script bench" }],
  },
  {
    page: "docs/sign.md",
    beside: "single",
    blocks: [
      { begins: "demo()" },
      { begins: "node -pe" },
      { begins: "api -X POST $BASE/v1/sign/agreements/$AGREEMENT/views", says: [/\/signing\//] },
      {
        begins: "api $BASE/v1/sign/agreements/$AGREEMENT | field status",
        // The person in the browser.
        before: 'curl -sf "$SIGNER/$AGREEMENT"',
        says: [/^completed/m, /Signature is Valid/],
      },
      {
        begins: "api -X PUT $BASE/v1/privacy/file-search",
        says: [/"enabled":true/, /"emailSubject":"Please sign the NDA"/],
      },
    ],
  },
  {
    page: "docs/brands.md",
    beside: "single",
    blocks: [
      {
        begins: "api()",
        before: `${demo}
BASE=$(demo baseUrl); API_KEY=$(demo apiKey)`,
        instead: [["https://sign.example.com", "$BASE"]],
        says: [/"name":"Example AG"/],
      },
      {
        begins: "printf",
        before: `echo ${onePixel} | base64 -d > logo.png`,
        says: [/"contentType":"image\/png"/],
      },
      { begins: "api -X POST", says: [/"subject":"[^"]* hat Ihnen Lease agreement geschickt"/] },
      { begins: "SENDER=", says: [/"name":"_assent\.mail\.example\.com"/, /"status":"pending"/] },
      // Names of examples are asked for nowhere.
      { begins: "api -X POST $API/v1/sign/sender-domains", says: [/"status":"missing"/] },
      { begins: "HOST=", says: [/"name":"_assent-pages\.agreements\.example\.com"/, /"status":"pending"/] },
      { begins: "api -X POST $API/v1/sign/page-hosts", says: [/"status":"missing"/] },
    ],
  },
  {
    page: "docs/click.md",
    beside: "single",
    blocks: [
      {
        begins: "CAMPAIGN=",
        // As the tour of README.md leaves it.
        before: `${demo}
${field}
BASE=$(demo baseUrl)
api() { curl -s -H "Authorization: Bearer $(demo apiKey)" -H 'Content-Type: application/json' "$@"; }
TEMPLATE=$(api -X POST $BASE/v1/click/templates -d '{"name":"Terms","type":"STATIC"}' | field id)
VERSION=$(api -X POST $BASE/v1/click/templates/$TEMPLATE/versions -d '{"locale":"en","title":"Terms","content":"<p>Be kind.</p>"}' | field id)
api -X POST $BASE/v1/click/templates/$TEMPLATE/versions/$VERSION/publish -d '{}'`,
        says: [/"added":2/, /"status":"RUNNING"/],
      },
    ],
  },
  {
    page: "docs/sealing.md",
    beside: "single",
    blocks: [
      { begins: "openssl ecparam -name prime256v1 -genkey -noout | " },
      {
        begins: "openssl ecparam",
        before: "",
        says: [],
      },
      { begins: "qpdf --check", before: "cp signed.pdf sealed.pdf", says: [/Signature is Valid/] },
      {
        begins: "range=",
        before: `node -e "const s=JSON.parse(require('fs').readFileSync('.assent/seal.json'));require('fs').writeFileSync('issuer.pem',s.certificates)"`,
      },
    ],
  },
  {
    page: "docs/webhooks.md",
    beside: "single",
    blocks: [
      { begins: "demo()", says: [/"status"|"id"|{}/] },
      {
        begins: "curl -X POST https://api.example.com",
        instead: [["https://api.example.com", "$BASE"]],
        says: [/"secret":"whsec_/],
      },
      { begins: "API=", instead: [["https://api.example.com", "$BASE"]] },
      { begins: "call $API/endpoints -H", says: [/"secret":"whsec_/, /"description":"The order system"/] },
      {
        begins: 'call "$API/deliveries',
        before:
          'DELIVERY=$(call "$API/deliveries?limit=1" | node -pe "JSON.parse(require(\'fs\').readFileSync(0))[0].id")',
        refuses: ["WEBHOOK_DELIVERY_PENDING"],
        says: [/"queued":\d+/],
      },
      {
        begins: "curl -X POST https://api.example.com",
        instead: [["https://api.example.com", "$BASE"]],
        says: [/"secret":"whsec_/],
      },
    ],
  },
  {
    page: "docs/migrating-from-docusign.md",
    beside: "single",
    blocks: [
      {
        begins: "echo '<h1>NDA</h1>",
        before: `code_of docs/migrating-from-docusign.md > nda.mjs`,
        instead: [
          ["ak_test_…", "$(demo apiKey)"],
          ["01a1fd27-…", "$(demo organizationId)"],
        ],
        says: [/ sent$/m, /%PDF-1\.7/, /ENVELOPE_ALREADY_SENT/],
        refuses: ["ENVELOPE_ALREADY_SENT", "ENVELOPE_INVALID_STATUS"],
      },
    ],
  },
  {
    page: "docs/grpc.md",
    beside: "single",
    blocks: [
      { begins: "node_modules/.bin/buf export", after: "ls contracts", says: [/proto|assent/] },
      {
        begins: "grpcurl -plaintext -import",
        before: "ASSENT_TOKEN=$(demo apiKey)",
        instead: [["127.0.0.1:50051", "$GRPC"]],
        says: [/grpcurl|terms-of-service/],
      },
      { begins: "grpcurl -plaintext 127", instead: [["127.0.0.1:50051", "$GRPC"]], says: [/grpcurl|assent\.click/] },
      { begins: "npm install ./assent-clients", ranBy: "dev/test/package-clients.unit.test.ts" },
      { begins: "python -m grpc_tools.protoc", ranBy: "test/interop/grpc.test.ts" },
      { begins: "go install", ranBy: "test/interop/grpc.test.ts" },
    ],
  },
  {
    page: "docs/privacy.md",
    beside: "single",
    blocks: [
      { begins: "demo()" },
      { begins: "api -X PUT $BASE/v1/privacy/retention", says: [/"nextDays":3650/] },
      { begins: "HOLD=", says: [/"reason":"Lawsuit 4 C 17\/26"/] },
      { begins: "api -X DELETE $BASE/v1/privacy/holds/$HOLD", says: [/"liftedAt":"2/] },
      { begins: "EXPORT=", after: "echo $EXPORT", says: [/^[0-9a-f-]{36}$/m] },
      { begins: "until", after: "head -c 2 export.zip", says: [/PK/] },
      { begins: "api -X POST $BASE/v1/privacy/persons/search", says: [/^\[/m] },
      { begins: "LOOK=", says: [/"status":"completed"/, /"dryRun":true/] },
      { begins: "ERASURE=", says: [/"status":"completed"/, /"ground":"GDPR_17"/] },
      { begins: `api -X POST $BASE/v1/privacy/exports -d '{ "organization`, says: [/"kind":"organization"/] },
      { begins: `api -X POST $BASE/v1/privacy/exports -d '{ "acceptances`, says: [/"kind":"acceptances"/] },
      { begins: "SCHEDULE=", says: [/"every":"weekly"/, /"paused":true/] },
    ],
  },
  {
    // Last: it takes the budget of the others.
    page: "docs/limits.md",
    beside: "single",
    blocks: [
      { begins: "demo()", says: [/HTTP\/1\.1 200/, /HTTP\/1\.1 429/, /Retry-After/i], refuses: ["CLICK_RATE_LIMITED"] },
      { begins: "npm run admin -- organizations set-limits" },
    ],
  },
];

/** The program of a page that begins with what it imports. */
const codeOf = "code_of() { sed -n '/^import/,/^```$/p' $1 | sed '/^```$/,$d'; }";

export const helpers = `${field}\n${demo}\n${codeOf}\n`;

/** Commands within sentences that are typed as well, with what is only an example replaced. */
export const plannedInlines: ReadonlyArray<Omit<PlannedBlock, "begins"> & { readonly text: string }> = [
  { text: "npm run -s admin --", ranBy: "script admin" },
  {
    text: "openssl ecparam -name prime256v1 -genkey -noout -out ec.pem; openssl ec -in ec.pem -pubout -out ec-public.pem",
  },
  {
    text: "npm run -s admin -- evidence-keys list|rotate --purpose receipt|revoke --kid …",
    instead: [[/\|.*/, ""]],
    says: [/receipt/],
  },
  {
    text: "npm run -s verify -- bundle.json --keys keys.json",
    instead: [["bundle.json", "bundle.json.bak"]],
    says: [/nothing failed/],
  },
  { text: "openssl rand -base64 32", says: [/^[\w+/]{43}=$/m] },
  {
    text: "curl --fail --data-binary @- -H 'Content-Type: message/rfc822' https://sign.example.com/mail/reports/SECRET",
    ranBy: "gateway/test/signing-page.test.ts",
  },
  { text: "openssl rand -hex 32", says: [/^[0-9a-f]{64}$/m] },
  { text: "nats sub 'assent.>'", says: [/nats sub assent\.>/] },
  { text: "deploy/make-secrets.sh && docker compose -f deploy/compose.yaml up --build", says: [/docker compose/] },
  { text: "deploy/k8s/apply-secrets.sh postgres-2-rw", says: [/kubectl apply/] },
  { text: "kubectl -n assent delete job migrate --ignore-not-found", says: [/kubectl/] },
  { text: "kubectl -n assent exec nats-0 -- du -sh /data", says: [/kubectl/] },
  { text: "kubectl -n assent exec nats-0 -- nats-server -sl=reload=/tmp/nats.pid", says: [/kubectl/] },
  { text: "kubectl -n assent get backups,scheduledbackups", says: [/kubectl/] },
  { text: "kubectl -n assent get certificates,certificaterequests", says: [/kubectl/] },
  { text: "kubectl -n assent get cluster postgres", says: [/kubectl/] },
  {
    text: "kubectl cnpg backup postgres -n assent --method=plugin --plugin-name=barman-cloud.cloudnative-pg.io",
    says: [/kubectl/],
  },
  { text: "kubectl cnpg destroy postgres N", says: [/kubectl/] },
  { text: "nats stream edit EVENTS", says: [/nats stream/] },
  { text: "kubectl -n assent describe pod", says: [/kubectl/] },
  { text: "kubectl -n assent get pods", says: [/kubectl/] },
  { text: "kubectl -n assent get certificates,certificaterequests", says: [/kubectl/] },
  { text: "kubectl -n assent get cluster postgres", says: [/kubectl/] },
  { text: "kubectl cnpg destroy postgres N", says: [/kubectl/] },
  { text: "kubectl -n assent get backups,scheduledbackups", says: [/kubectl/] },
  {
    text: "kubectl cnpg backup postgres -n assent --method=plugin --plugin-name=barman-cloud.cloudnative-pg.io",
    says: [/kubectl/],
  },
  { text: "kubectl -n assent exec nats-0 -- du -sh /data", says: [/kubectl/] },
  { text: "nats stream edit EVENTS", says: [/nats stream edit EVENTS/] },
  { text: "kubectl -n assent logs nats-0", says: [/kubectl/] },
  { text: "kubectl -n assent rollout restart deployment/NAME", says: [/kubectl/] },
  { text: "kubectl -n assent rollout undo deployment/NAME", says: [/kubectl/] },
  { text: "kubectl -n assent scale deployment --all --replicas=0", says: [/kubectl/] },
  { text: "kubectl -n assent scale deployment --all --replicas=2", says: [/kubectl/] },
  {
    text: "kubectl -n assent annotate scaledobject webhooks autoscaling.keda.sh/paused-replicas=0",
    says: [/kubectl/],
  },
  {
    text: "kubectl -n assent annotate scaledobject webhooks autoscaling.keda.sh/paused-replicas-",
    says: [/kubectl/],
  },
  { text: "kubectl -n assent delete ingress gateway", says: [/kubectl/] },
  { text: "kubectl -n assent port-forward service/gateway 8080:80", says: [/kubectl/] },
  { text: "kubectl -n assent port-forward deploy/click 9093:9090", says: [/kubectl/] },
  { text: "kubectl apply -k …", instead: [["…", "deploy/k8s/overlays/production"]], says: [/kubectl/] },
  { text: "npm run -s admin -- dead-events list --service …", instead: [["…", "click"]] },
  { text: "npm run -s admin -- evidence-keys rotate --purpose receipt" },
  { text: "npm run -s admin -- evidence-logs list" },
  { text: "npm run -s admin -- evidence-logs confirm --all" },
  { text: "npm run -s admin -- evidence-logs confirm --witness-is-new" },
  {
    text: "docker build -f deploy/Dockerfile --build-arg BASE=node:24.21.0-bookworm-slim@sha256:… -t registry.example.com/assent:0.2.0 .",
    says: [/docker build/],
  },
  { text: "npm run pack -- release", after: "rm -r release", says: [/release\/assent-.*\.intoto\.json/] },
  { text: "npm ci --omit=dev", ranBy: "script drill:image" },
  { text: "node --disable-warning=ExperimentalWarning bench/scaling.ts" },
  {
    text: "npm version --no-git-tag-version 0.2.0",
    // The version of the clone itself decides what is installed in it.
    before: "mkdir version; cp package.json package-lock.json version; cd version",
    after: "cd ..",
    says: [/0\.2\.0/],
  },
  { text: "openssl ts -reply -in tst.tsr -token_in -text", ranBy: "test/verify/support/openssl.ts" },
];

/**
 * Every script of package.json: how it is run to its end, or which part of this suite does. A command that is printed
 * with arguments is run with those of `short`, where these are far too many for a test.
 */
export const plannedScripts: Readonly<
  Record<string, { readonly run?: string; readonly ranBy?: string; readonly says?: RegExp }>
> = {
  start: { ranBy: "single" },
  "start:distributed": { ranBy: "distributed" },
  test: { run: "npm test -- test/architecture/policy-defaults", says: /passed, 0 failed/ },
  admin: { ranBy: "README.md" },
  doctor: { ranBy: "README.md" },
  verify: { ranBy: "docs/evidence.md" },
  migrate: { run: "DATABASE_URL=$TEST_DATABASE npm run migrate", says: /the database is up to date/ },
  generate: { run: "npm run generate", says: /up to date/ },
  pack: { ranBy: "docs/operations.md" },
  "package:clients": { run: "npm run package:clients", says: /assent-clients-.*\.tgz/ },
  "build:web": { run: "npm run build:web" },
  docs: { run: "npm run docs", says: /written: \d+ lines/ },
  format: {
    // Of one file: whether all are formatted is checked beside the tests.
    run: "echo 'export const  wide=1' > wide.ts; git add wide.ts; npm run format -- --staged; cat wide.ts; git rm -fq wide.ts",
    says: /Checked 1 file[\s\S]*^export const wide = 1;$/m,
  },
  "keep-release": { run: "npm run keep-release -- --only contracts,interface", says: /kept of .*: interface/ },
  bench: { run: "npm run bench -- --only p7 --seconds 1 --rounds 1", says: /written to/ },
  drill: { run: "npm run drill -- --only nothing 2>&1 || true", says: /there is no drill nothing/ },
  "drill:pdf": { run: "npm run drill:pdf -- 20", says: /no difference/ },
};

/**
 * Drills whose shortest form takes longer than half a minute: the suite that runs what the drill does, for less long.
 * The test of this plan makes sure that both have these parts.
 */
export const drillsInSuites: Readonly<Record<string, { readonly suite: string; readonly parts: readonly string[] }>> = {
  "drill:accept": {
    suite: "test/chaos/accept-history/suite.ts",
    parts: ["runAcceptHistory"],
  },
  "drill:events": { suite: "test/chaos/events/events.test.ts", parts: ["startCluster", "runFaults", "checkEvents"] },
  "drill:fuzz": { suite: "test/fuzz/fuzz.test.ts", parts: ["FUZZ_SEED", "FUZZ_REQUESTS", "FUZZ_REPORT"] },
  "drill:lifecycle": {
    suite: "test/chaos/lifecycle/suite.ts",
    parts: ["LifecycleCluster", "startLoad", "problemsOf", "rollingRestart", "killOneOfEach"],
  },
  "drill:office": { suite: "services/convert/test/convert.test.ts", parts: ["makeOfficeFiles", "compareConversions"] },
  "drill:limits": { suite: "test/chaos/budgets/suite.ts", parts: ["runBudgets"] },
  // Of these only the parts that judge and choose: they take minutes however short.
  "drill:soak": { suite: "test/chaos/soak/slopes.unit.test.ts", parts: ["isFlat", "verdictOf"] },
  "drill:image": { suite: "test/drills/drills.unit.test.ts", parts: ["besideImage"] },
  "drill:operations": {
    suite: "test/drills/drills.unit.test.ts",
    parts: ["injectedFaults", "rotations", "tableOf", "violationsOf", "within"],
  },
  "drill:restore": { suite: "test/drills/drills.unit.test.ts", parts: ["judge", "judgeRepeated"] },
  "drill:upgrade": { suite: "test/chaos/lifecycle/suite.ts", parts: ["startLoad", "rollingRestart", "problemsOf"] },
  "drill:webhooks": { suite: "test/chaos/webhooks/webhooks.test.ts", parts: ["startCluster", "runWebhooks"] },
};
