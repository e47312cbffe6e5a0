import { UnpaidPayablesDocument, type TypedDocumentString } from "./generated/graphql.js";

const { ORGDATA_URL, ORGDATA_TOKEN, ORGDATA_ORGANIZATION } = process.env as Record<string, string>;

async function call<Data, Variables>(query: TypedDocumentString<Data, Variables>, variables: Variables): Promise<Data> {
  const response = await fetch(`${ORGDATA_URL}/graphql`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-SERVICE-API-KEY": ORGDATA_TOKEN!,
      "X-Organization-Id": ORGDATA_ORGANIZATION!,
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] };
  if (errors) throw new Error(errors[0]!.message);
  return data;
}

const { payables } = await call(UnpaidPayablesDocument, {});
for (const payable of payables?.results ?? [])
  console.log(payable.user.full_name, payable.period_start, payable.amount_due, payable.currency);
