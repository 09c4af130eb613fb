// A small script in the form in which Python sends one: the ten minutes, and a stop of every other kind of picture.

const both = (en, zh) => ({ en, zh });
const each = (make) => ({ en: make("en"), zh: make("zh") });

const EN = ["You", " work", " in", " a", " noodle", " shop", ".", " Keep", " your", " answers", " short", "."], ZH = [..."你是面馆店员，简短回答。"];
const OWN = { en: [[" Too", " spicy", "?"], [" Open", " now", "?"], [" Any", " seats", " left", "?"]], zh: [[..."辣吗？"], [..."开吗？"], [..."有位吗？"]] };
const prompt = (lang, n) => [...(lang === "en" ? EN : ZH), ...OWN[lang][n]];
const lane = (lang, n, more = {}) => ({ rid: "R" + n, note: "", tokens: prompt(lang, n), size: 4, mark: [], tags: null, tags_open: false, verdicts: [], ...more });
const runScene = (more) => ({ kind: "run", lanes: [], slots: null, slots_open: false, slots_after: null, links: [], queue: null, queue_after: null, queue_open: false, note: null, ...more });

const TAGS = { en: ["5093", "e0a5", "12f5", ""], zh: ["1793", "3ec9", "2ed5", ""] };
const held = (lang) => TAGS[lang].map((tag, at) => ({ id: at + 1, state: tag ? "cached" : "dirty", tag, ref: 0, rids: [] }));

const STAMP = { en: ["Sort", " this", " ticket", " in", " one", " word", ":", " my", " refund", " never", " came", "."], zh: [..."一词归类工单：退款没到。"] };
const stamped = (lang, minute) => ["09", ":", minute, "\n", ...STAMP[lang]];
const STAMP_TAGS = { en: [["44cb", "e43d", "0056", "dbba"], ["0ffb", "f688", "b13a", "1c3a"]], zh: [["44cb", "11ba", "ac17", "25de"], ["0ffb", "bcd4", "14ae", "486c"]] };

const stop = (id, minutes, title, more) => ({ id, minutes, title, see: both("Look at this.", "看这里。"), ask: both("", ""), options: [], right: null, know: both("", ""), hear: both("“No, that is over.”", "“不，那已经结束了。”"), truth: both("It is there still.", "它还在。"),
  point: both("The slot that is found.", "找到的那个槽。"), keep: false, bet_of: null, link: "execute?scenario=P1", ...more });

export const STOPS = [
  stop("bet", 1, both("Place your bet", "先押注"), { keep: true, see: both("Three guests. All three prompts begin with the same system prompt.", "三位客人，三条提示词，开头是同一段系统提示词。"),
    ask: both("What share of all prompt tokens will be found in the cache?", "全部提示词 token 里，多大比例能在缓存里找到？"),
    options: [both("less than a quarter", "不到四分之一"), both("a quarter to a half", "四分之一到一半"), both("a half to three quarters", "一半到四分之三"), both("more than three quarters", "四分之三以上")],
    know: both("Your bet is kept. The last stop sets it beside the truth.", "押好了。最后一站拿它和事实比。"), scene: each((lang) => runScene({ lanes: [0, 1, 2].map((n) => lane(lang, n)) })) }),
  stop("same", 3, both("The same beginning", "同样的开头"), { right: 1, see: both("R0 has been served and is done. Now R1 comes in.", "R0 已经答完，结束了。现在 R1 来了。"),
    ask: both("R1 begins like R0, which is done. Is R0's first block still there?", "R1 的开头和 R0 一样，可 R0 已经结束。它的第一块还在吗？"),
    options: [both("No, its memory was wiped", "不在，显存已经清空"), both("Yes, still in its slot", "在，还在它的槽里"), both("Only while both are running", "两个同时在跑时才在")],
    know: both("It is there. 12 of 15 tokens hit, 3 are computed.", "还在：15 个 token 命中 12 个，只算 3 个。"),
    scene: each((lang) => runScene({ lanes: [lane(lang, 0, { note: lang === "en" ? "done" : "已结束", gone: true }), lane(lang, 1, { note: lang === "en" ? "comes in" : "刚到", verdicts: ["hit", "hit", "hit", "miss"] })], slots: held(lang), links: [[1, 0, 1], [1, 1, 2], [1, 2, 3]] })) }),
  stop("stamp", 3, both("A time stamp in front", "时间戳放在最前面"), { right: 2, see: both("The same ticket, one minute later: only the time in front has changed.", "同一张工单，晚了一分钟：只有最前面的时间变了。"),
    ask: both("The 12 tokens behind that line are as before. Will they hit?", "那一行后面的 12 个 token 和原来一样。它们会命中吗？"),
    options: [both("Yes, all 12", "会，12 个都会"), both("Some of them", "会命中一部分"), both("None of them", "一个也不会")],
    know: both("0 of 16 tokens hit. One early token changes every tag behind it.", "命中 0 个：前面变了一个 token，后面的标签全变。"),
    scene: each((lang) => runScene({ brace: [1, 3, lang === "en" ? "the same 12 tokens" : "相同的 12 个 token"], lanes: [0, 1].map((n) => lane(lang, n, { note: lang === "en" ? ["before", "now"][n] : ["先来", "后来"][n], tokens: stamped(lang, n ? "42" : "41"), mark: [2], tags: STAMP_TAGS[lang][n], verdicts: n ? Array(4).fill("miss") : [] })) })) }),
  stop("evict", 2, both("Who has to go?", "谁得让位？"), { right: 0, see: both("All slots are taken. One more block comes.", "槽都占满了，又来一块。"), ask: both("Which slot is taken for it?", "领走的是哪个槽？"), options: [both("The head of the queue", "队头的槽"), both("The one used least", "用得最少的"), both("Any of them", "随便哪个")],
    know: both("The head goes: slot #4. What is asked for last goes last.", "队头先走：#4 号槽。最后用到的，最后才走。"),
    scene: each((lang) => runScene({ lanes: [lane(lang, 2, { verdicts: ["hit", "hit", "hit", "reserved"] })], slots: [...held(lang), { id: 5, state: "empty", tag: "", ref: 0, rids: [] }, { id: 6, state: "reused", tag: "77aa", ref: 2, rids: ["R0", "R1"] }], slots_open: true,
      slots_after: [...held(lang).slice(0, 3), { id: 4, state: "reserved", tag: "", ref: 1, rids: ["R2"] }, { id: 5, state: "empty", tag: "", ref: 0, rids: [] }, { id: 6, state: "reused", tag: "77aa", ref: 2, rids: ["R0", "R1"] }], queue: [4, 5, 3, 2, 1], queue_after: [5, 3, 2, 1], note: lang === "en" ? "A hit takes a slot out of the queue." : "命中的槽会离开队列。" })) }),
  stop("counter", 2, both("The counter", "数一数"), { see: both("A beginning of 500 tokens, in each of 100,000 orders.", "开头 500 个 token，100,000 份订单里都有。"), know: both("50 million tokens, all but 500 of them for nothing.", "五千万个 token，除了 500 个，全是白算。"), scene: each((lang) => ({ kind: "count", value: "50,000,000", parts: lang === "en" ? ["500 tokens", "×", "100,000 orders"] : ["500 个 token", "×", "100,000 份订单"] })) }),
  stop("cliff", 2, both("The cliff", "断崖"), { right: 1, see: both("Each run has one slot more.", "每次多给一个槽。"), ask: both("4 slots find nothing. And 5?", "4 个槽什么也找不到。5 个呢？"), options: [both("Nothing either", "也没有"), both("Most of it", "大部分")], know: both("With 4 slots 0 %, with 5 83 %.", "4 个槽 0%，5 个槽 83%。"), scene: each(() => ({ kind: "curve", x: "slots", y: "orders that hit, %", points: [[2, 0], [3, 0], [4, 0], [5, 83.3], [6, 83.3]], asked: [4, 5] })) }),
  stop("sheet", 1, both("Before we begin", "开始之前"), { see: both("Six questions on paper. Answer them now.", "纸上有六道题，现在就答。"), scene: each(() => ({ kind: "words" })) }),
  stop("page", 1, both("A page", "一个页面"), { see: both("Chapter 1", "第 1 章"), scene: each(() => ({ kind: "page", address: "ch01" })) }),
  stop("saved", 2, both("What we saved", "省了多少"), { bet_of: "bet", see: both("Back to the three guests, and to your bet.", "回到三位客人，和大家押的注。"), know: both("24 of 46 tokens were reused: 52 %. The other 22 were computed.", "46 个 token 复用了 24 个：52%。另外 22 个是算出来的。"),
    scene: each((lang) => ({ kind: "total", computed_note: lang === "en" ? "15 the first time + 7 own words" : "第一次 15 + 自己的话 7", rows: [["R0", 15, 0], ["R1", 15, 12], ["R2", 16, 12]].map(([rid, tokens, reused]) => ({ rid, tokens, reused, computed: tokens - reused })) })) }),
];

export const script = (langs = ["en"], more = {}) => ({ key: "script-test", langs, minutes: 10, notes: false, demo: false, stops: STOPS, ...more });
