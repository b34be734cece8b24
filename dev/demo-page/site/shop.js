// The shop's page. It knows no credential: it asks its own backend for a session and hands decisions to it.
const byId = (id) => document.getElementById(id);

let terms;
let shown;
let isEmpty = true;

byId("account").addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("account-status").textContent = "";
  const visitor = await askVisitor();
  if (visitor === undefined) return;
  const { accepted, mustAccept } = visitor;
  log("The backend asked the API whether this visitor has to accept the terms.", {
    user: visitor.userRef,
    answer: mustAccept ? "yes" : `no, version ${accepted.versionLabel} is accepted`,
  });
  if (!mustAccept) {
    byId("account-status").textContent =
      `You’re signed in. You accepted version ${accepted.versionLabel} of the terms.`;
    return;
  }
  if (accepted?.status === "ACCEPTED")
    byId("account-status").textContent = "Our terms have changed. Please accept them again.";
  terms?.unmount();
  terms = await showTerms();
  terms?.open();
});

byId("own").addEventListener("submit", async (event) => {
  event.preventDefault();
  await showOwn(byId("key").value);
});

byId("forget").addEventListener("click", async () => {
  await post("/demo/api/visitor", {});
  location.reload();
});

const visitor = await askVisitor();
if (visitor !== undefined) {
  byId("visitor-name").textContent = visitor.userRef;
  byId("visitor").hidden = false;
}
if (visitor?.accepted?.status === "ACCEPTED") {
  byId("account-title").textContent = "Welcome back";
  byId("account").querySelector("button").textContent = "Sign in";
}
await showChoices();

/** Who this browser is for the shop, and where they stand with its terms. */
async function askVisitor() {
  const response = await fetch("/demo/api/visitor");
  if (response.ok) return response.json();
  log(`The API could not be asked about this visitor: HTTP ${response.status}`);
  return undefined;
}

async function showTerms() {
  const session = await createSession("terms");
  if (session === undefined) return undefined;
  return Assent.mount(byId("terms"), {
    url: session.renderUrl,
    open: "manual",
    onAccept: async (acceptance) => {
      const receipt = await record(acceptance);
      byId("account-status").textContent = "Your account is ready.";
      return receipt;
    },
    onDecline: record,
  });
}

async function showChoices() {
  const session = await createSession("choices");
  if (session === undefined) return;
  Assent.mount(byId("choices"), { url: session.renderUrl, showTitle: false, onAccept: record, onDecline: record });
}

/** Mounts what one of the newcomer's own deployments serves. */
async function showOwn(text) {
  shown?.unmount();
  shown = undefined;
  const key = /dep_[A-Za-z0-9]+/.exec(text)?.[0];
  byId("own-status").textContent = key === undefined ? "Enter a deployment key. Keys begin with dep_." : "";
  if (key === undefined) return;
  const session = await createSession(key);
  if (session === undefined) {
    byId("own-status").textContent = "No active deployment has this key, or its template has no published version.";
    return;
  }
  shown = Assent.mount(byId("own-place"), { url: session.renderUrl, onAccept: record, onDecline: record });
}

async function createSession(place) {
  const { ok, answer } = await post("/demo/api/sessions", { place });
  if (!ok) {
    log(`The API created no session for ${place}: ${answer.errorCode ?? "error"}`);
    return undefined;
  }
  log("The backend created a session with its API key and gave the page the URL of the text.", {
    session: answer.sessionId,
    user: answer.userRef,
  });
  return answer;
}

async function record(acceptance) {
  const { ok, answer } = await post("/demo/api/decisions", acceptance);
  if (!ok) {
    log(`The API refused the decision: ${answer.errorCode}`, { request: answer.requestId });
    throw answer;
  }
  log(
    "The page sent the decision to the backend, which recorded it.",
    {
      receipt: answer.receiptId,
      decision: answer.decision,
      text: `${answer.templateName} ${answer.versionLabel} (${answer.locale})`,
      hash: answer.contentHash,
      at: answer.acceptedAt,
    },
    `/demo/api/evidence/${answer.sessionId}`,
  );
  return answer;
}

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({ errorCode: `HTTP_${response.status}` }));
  return { ok: response.ok, answer };
}

function log(text, facts = {}, evidence = undefined) {
  if (isEmpty) byId("log").replaceChildren();
  isEmpty = false;
  const list = document.createElement("dl");
  for (const [name, value] of Object.entries(facts)) {
    const code = document.createElement("code");
    code.textContent = value;
    const [term, description] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = name;
    description.append(code);
    list.append(term, description);
  }
  const item = document.createElement("li");
  item.append(text, list);
  if (evidence !== undefined) {
    const link = document.createElement("a");
    link.href = evidence;
    link.textContent = "Evidence bundle (JSON)";
    item.append(link);
  }
  byId("log").append(item);
}
