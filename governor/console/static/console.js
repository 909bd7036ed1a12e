// What scripts add to pages that work without them: copying, local times, shortcuts, keeping double clicks quiet.
"use strict";

(() => {
  const root = document.documentElement;

  // Copy an id. The button is hidden until there is a script that can do it.
  const uncover = (within) => {
    if (!navigator.clipboard) return;
    for (const button of within.querySelectorAll("button[data-copy]")) button.hidden = false;
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]");
    if (button === null) return;
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });

  // An answer that is often meant: without a script, the link does the same with a page of its own.
  document.addEventListener("click", (event) => {
    const chip = event.target.closest("a[data-fills]");
    if (chip === null) return;
    event.preventDefault();
    chip.closest("details")?.removeAttribute("open");
    const field = document.getElementById(chip.dataset.fills);
    field.value = chip.dataset.text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });

  // The moment in the reader's own zone, beside UTC.
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  const localize = (within) => {
    for (const time of within.querySelectorAll("time[title]")) {
      const at = new Date(time.dateTime);
      const isDone = time.title.includes("\n");
      if (!isDone && !Number.isNaN(at.valueOf())) time.title = `${local.format(at)}\n${time.title}`;
    }
  };

  // What a part that watches has brought gets the same as what was there from the beginning.
  const dress = (within) => { uncover(within); localize(within); };
  dress(document);
  document.addEventListener("htmx:load", (event) => dress(event.detail.elt));

  // A part that watches is left alone while it says the same: nothing is announced again, and nothing loses its focus.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, serverResponse, shouldSwap } = event.detail;
    if (!shouldSwap || !target.matches("[hx-trigger^=every]")) return;
    const fresh = new DOMParser().parseFromString(serverResponse, "text/html").getElementById(target.id);
    const words = (part) => part.textContent.replace(/\s+/g, " ").trim();
    if (fresh !== null && words(fresh) === words(target)) event.detail.shouldSwap = false;
  });

  // The navigation lies open where there is room for it.
  const wide = window.matchMedia("(min-width: 62em)");
  const unfold = () => {
    for (const menu of document.querySelectorAll("details[data-open-when-wide]")) menu.open = wide.matches;
  };
  wide.addEventListener("change", unfold);
  unfold();

  // One open menu at a time, and Escape closes it.
  const menus = [...document.querySelectorAll("details.menu")];
  for (const menu of menus) {
    menu.addEventListener("toggle", () => {
      if (menu.open) for (const other of menus) if (other !== menu) other.open = false;
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of menus) {
      if (!menu.open) continue;
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  // The server makes one act of two clicks; the second is not even sent.
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented || event.target.method !== "post") return;
    if (event.target.dataset.sent) event.preventDefault();
    event.target.dataset.sent = "yes";
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.forms) delete form.dataset.sent;
  });

  // j and k go down and up the rows of a list, by what each leads to; Enter follows it as everywhere.
  const links = () => [...document.querySelectorAll("table[data-rows] tbody th a")];
  const row = () => document.activeElement.closest("table[data-rows] tbody tr");
  const step = (by) => {
    const found = links();
    if (found.length === 0) return false;
    // Whoever comes back to a long list goes on from where they see it.
    const seen = found.findIndex((one) => one.getBoundingClientRect().top >= 0);
    const at = row() === null ? Math.max(seen, 0) - by : found.findIndex((one) => row().contains(one));
    found[Math.min(Math.max(at + by, 0), found.length - 1)].focus();
    return true;
  };

  // x selects a row; a, r and q lead to where it is decided, or to where all that is selected is.
  const select = () => {
    const box = row()?.querySelector("input[type=checkbox]");
    box?.click();
    return Boolean(box);
  };
  const decide = (place) => {
    if (links().length === 0) return false;
    if (document.querySelector("table[data-rows] input[type=checkbox]:checked") !== null) {
      document.querySelector("[data-for-selected]").click();
      return true;
    }
    const link = row()?.querySelector("th a");
    if (link) location.assign(`${link.href}${place}`);
    return Boolean(link);
  };
  const inLists = {
    j: () => step(1), k: () => step(-1), x: select,
    a: () => decide("#decision"), r: () => decide("#field-reason"), q: () => decide("#field-reason"),
  };

  // Two minutes before the session is over somebody who is still there can stay (WCAG 2.2.1); any page asked for does it.
  // Once it is over nothing on this page brings it back: it says so.
  const over = document.querySelector("[data-over-in]");
  if (over) {
    const [soon, isOver] = over.children;
    const say = (what) => {
      over.hidden = false;
      soon.hidden = what !== soon;
      isOver.hidden = what !== isOver;
    };
    let timers = [];
    const warnIn = (seconds) => {
      timers.forEach(clearTimeout);
      over.hidden = true;
      timers = [setTimeout(say, Math.max(0, seconds - 120) * 1000, soon), setTimeout(say, seconds * 1000, isOver)];
    };
    over.querySelector("[data-stay]").addEventListener("click", async (event) => {
      const answer = await fetch(event.target.dataset.stay);
      const left = /data-over-in="(\d+)"/.exec(await answer.text());
      if (left) warnIn(Number(left[1]));
      else if (answer.ok) say(isOver); // It led to the door.
    });
    warnIn(Number(over.dataset.overIn));
  }

  // Seconds that are left of something, counted on the page; who listens to it is not told each one (role=timer).
  for (const left of document.querySelectorAll("[data-counts-down]")) {
    const until = Date.now() + Number(left.dataset.countsDown) * 1000;
    const count = setInterval(() => {
      const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
      left.textContent = String(seconds);
      if (seconds === 0) clearInterval(count);
    }, 250);
  }

  // Shortcuts: single keys, which can be switched off (WCAG 2.1.4), and never while somebody is typing.
  const typing = (target) => target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
  document.addEventListener("keydown", (event) => {
    if (root.dataset.shortcuts === "off" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target)) return;
    if (inLists[event.key]?.()) {
      event.preventDefault();
      return;
    }
    for (const one of document.querySelectorAll("[data-shortcut]")) {
      if (!one.dataset.shortcut.split(" ").includes(event.key)) continue;
      event.preventDefault();
      if (one.matches("input, textarea, select")) one.focus();
      else one.click();
      return;
    }
  });
})();
