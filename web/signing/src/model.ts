import type { Adopted } from "#api/ceremony.ts";

export const signatureFonts = ["dancing-script", "caveat", "great-vibes"] as const satisfies readonly Adopted["font"][];
