// Both files are written by "npx pulumi-partners adopt": see docs/adoption.md.
import "./webhooks";
import "./checkout";
