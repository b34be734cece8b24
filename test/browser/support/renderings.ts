import { sha256Label } from "#platform/canonical-json.ts";

const paragraph =
  "<p>You may use the service for lawful purposes. We keep it running as well as we can, and tell you early when something changes.</p>";

export const shortText = `<h1>Terms of Service</h1>${paragraph}`;
export const longText = `<h1>Terms of Service</h1>${Array.from({ length: 30 }, (_, index) => `<h2>§ ${index + 1}</h2>${paragraph}`).join("")}`;

const flags = {
  requireCheckbox: false,
  requireScroll: false,
  requireView: false,
  minDisplaySeconds: 0,
  requireTypedName: false,
  allowDecline: false,
  minAge: 0,
};

/** A rendering of a STATIC template in the form of the REST API. */
export function staticRendering(fields: { policy?: object; html?: string } & Record<string, unknown> = {}): object {
  const { policy = {}, html = shortText, ...others } = fields;
  return {
    renderId: "0199aa00-0000-7000-8000-000000000001",
    deploymentKey: null,
    sessionId: "0199aa00-0000-7000-8000-000000000002",
    templateId: "0199aa00-0000-7000-8000-000000000003",
    templateType: "STATIC",
    versionId: "0199aa00-0000-7000-8000-000000000004",
    revision: 2,
    label: "2.0",
    locale: "en",
    title: "Terms of Service",
    html,
    contentHash: sha256Label(html),
    renderHash: sha256Label(html),
    noticeText: 'By clicking "I agree" I agree to the Terms of Service.',
    buttonText: "I agree",
    declineText: "I decline",
    checkboxText: "I have read and agree to the Terms of Service.",
    purposes: [],
    policy: { ...flags, ...policy },
    verification: { required: false, mode: "ALL", methods: [] },
    alreadyAccepted: false,
    renderToken: "header.payload.signature",
    renderedAt: "2026-11-20T17:00:00.123Z",
    expiresAt: "2026-11-20T18:00:00.123Z",
    displayMode: "INLINE",
    theme: {},
    ...others,
  };
}

/** A rendering of a CONSENT template with one required purpose and two others. */
export const consentRendering = (fields: Record<string, unknown> = {}): object =>
  staticRendering({
    templateType: "CONSENT",
    title: "Your choices",
    html: "<h1>Your choices</h1><p>Example Ltd. asks for your consent. You can withdraw it at any time.</p>",
    noticeText: "You can change your mind at any time in your settings.",
    buttonText: "Save my choices",
    purposes: [
      {
        purpose: "account",
        name: "Keep my account data",
        text: "Needed to run your account.",
        description: "Needed to run your account.",
        required: true,
      },
      {
        purpose: "newsletter",
        name: "Send me the newsletter",
        text: "I would like to hear from Example Ltd.",
        description: "Once a month, by e-mail.",
        required: false,
      },
      {
        purpose: "research",
        name: "Use my data for research",
        text: "Use my data for research",
        description: "",
        required: false,
      },
    ],
    policy: { requireCheckbox: true },
    ...fields,
  });
