import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "schema.graphql",
  documents: "queries/*.graphql",
  generates: {
    "generated/": {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: "string",
        enumsAsTypes: true,
        useTypeImports: true,
        strictScalars: true,
        scalars: {
          UUID: "string", Date: "string", DateTime: "string", Timezone: "string", Seconds: "number",
          Amount: "string", Quantity: "string", Factor: "string", Decimal: "string",
          Texts: "Record<string, string>",
        },
      },
    },
  },
};
export default config;
