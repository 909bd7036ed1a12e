"use strict";

SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#documentation",
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
