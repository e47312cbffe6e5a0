// What an author of a client writes against the generated types; it need only compile.
import type { components, operations } from "./types";

type Member = components["schemas"]["Member"];
type Query = NonNullable<operations["listMembers"]["parameters"]["query"]>;
type Page = operations["listMembers"]["responses"][200]["content"]["application/json"];
type Refusal = operations["listMembers"]["responses"][400]["content"]["application/json"];

export const query: Query = { status: ["active"], limit: 2, include_deleted: false };
export const names = (page: Page): string[] => page.results.map((member: Member) => member.full_name);
export const email = (member: Member): string | null => member.email;
export const code = (refusal: Refusal): "VALIDATION_ERROR" => refusal.error.code;
// @ts-expect-error a status that there is not
export const wrong: Query = { status: ["sleeping"] };
