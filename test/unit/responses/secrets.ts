/** The new key. */
export const K = "pk_live_4eC39HqLyjWDarjtT1zdp7dc";
/** Another secret. */
export const S = "whsec_Zy8Xw7Vu6Ts5Rq4PoN3mL2kJ1";
/** A session token. */
export const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ";
/** The access token of the account. It is never a key. */
export const TOKEN = "ptk_Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk";
