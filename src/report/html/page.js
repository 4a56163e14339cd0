"use strict";
// Only what a page without scripts cannot do: search and filter, copying commands, and the neighbours of a library in
// the picture.
document.documentElement.classList.add("scripted");

const input = document.getElementById("find");
const found = document.getElementById("found");

const level = document.getElementById("level");
const severity = ["error", "warning", "note"];

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text) => words.every((word) => text.includes(word));
  let rows = 0;
  for (const row of document.querySelectorAll("[data-row]")) {
    const grave = !row.dataset.level || severity.indexOf(row.dataset.level) <= severity.indexOf(level.value);
    const shown = grave && fits(row.textContent.toLowerCase());
    row.classList.toggle("hidden", !shown);
    if (shown) rows += 1;
  }
  found.textContent = words.length ? rows + " found" : "";
  for (const picture of document.querySelectorAll("svg.graph")) {
    const nodes = words.length
      ? [...picture.querySelectorAll("g.node")].filter((node) => fits(node.textContent.toLowerCase()))
      : [];
    show(picture, nodes, false);
  }
}

function show(picture, nodes, with_neighbours) {
  for (const near of picture.querySelectorAll(".near")) near.classList.remove("near");
  picture.classList.toggle("picked", nodes.length > 0);
  const ids = new Set(nodes.map((node) => node.dataset.id));
  for (const node of nodes) node.classList.add("near");
  if (!with_neighbours) return;
  for (const path of picture.querySelectorAll("path")) {
    const { from, to } = path.dataset;
    if (!ids.has(from) && !ids.has(to)) continue;
    path.classList.add("near");
    for (const id of [from, to])
      picture.querySelector('g.node[data-id="' + id + '"]').classList.add("near");
  }
}

input.addEventListener("input", search);
level.addEventListener("input", search);
for (const command of document.querySelectorAll("dd pre")) {
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.className = "copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(command.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  command.before(button);
}
for (const picture of document.querySelectorAll("svg.graph")) {
  picture.addEventListener("click", (event) => {
    const node = event.target.closest("g.node");
    show(picture, node ? [node] : [], true);
  });
}
