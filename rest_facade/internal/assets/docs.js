// The colours follow the system of the reader, also when it changes.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

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
