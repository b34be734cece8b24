/** How the demo calls the API; rejects when the answer is no success. */
export type CallApi = (method: "GET" | "POST", path: string, body?: object) => Promise<unknown>;

/** Where the texts of the demo page are shown. */
export interface DemoDeployments {
  readonly terms: DemoDeployment;
  readonly choices: DemoDeployment;
}

export interface DemoDeployment {
  readonly id: string;
  readonly key: string;
}

/** One place where the terms are accepted and one where consent is given, with the template that it needs. */
export async function seedDemoPage(call: CallApi, termsSlug: string): Promise<DemoDeployments> {
  const templates = (await call("GET", "/v1/click/templates")) as readonly { id: string; slug: string }[];
  const terms = templates.find(({ slug }) => slug === termsSlug);
  if (terms === undefined) throw new Error(`the demo organization has no template '${termsSlug}'`);
  // A start that was interrupted may have left it.
  const choices = templates.find(({ slug }) => slug === choicesTemplate.slug) ?? (await createChoices(call));
  return {
    terms: await deploy(call, terms.id, {
      name: "Sign-up",
      displayMode: "MODAL",
      policyOverrides: { requireCheckbox: true, requireScroll: true, showChanges: true },
    }),
    choices: await deploy(call, choices.id, { name: "Preferences", displayMode: "INLINE" }),
  };
}

async function createChoices(call: CallApi): Promise<{ id: string }> {
  const template = (await call("POST", "/v1/click/templates", choicesTemplate)) as { id: string };
  const versions = `/v1/click/templates/${template.id}/versions`;
  const version = (await call("POST", versions, choicesVersion)) as { id: string };
  await call("POST", `${versions}/${version.id}/publish`, {});
  return template;
}

async function deploy(call: CallApi, templateId: string, fields: object): Promise<DemoDeployment> {
  const body = { ...fields, environment: "TEST", activate: true };
  const { id, key } = (await call("POST", `/v1/click/templates/${templateId}/deployments`, body)) as DemoDeployment;
  return { id, key };
}

const choicesTemplate = {
  name: "Newsletter and research",
  slug: "your-choices",
  type: "CONSENT",
  counterparty: { legalName: "Example Ltd." },
  typeConfig: {
    controller: {
      name: "Example Ltd.",
      address: "1 Example Street, Exampletown",
      email: "privacy@example.com",
      url: "https://www.example.com",
    },
    jurisdiction: "EU",
    privacyNoticeUrl: "https://www.example.com/privacy",
    withdrawalMethod: "In your account settings, or by email to privacy@example.com.",
    purposes: [
      {
        key: "newsletter",
        name: "Send me the newsletter",
        description: "Once a month, by email. We keep your address until you unsubscribe.",
        dataCategories: ["Email address"],
      },
      {
        key: "research",
        name: "Use my orders to improve the shop",
        description: "Without your name. No one outside of Example Ltd. gets the data.",
        dataCategories: ["Orders"],
        expiresAfterDays: 730,
      },
    ],
  },
};

const choicesVersion = {
  locale: "en",
  title: "Your choices",
  content:
    '<h2>Your choices</h2><p>Example Ltd. would like to use your data for the following. Each choice is yours, and you can withdraw your consent at any time in your account settings. More in our <a href="https://www.example.com/privacy">privacy notice</a>.</p>',
  consentText: "By choosing “Save my choices”, I consent to what is checked and to nothing else.",
  buttonText: "Save my choices",
};
