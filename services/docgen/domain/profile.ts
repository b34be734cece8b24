/** The kinds of PDF that customers may ask for. */
export const profiles = ["pdf", "pdf/a-2a", "pdf/ua-1"] as const;
export type Profile = (typeof profiles)[number];

/** PDF/A-3 is for other services of the product, which attach files. */
export type RenderProfile = Profile | "pdf/a-3a";
