// Follows a live query of a LiveStore server from a page: its rows in order, and what changes in them. Without dependencies
// and without a build; it runs wherever `fetch` gives its body as a stream.
//
//   import { follow } from "/streams/livestore.js"
//   const posts = follow("/streams/Post?sort=likeCount:desc&limit=20", { onChange: () => show(posts.rows) })

/**
 * @typedef {{key: string, value: Record<string, any>}} Row A row: its id as text, and its fields.
 *
 * @typedef {object} Change One step of a result. Remove the rows at `deletions` and at each move's `from`; insert those at
 *   `insertions` and at each move's `to`, ascending; then replace those at each modification's `index`.
 * @property {Row[]} previous the rows before
 * @property {Row[]} rows the rows after
 * @property {number[]} deletions places in `previous`, ascending
 * @property {number[]} insertions places in `rows`, ascending
 * @property {{key: string, index: number, old: object}[]} modifications places in `rows`, with the fields before
 * @property {{key: string, from: number, to: number}[]} moves from a place in `previous` to one in `rows`
 * @property {string} version the store's version after the step, the `txid` of a write's answer
 * @property {string} [origin] the name of the writer, if the step has one
 *
 * @typedef {"connecting" | "live" | "waiting" | "failed" | "closed"} Status `waiting` is the pause before the next attempt;
 *   after `failed` (a wrong filter, no token: see `error`) and `closed` there is no other.
 *
 * @typedef {object} Options
 * @property {string | (() => string | Promise<string>)} [token] the bearer token; a function is asked before each request
 * @property {HeadersInit} [headers] further headers of each request
 * @property {string} [offset] where to go on: the `offset` that an earlier stream had…
 * @property {Row[]} [rows] …together with its `rows`
 * @property {(change: Change) => void} [onChange] called for each step, with `rows` already changed
 * @property {(stream: Stream) => void} [onMark] called when `rows` are the result at `offset`: both may be saved together
 * @property {(status: Status) => void} [onStatus] called when `status` is another
 * @property {number} [silence] after how many milliseconds without a byte it connects again; 30,000
 * @property {number} [longestDelay] the longest pause between two attempts, in milliseconds; 30,000
 * @property {typeof fetch} [fetch] what sends the requests
 */

/**
 * Follows a stream until `close()`.
 *
 * @param {string | URL} url the stream, as in `/streams/Post?where=likeCount%20%3E%2010`
 * @param {Options} [options]
 * @returns {Stream}
 */
export function follow(url, options = {}) {
  return new Stream(new URL(url, globalThis.location?.href), options)
}

/** What the client has does not fit what the server sends: it begins again. */
class Mismatch extends Error {}
/** The server refuses the request, and would refuse it again. */
class Refusal extends Error {}

class Stream {
  /** @type {Row[]} the rows in the order of the result; a new array after each step */
  rows
  /** @type {string} */
  offset
  /** @type {Status} */
  status = "connecting"
  /** @type {Error | null} why the last attempt ended, if it failed */
  error = null
  #url
  #options
  #cursor
  #connection
  #type

  constructor(url, options) {
    this.#url = url
    this.#options = options
    this.rows = options.rows ?? []
    this.offset = options.offset ?? "-1"
    this.#run()
  }

  /** Ends the stream; no function is called after it. */
  close() {
    this.#setStatus("closed")
    this.#connection?.abort()
  }

  async #run() {
    let failures = 0
    while (this.status !== "closed") {
      // A stream that ends in time is continued at once, and stays live.
      if (failures) this.#setStatus("connecting")
      let marks = 0
      try {
        await this.#read(() => (failures = 0, marks++))
        if (!marks) failures++
      } catch (error) {
        this.error = error
        failures++
        if (error instanceof Refusal) return this.#setStatus("failed")
        // Its rows stay until the snapshot comes, which is one step from them.
        if (error instanceof Mismatch) this.offset = "-1"
      }
      if (this.status === "closed") return
      if (failures) this.#setStatus("waiting")
      await this.#pause(failures && Math.random() * Math.min(this.#options.longestDelay ?? 30_000, 125 * 2 ** failures))
    }
  }

  /** One request, until its end; `onMark` is called at each mark. */
  async #read(onMark) {
    const { token, headers, silence = 30_000, fetch = globalThis.fetch } = this.#options
    const connection = this.#connection = new AbortController()
    let timer
    const listen = () => {
      clearTimeout(timer)
      timer = setTimeout(() => connection.abort(new Error("the server is silent")), silence)
    }
    try {
      const url = new URL(this.#url)
      url.searchParams.set("offset", this.offset)
      url.searchParams.set("live", "sse")
      if (this.#cursor) url.searchParams.set("cursor", this.#cursor)
      const fields = new Headers(headers)
      const bearer = typeof token === "function" ? await token() : token
      if (bearer) fields.set("Authorization", `Bearer ${bearer}`)
      listen()
      const response = await fetch(url, { headers: fields, signal: connection.signal, cache: "no-store" })
      if (!response.ok) throw await this.#refusal(response)
      let messages = []
      for await (const { name, data } of events(response.body, listen)) {
        if (name === "data") messages = messages.concat(JSON.parse(data))
        if (name === "error") {
          // Only a filter that costs too much does so again.
          throw JSON.parse(data).error?.code === "filterTooExpensive" ? new Refusal(data) : new Error(data)
        }
        if (name !== "control") continue
        // What no mark has confirmed comes again after a cut, so it is applied only now.
        this.#apply(messages, JSON.parse(data))
        if (this.status === "closed") return
        messages = []
        onMark()
      }
    } finally {
      clearTimeout(timer)
      connection.abort()
    }
  }

  #apply(messages, mark) {
    for (const { type } of messages) {
      if (type !== undefined && type !== (this.#type ??= type)) {
        throw new Refusal(`the stream has several entities, ${this.#type} and ${type}: follow one entity with each stream`)
      }
    }
    let rows = this.rows
    const changes = steps(messages).map((step) => {
      const change = applied(rows, step)
      rows = change.rows
      return change
    })
    if (mark.upToDate) fits((mark.rowCount ?? rows.length) === rows.length)
    this.offset = mark.streamNextOffset
    this.#cursor = mark.streamCursor
    this.error = null
    for (const change of changes) {
      this.rows = change.rows
      // After a reset everything may be as before.
      const { deletions, insertions, modifications, moves } = change
      if ([deletions, insertions, modifications, moves].some((list) => list.length)) this.#call("onChange", change)
    }
    this.#setStatus("live")
    this.#call("onMark", this)
  }

  async #refusal(response) {
    const text = await response.text()
    const isOfOffset = response.status === 410 || response.status === 400 && text.includes('"parameter":"offset"')
    if (isOfOffset && this.offset !== "-1") return new Mismatch(text)
    const isLasting = response.status >= 400 && response.status < 500 && ![408, 425, 429].includes(response.status)
    return new (isLasting ? Refusal : Error)(`status ${response.status}: ${text}`)
  }

  #pause(delay) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay)
      this.#connection = { abort: () => (clearTimeout(timer), resolve()) }
    })
  }

  #setStatus(status) {
    if (this.status === status || this.status === "closed") return
    this.status = status
    this.#call("onStatus", status)
  }

  #call(name, argument) {
    if (this.status === "closed" && name !== "onStatus") return
    try {
      this.#options[name]?.(argument)
    } catch (error) {
      // An error of the page is the page's, and no reason to connect again.
      setTimeout(() => { throw error })
    }
  }
}

/** The server-sent events of a body. */
async function* events(body, onBytes) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let [text, name, data] = ["", "", []]
  for (let part; !(part = await reader.read()).done;) {
    onBytes()
    const lines = (text + part.value).split(/\r?\n/)
    text = lines.pop()
    for (const line of lines) {
      if (line.startsWith("event:")) name = line.slice(6).trim()
      if (line.startsWith("data:")) data.push(line.slice(5))
      if (line !== "") continue
      if (data.length) yield { name, data: data.join("\n") };
      [name, data] = ["", []]
    }
  }
}

function fits(condition) {
  if (!condition) throw new Mismatch("the rows are not those that the server has")
}

/** Messages of one `txid` are one step. */
function steps(messages) {
  const steps = []
  for (const message of messages) {
    const last = steps.at(-1)
    if (last?.[0].headers.txid === message.headers.txid) last.push(message)
    else steps.push([message])
  }
  return steps
}

/** The change from rows to those after a step. */
function applied(previous, step) {
  const { txid: version, origin } = step[0].headers
  const isWhole = step.some((message) => message.headers.control === "snapshot-start")
  const messages = step.filter((message) => message.headers.operation)
  const taken = new Set()
  const [deletions, insertions, modifications, moves] = [[], [], [], []]
  for (const { key, headers: { operation, from, index } } of messages) {
    if (operation === "insert") insertions.push(index)
    else if (from !== undefined) {
      fits(!isWhole && previous[from]?.key === key && !taken.has(from))
      taken.add(from)
      if (operation === "delete") deletions.push(from)
      else moves.push({ key, from, to: index })
    } else fits(operation === "update")
  }
  const base = isWhole ? [] : previous.filter((_, place) => !taken.has(place))
  const [rows, isPut] = [[], ({ headers }) => headers.operation === "insert" || headers.from !== undefined]
  const put = messages.filter((message) => message.headers.operation !== "delete" && isPut(message))
  let place = 0
  for (const { key, value, headers: { index } } of put.sort((a, b) => a.headers.index - b.headers.index)) {
    while (rows.length < index && place < base.length) rows.push(base[place++])
    fits(rows.length === index)
    rows.push({ key, value })
  }
  while (place < base.length) rows.push(base[place++])
  for (const { key, value, headers: { operation, index, from } } of messages) {
    if (operation !== "update") continue
    fits(rows[index]?.key === key)
    const old = from === undefined ? rows[index].value : previous[from].value
    if (from === undefined) rows[index] = { key, value }
    if (!isSame(old, value)) modifications.push({ key, index, old })
  }
  for (const { headers: { rowCount } } of step) fits((rowCount ?? rows.length) === rows.length)
  if (isWhole) return { ...difference(previous, rows), version, origin }
  for (const places of [deletions, insertions]) places.sort((a, b) => a - b)
  for (const list of [modifications, moves]) list.sort((a, b) => (a.index ?? a.to) - (b.index ?? b.to))
  return { previous, rows, deletions, insertions, modifications, moves, version, origin }
}

/** The change from rows to others that are not known by messages, with the fewest moves. */
function difference(previous, rows) {
  const [before, after] = [previous, rows].map((list) => new Map(list.map((row, place) => [row.key, place])))
  const deletions = [...previous.keys()].filter((place) => !after.has(previous[place].key))
  const insertions = [...rows.keys()].filter((place) => !before.has(rows[place].key))
  const kept = [...rows.keys()].filter((place) => before.has(rows[place].key))
  const from = (place) => before.get(rows[place].key)
  const modifications = kept.filter((place) => !isSame(previous[from(place)].value, rows[place].value))
    .map((place) => ({ key: rows[place].key, index: place, old: previous[from(place)].value }))
  // The longest run of rows whose order is as before stays: `ends[n]` is the end of the best run of n + 1 rows.
  const [ends, link] = [[], new Map()]
  for (const place of kept) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (from(ends[middle]) < from(place)) low = middle + 1
      else high = middle
    }
    link.set(place, ends[low - 1])
    ends[low] = place
  }
  const still = new Set()
  for (let place = ends.at(-1); place !== undefined; place = link.get(place)) still.add(place)
  const moves = kept.filter((place) => !still.has(place))
    .map((place) => ({ key: rows[place].key, from: from(place), to: place }))
  return { previous, rows, deletions, insertions, modifications, moves }
}

function isSame(left, right) {
  return JSON.stringify(left) === JSON.stringify(right)
}
