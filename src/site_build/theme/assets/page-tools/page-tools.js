// The button that copies a page's code as one script.

const button = document.querySelector("[data-script]");
const status = button.nextElementSibling;

/** Puts the text of a file on the clipboard. */
function copy(address) {
  // The clipboard is asked at once: by the time the file is there, the click no longer counts.
  const text = fetch(address).then(async (file) => {
    if (!file.ok) throw file;
    return new Blob([await file.text()], { type: "text/plain" });
  });
  return navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
}

button.addEventListener("click", async () => {
  try {
    await copy(button.dataset.script);
    status.textContent = "Copied";
  } catch {
    status.textContent = "Could not copy";
  }
  setTimeout(() => (status.textContent = ""), 2000);
});
