"""What a page shows in headless Chromium: report_pages.py PAGE [light|dark] prints JSON.

`text` is what can be read without opening anything, `bars` the widths of rectangles that can be seen, by colour,
`background` that of the page, `focusable` what the tab key stops at, `folded` what opens at a click, `wide` by how many
pixels the page is wider than its window, `beyond` what is cut off where that has 340 pixels, and `bytes` of the file.
"""

import html
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = """<script>
const bars = {};
for (const bar of document.querySelectorAll("svg .bars rect")) {
  const box = bar.getBoundingClientRect();
  if (box.width > 0) (bars[bar.getAttribute("stroke") || bar.getAttribute("fill")] ||= []).push(Math.round(box.width));
}
const seen = {
  text: document.body.innerText, bars,
  background: getComputedStyle(document.body).backgroundColor,
  focusable: document.querySelectorAll("[tabindex='0'], summary, a, input, button").length,
  folded: [...document.querySelectorAll("details > summary")].map((summary) => summary.innerText),
  wide: document.documentElement.scrollWidth - innerWidth,
};
// A window as narrow as a telephone's, and what of the page but tables and pictures, which scroll, is wider.
document.documentElement.style.width = "340px";
seen.beyond = [...document.querySelectorAll("body *")]
  .filter((part) => part.getBoundingClientRect().right > 341 && !part.parentElement.closest(".table, .picture"))
  .map((part) => part.tagName);
document.body.innerHTML = "<pre id='seen'></pre>";
document.getElementById("seen").innerText = JSON.stringify(seen);
</script>"""


def main():
    page = Path(sys.argv[1]).read_text(encoding="utf-8")
    size = len(page.encode())
    # The page itself forbids what would look at it.
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    page = page.replace("</body>", SCRIPT + "</body>")
    with tempfile.TemporaryDirectory() as folder:
        looked_at = Path(folder, "page.html")
        looked_at.write_text(page, encoding="utf-8")
        dark = sys.argv[2:] == ["dark"]
        words = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", f"--user-data-dir={folder}/user", "--window-size=1200,900",
                 f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom", looked_at.as_uri()]
        shown = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    found = re.search(r'<pre id="seen">(.*)</pre>', shown, re.DOTALL)
    seen = json.loads(html.unescape(found.group(1).replace("<br>", "\n")))
    print(json.dumps(seen | {"bytes": size}))


main()
