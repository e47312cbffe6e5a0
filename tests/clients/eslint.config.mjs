// The rules of @graphql-eslint for the schema and for the documents that the project shows; run in a folder with
// schema.graphql, examples/ (those of GraphiQL) and documented/ (those of docs/graphql*.md).
import graphql from "@graphql-eslint/eslint-plugin";

const rules = (set) => graphql.configs[set].rules;
const within = (graphQLConfig) => ({ parser: graphql.parser, parserOptions: { graphQLConfig } });
const schema = "schema.graphql";

// Fields, arguments and values are named as in REST, whose names and values are snake_case.
const snakeCase = { style: "snake_case" };
// The comparisons of a condition begin with an underscore, so that no column has the name of one.
const allowLeadingUnderscore = true;

export default [
  { files: ["**/*.graphql"], plugins: { "@graphql-eslint": graphql } },
  {
    files: [schema],
    languageOptions: within({ schema }),
    rules: {
      ...rules("flat/schema-recommended"),
      "@graphql-eslint/naming-convention": [
        "error",
        {
          allowLeadingUnderscore,
          types: "PascalCase",
          FieldDefinition: snakeCase,
          InputValueDefinition: snakeCase,
          Argument: snakeCase,
          EnumValueDefinition: snakeCase,
          DirectiveDefinition: "camelCase",
          "FieldDefinition[parent.name.value=Query]": {
            ...snakeCase,
            forbiddenPrefixes: ["query", "get"],
            forbiddenSuffixes: ["Query"],
          },
          EnumTypeDefinition: { forbiddenPrefixes: ["Enum"], forbiddenSuffixes: ["Enum"] },
          // "Leave type" is a term, so that the suffix Type is allowed.
          ObjectTypeDefinition: { forbiddenPrefixes: ["Type"] },
        },
      ],
      // The recommended set asks for descriptions of types and root fields only.
      "@graphql-eslint/require-description": [
        "error",
        {
          types: true,
          rootField: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
          DirectiveDefinition: true,
        },
      ],
      // Ids have the type UUID, a member is identified by user_id, and sums, pages and parts of rows have no id.
      "@graphql-eslint/strict-id-in-types": "off",
      // membership_id of Member and payable_seconds of Payable are names of REST.
      "@graphql-eslint/no-typename-prefix": "off",
    },
  },
  {
    files: ["examples/*.graphql"],
    languageOptions: within({ schema, documents: "examples/*.graphql" }),
    rules: {
      ...rules("flat/operations-recommended"),
      "@graphql-eslint/naming-convention": [
        "error",
        {
          allowLeadingUnderscore,
          // As the arguments that they are for.
          VariableDefinition: snakeCase,
          OperationDefinition: {
            style: "PascalCase",
            forbiddenPrefixes: ["Query", "Get"],
            forbiddenSuffixes: ["Query"],
          },
          FragmentDefinition: { style: "PascalCase", forbiddenSuffixes: ["Fragment"] },
        },
      ],
      // It is for clients with a cache by id; people who read an answer want names.
      "@graphql-eslint/require-selections": "off",
    },
  },
  {
    files: ["documented/*.graphql"],
    languageOptions: within({ schema, documents: "documented/*.graphql" }),
    rules: {
      ...rules("flat/operations-recommended"),
      "@graphql-eslint/naming-convention": ["error", { allowLeadingUnderscore }],
      // These documents stand alone in a text, without a name.
      "@graphql-eslint/no-anonymous-operations": "off",
      // For the same reason as in the examples.
      "@graphql-eslint/require-selections": "off",
    },
  },
];
