// The workbench in the browser: live figures, progress, and keys. Every page works without it.
"use strict";

// Sends a form and returns what came back as text.
async function send(address, fields, signal) {
  const body = new URLSearchParams(fields);
  body.set("fragment", "1");
  const answer = await fetch(address, { method: "POST", body, signal, redirect: "error" });
  return answer.text();
}

// Puts a fragment in its place. It was escaped where it was made.
function show(target, html) {
  const focused = document.activeElement;
  target.innerHTML = html;
  const stated = target.querySelector("[data-revision]");
  if (stated) {
    for (const field of document.querySelectorAll("input[name=revision]")) field.value = stated.dataset.revision;
  }
  if (focused && focused.isConnected) focused.focus();
}

// A form whose figures follow its fields.
function follow(form) {
  const target = document.getElementById(form.dataset.target);
  let timer = 0;
  let running = null;
  let keeping = null;
  const ask = async (keeps) => {
    const mine = new AbortController();
    running = keeps ? null : mine;
    const fields = new FormData(form);
    if (keeps) fields.set("keep", "1");
    target.setAttribute("aria-busy", "true");
    try {
      show(target, await send(form.dataset.live, fields, mine.signal));
    } catch (error) {
      if (error.name !== "AbortError") target.classList.add("busy");
      return;
    }
    target.removeAttribute("aria-busy");
    target.classList.remove("busy");
  };
  const update = (keeps) => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      // What is being kept comes back with a new revision, which the next request names.
      while (keeping) await keeping;
      if (running) running.abort();
      const asked = ask(keeps);
      if (keeps) keeping = asked.finally(() => { keeping = null; });
    }, keeps ? 0 : 60);
  };
  for (const slider of form.querySelectorAll("input[type=range]")) couple(form, slider);
  form.addEventListener("input", () => update(false));
  form.addEventListener("change", () => update(true));
  // A press of a button sends everything, once what is being kept is back.
  form.addEventListener("submit", async (event) => {
    clearTimeout(timer);
    if (!keeping) return;
    event.preventDefault();
    const pressed = event.submitter;
    while (keeping) await keeping;
    form.requestSubmit(pressed);
  });
}

// A slider over powers of ten, and the number that it stands for.
function couple(form, slider) {
  const number = form.elements[slider.dataset.number];
  const steps = Number(slider.dataset.steps);
  const say = () => slider.setAttribute("aria-valuetext", number.value);
  slider.addEventListener("input", () => {
    number.value = String(Number((10 ** (slider.value / steps)).toPrecision(3)));
    say();
  });
  number.addEventListener("input", () => {
    const value = Number(number.value.replace(",", "."));
    if (value > 0) slider.value = Math.round(Math.log10(value) * steps);
    say();
  });
  say();
}

// The state of a job, until it has ended.
async function poll(target) {
  // A short job is seen to end at once, and a long one is not asked about all the time.
  for (let pause = 40; ; pause = Math.min(2 * pause, 320)) {
    await new Promise((done) => setTimeout(done, pause));
    let html;
    try {
      html = await (await fetch(target.dataset.poll)).text();
    } catch {
      continue;
    }
    const stop = target.querySelector("button");
    const hadFocus = stop && stop === document.activeElement;
    target.innerHTML = html;
    const next = target.querySelector("[data-next]");
    if (next) return location.replace("./" + next.dataset.next.replace("./", ""));
    if (target.querySelector("[data-ended]")) return;
    if (hadFocus) target.querySelector("button")?.focus();
  }
}

// Ctrl-Z and Ctrl-Shift-Z outside of a field.
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  if (/^(input|textarea|select)$/i.test(event.target.tagName)) return;
  event.preventDefault();
  document.getElementById(event.shiftKey ? "redo" : "undo")?.click();
});

for (const form of document.querySelectorAll("form[data-live]")) follow(form);
for (const target of document.querySelectorAll("[data-poll]")) poll(target);
