// What the page has beside working without a script: a button that copies, a sign that a feed is
// being read, and no frames where pictures are missing.
"use strict";

for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const status = button.closest("section").querySelector("[data-copied]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = source.value ?? source.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without https the clipboard is closed: what is selected can be copied by hand.
      if (source.select) source.select();
      else getSelection().selectAllChildren(source);
      status.textContent = "Selected. Copy it with your keyboard.";
      return;
    }
    status.textContent = "Copied.";
  });
}

for (const form of document.querySelectorAll("form.ask")) {
  form.addEventListener("submit", () => {
    form.setAttribute("aria-busy", "true");
    form.querySelector("button").textContent = "Reading…";
  });
}

// A picture that cannot be had leaves no hole.
const hideIfBroken = (picture) => {
  if (picture.complete && picture.naturalWidth === 0) picture.hidden = true;
};
for (const picture of document.images) {
  picture.addEventListener("error", () => hideIfBroken(picture));
  if (picture.loading !== "lazy") hideIfBroken(picture);
}

// A page that comes back out of the browser's memory reads nothing any more.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.querySelectorAll("form.ask[aria-busy]")) {
    form.removeAttribute("aria-busy");
    form.querySelector("button").textContent = "Show";
  }
});
