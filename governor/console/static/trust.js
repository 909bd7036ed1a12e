// Trusted Types: markup may enter a page only as htmx brings it, from this server, where everything is escaped.
// No text ever becomes a script or the address of one: there is no rule for those, so the browser refuses them.
"use strict";
if (window.trustedTypes && window.trustedTypes.createPolicy) {
  window.trustedTypes.createPolicy("default", { createHTML: (markup) => markup });
}
