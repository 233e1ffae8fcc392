import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Texts by their origin, such as `{ "up, stderr": "…" }`. */
export type Places = Readonly<Record<string, string>>;

/** Secrets by name, such as `{ token: "…" }`. */
export type Secrets = Readonly<Record<string, string>>;

/** Secrets to plant. Each contains characters that encodings change. */
export const CANARIES = {
  token: "tok_7Qm2Zr9XbK4gTw/+=%?#vL8sWc3NfHd1pYx6",
  header: "hdr_Kw5cTb9YpUe2Mz/+=%?#Dv7nJq4RsXg6Lf3oB",
  secondToken: "two_Jb5hRk0VtZ8uEa/+=%?#Mx2qGd7LwSn4Cy9o",
  existingKey: "old_Nd4vBw9EjSk2Lf/+=%?#Gt6yOx3QmIz8Ru1aCs",
  webhookSecret: "whsec_Pf3nUi6DvQ1c/+=%?#Bt9kXe4RjZa8mHo0",
  clientSecret: "cs_Wz1yAo8KfLs6Nq/+=%?#Ic7pTg2VbUh5Er3d",
};

/**
 * Looks for secrets, or parts of them, in plain text, URL-encoded, JSON-escaped, in base64 or in hex.
 *
 * @returns One line per leaked secret and place, with the text around it.
 */
export function findLeaks(places: Places, secrets: Secrets): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const forms = piecesOf(secret).flatMap(encodingsOf);
    return Object.entries(places).flatMap(([place, text]) => {
      const at = Math.max(...forms.map((form) => text.indexOf(form)));
      return at < 0 ? [] : [`${name} in ${place}: …${text.slice(Math.max(0, at - 60), at + 40)}…`];
    });
  });
}

/** Returns the files in a folder and its subfolders as places. Does not follow symbolic links. */
export async function readFolder(folder: string): Promise<Places> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, "latin1")] as const),
  );
  return Object.fromEntries(texts);
}

/**
 * Pieces that are too long to match by chance, of characters that URL encoding and JSON escaping leave
 * unchanged.
 */
function piecesOf(secret: string): string[] {
  const pieces = secret.match(/[\w-]{12}/g);
  if (pieces === null) throw new Error("A secret is too short to search for.");
  return pieces;
}

function encodingsOf(piece: string): string[] {
  const base64 = ["", "0", "00"].flatMap((offset) => {
    const bytes = Buffer.from(offset + piece);
    // The first and the last group of four also depend on the text around the piece.
    return [bytes.toString("base64").slice(4, -4), bytes.toString("base64url").slice(4, -4)];
  });
  const hex = Buffer.from(piece).toString("hex");
  return [piece, hex, hex.toUpperCase(), ...base64];
}
