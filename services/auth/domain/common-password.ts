/** What the passwords that are tried first are made of, in lower case; the longest are taken away first. */
const pieces: readonly string[] = [
  ...["1q2w3e4r5t", "1qaz2wsx3edc", "1qaz2wsx", "qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm"],
  ...["qwerty", "qwertz", "azerty", "asdf", "yxcv", "zxcv"],
  ...[
    "12345678901234567890",
    "1234567890",
    "0123456789",
    "0987654321",
    "9876543210",
    "123456",
    "654321",
    "1234",
    "123",
  ],
  ...["abcdefghijklmnopqrstuvwxyz", "abcdefghijkl", "abcdefgh", "abcdef", "abcd", "abc"],
  ...["password", "passwort", "kennwort", "passw0rd", "p@ssword", "p@ssw0rd", "pa$$word", "pa$$w0rd", "passwd", "pass"],
  ...["administrator", "adminadmin", "admin", "login", "master", "superuser", "root", "user", "guest", "test", "demo"],
  ...["welcome", "willkommen", "letmein", "changeme", "default", "secret", "geheim", "trustno1", "access"],
  ...["iloveyou", "ichliebedich", "hello", "hallo", "schatz", "sunshine", "princess", "dragon", "monkey", "shadow"],
  ...["football", "fussball", "baseball", "superman", "batman", "starwars", "pokemon", "michael", "jordan", "computer"],
  ...["internet", "company", "firma", "office", "assent"],
  ...["spring", "summer", "autumn", "winter", "frühling", "fruehling", "sommer", "herbst"],
  ...Array.from({ length: 60 }, (_, year) => String(1980 + year)),
].sort((a, b) => b.length - a.length);

/** What is left of a password in lower case without what everybody tries. */
export const restWithoutCommon = (password: string): string =>
  pieces.reduce((rest, piece) => rest.replaceAll(piece, ""), password);
