// The REST explorer. "Authorize" takes the key; it is kept until the page is left.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  tryItOutEnabled: true,
  // By default a badge is fetched from a validator on the internet.
  validatorUrl: null,
});
