/**
 * The native plugin from its sources. Pulumi's Node host loads it, with the engine's address as the last
 * argument.
 */
import schema from "../schema.json";
import { serve } from "../src/hosts/native.js";
import { VERSION } from "../src/version.js";

serve(VERSION, schema, process.argv.at(-1));
