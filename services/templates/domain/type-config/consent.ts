import type { FieldProblem } from "#platform/errors.ts";
import {
  closedObject,
  described,
  emailAddress,
  flag,
  httpsUrl,
  type JsonSchema,
  listOf,
  oneOf,
  text,
  topLevel,
} from "./check-schema.ts";
import { repetitions } from "./generated.ts";

/** Configuration of a CONSENT template. A draft may lack what its publication needs. */
export interface ConsentConfig {
  readonly controller?: Controller;
  readonly jurisdiction?: string;
  readonly privacyNoticeUrl?: string;
  readonly withdrawalMethod?: string;
  readonly purposes: readonly Purpose[];
}

/** Who is responsible for the data. */
export interface Controller {
  readonly name: string;
  readonly address?: string;
  readonly email?: string;
  readonly url?: string;
  readonly dpoEmail?: string;
}

/** What the person consents to, or not. */
export interface Purpose {
  readonly key: string;
  readonly name: string;
  readonly description?: string;
  readonly legalBasis: "CONSENT" | "EXPLICIT_CONSENT";
  readonly required: boolean;
  readonly dataCategories: readonly string[];
  readonly recipients: readonly string[];
  readonly thirdCountries: readonly string[];
  readonly retention?: string;
  readonly expiresAfterDays?: number;
  readonly saleOrShare: boolean;
}

/** More of them nobody reads. */
const maxPurposes = 20;

const names = (description: string) => ({ ...described(listOf(text(255), 100), description), default: [] });

const purpose = closedObject(
  {
    key: described({ type: "string", pattern: "^[a-z][a-z0-9_]{0,63}$" }, "Unique; acceptances name it."),
    name: text(255),
    description: text(2000),
    legalBasis: described(
      { ...oneOf("CONSENT", "EXPLICIT_CONSENT"), default: "CONSENT" },
      "Anything else is not consent and needs no template of this type.",
    ),
    required: described(flag(false), "Whether the person must grant it to accept at all."),
    dataCategories: names("Which data is processed."),
    recipients: names("Who gets the data."),
    thirdCountries: names("Where the data goes outside of the jurisdiction."),
    retention: described(text(500), "How long the data is kept."),
    expiresAfterDays: described({ type: "integer", minimum: 1, maximum: 3650 }, "How long the consent holds."),
    saleOrShare: described(flag(false), "Whether a Global Privacy Control signal denies it."),
  },
  ["key", "name"],
);

const controller = closedObject(
  { name: text(255), address: text(2000), email: emailAddress, url: httpsUrl, dpoEmail: emailAddress },
  ["name"],
);

export const consentSchema: JsonSchema = topLevel(
  "Configuration of a CONSENT template",
  closedObject({
    controller: described(controller, "Who is responsible for the data."),
    jurisdiction: described(
      { type: "string", pattern: "^[A-Z]{2}(-[A-Z0-9]{1,3})?$" },
      "ISO 3166 code of the country or its part, or EU.",
    ),
    privacyNoticeUrl: httpsUrl,
    withdrawalMethod: described(text(2000), "How the person withdraws consent."),
    purposes: {
      ...described(
        listOf(purpose, maxPurposes),
        "What the person decides on, one by one; no box is ticked beforehand.",
      ),
      default: [],
    },
  }),
);

/** What a schema cannot say. */
export const consentProblems = (config: ConsentConfig): FieldProblem[] =>
  repetitions("purposes", "key", config.purposes);
