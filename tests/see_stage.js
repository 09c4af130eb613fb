// All that a viewer of a stage could see or hear at its step; runs on the stage's root. tests/leaks.py reads it.
(root) => {
  const shown = (query) => [...root.querySelectorAll(query)].filter((node) => !node.closest(".off, [hidden]"));
  const keys = ({ dataset }) => (dataset.h ?? dataset.k ?? "").split(" ").filter(Boolean);
  const lit = ({ classList }) => classList.contains("spotted") || classList.contains("lit");
  const state = ({ dataset }) => dataset.state ?? "";
  const text = (query) => shown(query).map((node) => node.textContent).join(" ");
  const named = (node) => [node.getAttribute("aria-label"), node.title].filter(Boolean).join(" ");

  /** Pixels of the timeline ahead whose colour says something: greys are quiet. */
  function loudPixels() {
    const canvas = root.querySelector(".ticks"), head = root.querySelector(".playhead");
    const from = Math.ceil(((head.stageX + 9) * canvas.width) / parseFloat(canvas.style.width));
    if (canvas.width <= from) return 0;
    const { data } = canvas.getContext("2d").getImageData(from, 0, canvas.width - from, canvas.height);
    let loud = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue, alpha] = data.slice(i, i + 4);
      if (alpha > 40 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) loud++;
    }
    return loud;
  }

  return {
    step: Number(root.querySelector(".track").getAttribute("aria-valuenow")),
    asking: root.querySelector(".zG").dataset.asking === "1",
    blocks: shown(".zA .blk").map((node) => ({ keys: keys(node), state: state(node), spot: lit(node) })),
    tags: shown(".zA .tagof").map((node) => ({ text: node.textContent.trim(), icons: node.querySelectorAll(".look svg").length, state: state(node) })),
    lane: root.querySelector(".zA").innerText,
    rows: shown(".zB .row").map(({ textContent, dataset }) => ({ text: textContent.trim(), asked: dataset.asked ?? null, ghost: dataset.ghost ?? dataset.mark ?? null })),
    slots: shown(".zC .slot, .zF .card").map((node) => ({ keys: keys(node), state: state(node), spot: lit(node) })),
    queue: shown(".zF .end").map((node) => node.textContent),
    betting: shown(".zG .betpick").length > 0,
    fates: [...new Set(shown(".zE .cell").map((node) => node.dataset.fate ?? ""))],
    sums: text(".zE .sums"),
    bench: root.querySelector(".zG").innerText,
    names: shown(".zG [aria-label], .zG [title]").map(named).join(" "),
    live: root.querySelector(".live").textContent,
    tip: text(".tip"),
    head: root.querySelector(".head").innerText,
    card: text(".endcard"),
    loud: loudPixels(),
  };
}
