import type { TabToFill } from "#api/tabs.ts";

/** What the gateway tells of a session. */
export interface Ceremony {
  readonly kind: "recipient" | "send" | "edit" | "look";
  readonly agreement: {
    readonly id: string;
    readonly status: string;
    readonly emailSubject: string;
    readonly emailBlurb: string;
    readonly senderName: string;
    readonly organizationName: string;
    readonly documents: readonly CeremonyDocument[];
  } | null;
  /** The person who looks; null for senders. */
  readonly recipient: CeremonyRecipient | null;
  readonly others: readonly {
    readonly name: string;
    readonly email: string | null;
    readonly role: string;
    readonly status: string;
  }[];
  readonly consent: {
    readonly required: boolean;
    readonly givenAt: string | null;
    /** What to show before it is asked for; the service records nothing else. */
    readonly texts: readonly ConsentText[];
  };
  /** Whether there is anything left for the person to do. */
  readonly canAct: boolean;
  /** Where to go when the session has ended by itself. */
  readonly timeoutUrl: string | null;
}

export interface CeremonyDocument {
  readonly documentId: string;
  readonly name: string;
  readonly pages: readonly { readonly width: number; readonly height: number }[];
}

export interface CeremonyRecipient {
  readonly recipientId: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly status: string;
  readonly locale: string;
  readonly tabs: readonly TabToFill[];
}

/** A field. Points from the upper left corner of the page. */
export type Tab = TabToFill;

/** How a signature looks: typed in a font, or drawn as a PNG in base64. */
export interface Adopted {
  readonly typed: string;
  readonly font: string;
  readonly drawnPng: string;
}

export const signatureFonts = ["dancing-script", "caveat", "great-vibes"] as const;

/** What a person agrees to, in one language. */
export interface ConsentText {
  /** BCP 47. */
  readonly locale: string;
  readonly introduction: string;
  readonly points: readonly string[];
  readonly agreement: string;
  readonly textSha256: string;
}
