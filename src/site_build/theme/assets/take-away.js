// The button that copies a page's code as one script.

/** Puts the text of a file on the clipboard. */
function copy(address) {
  // The clipboard is asked at once: by the time the file is there, the click no longer counts.
  const text = fetch(address).then(async (file) => {
    if (!file.ok) throw new Error(file.statusText);
    return new Blob([await file.text()], { type: "text/plain" });
  });
  return navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
}

// Heard on the document, so that it holds for the buttons of pages that are still to come.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-script]");
  if (!button) return;
  const status = button.nextElementSibling;
  try {
    await copy(button.dataset.script);
    status.textContent = "Copied";
  } catch {
    status.textContent = "Could not copy";
  }
  setTimeout(() => (status.textContent = ""), 2000);
});
