// What the inspector shows beside rows: live queries, commits, versions, indexes, the schema, and followers.
import { Table, element, setText, showFigures } from "./table.js"

const find = (id) => document.getElementById(id)
const numbers = new Intl.NumberFormat()
const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2, useGrouping: false })
const exact = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })

/** A number with its digits in groups. */
export function count(number) {
  return number == null ? "" : numbers.format(number)
}

/** A number of seconds. */
export function duration(seconds) {
  if (seconds == null) return ""
  if (seconds < 1e-3) return `${short.format(seconds * 1e6)} µs`
  return seconds < 1 ? `${short.format(seconds * 1e3)} ms` : `${short.format(seconds)} s`
}

function bytes(number) {
  if (number < 1_000) return `${number} B`
  return number < 1e6 ? `${exact.format(number / 1e3)} kB` : `${exact.format(number / 1e6)} MB`
}

function time(milliseconds) {
  return clock.format(new Date(milliseconds))
}

function place({ location }) {
  return location ?? "unknown place"
}

function places(observers) {
  const [first, ...others] = [...new Set(observers.map(place))]
  return first === undefined ? "" : first + (others.length ? ` and ${others.length} more` : "")
}

function lag(observers) {
  return observers.reduce((most, observer) => Math.max(most, observer.lag ?? 0), 0)
}

function event({ version, deletions, insertions, modifications, moves }) {
  const parts = [[insertions, "+"], [deletions, "−"], [modifications, "~"], [moves, "↕"]]
  const changes = parts.filter(([number]) => number).map(([number, sign]) => sign + count(number)).join(" ")
  return `${changes || "first"} in ${version}`
}

function times(measured) {
  if (!measured) return "not measured"
  const { count: number, p50, p95, longest } = measured
  return `p50 ${duration(p50)}, p95 ${duration(p95)}, longest ${duration(longest)}, of ${count(number)}`
}

function timing(group, name) {
  return ["p50", "p95", "longest"].map((title) => ({
    title, group, isNumber: true, value: (query) => query[name]?.[title], text: (query) => duration(query[name]?.[title]),
  }))
}

function watchers({ observers }) {
  const behind = lag(observers)
  return count(observers.length) + (behind ? `, ${count(behind)} behind` : "")
}

function observer({ kind, location, version, lag, isPaused, excludedOrigins, offset, limit }) {
  const parts = [`${kind} at ${place({ location })}`, version == null ? "no event yet" : `version ${version}`]
  if (lag) parts.push(`${count(lag)} behind`)
  if (isPaused) parts.push("paused")
  if (limit != null) parts.push(`rows ${offset} to ${offset + limit}`)
  if (excludedOrigins.length) parts.push(`without ${excludedOrigins.join(", ")}`)
  return parts.join(" · ")
}

const queryColumns = [
  { title: "Query", isCode: true, value: (query) => query.text },
  { title: "Made at", value: (query) => places(query.observers) },
  { title: "Results", isNumber: true, value: (query) => query.results, text: (query) => count(query.results) },
  { title: "Observers", isNumber: true, value: (query) => query.observers.length, text: watchers },
  { title: "Last event", value: (query) => query.lastEvent?.date, text: (query) => query.lastEvent ? event(query.lastEvent) : "" },
  ...timing("Upkeep", "upkeep"),
  ...timing("Delivery", "delivery"),
  { title: "looked at", group: "Rows", isNumber: true, value: (query) => query.rowsTested, text: (query) => count(query.rowsTested) },
  { title: "changed", group: "Rows", isNumber: true, value: (query) => query.rowsChanged, text: (query) => count(query.rowsChanged) },
]

function total(commit) {
  return Object.values(commit.rows).reduce((sum, number) => sum + number, 0)
}

const commitColumns = [
  { title: "Version", isNumber: true, value: (commit) => commit.version },
  { title: "Time", value: (commit) => commit.date, text: (commit) => time(commit.date) },
  { title: "Origin", value: (commit) => commit.origin },
  { title: "Rows", isNumber: true, value: total, text: (commit) => count(total(commit)) },
  { title: "Of", value: (commit) => Object.entries(commit.rows).map(([name, number]) => `${name} ${count(number)}`).join(", ") },
  { title: "Body", isNumber: true, value: (commit) => commit.body, text: (commit) => duration(commit.body) },
  { title: "Commit", isNumber: true, value: (commit) => commit.commit, text: (commit) => duration(commit.commit) },
]

/** @param {Map<number, object>} queries the live queries by their numbers */
function holders(pin, queries) {
  const names = { newest: "it is the newest", history: "the history", upkeep: "upkeep of a query",
    app: "snapshots or results of the app" }
  return pin.holders.map(({ kind, query, observer }) => {
    const made = queries.get(query)?.observers.find(({ number }) => number === observer)
    const text = names[kind] ?? `an observer${made ? ` (${place(made)})` : ""}`
    return text + (queries.has(query) ? ` of ${queries.get(query).text}` : "")
  }).join(", ") || "snapshots or results of the app"
}

const pinColumns = [
  { title: "Versions", value: ({ pin }) => pin.first,
    text: ({ pin }) => pin.first === pin.last ? String(pin.first) : `${pin.first} to ${pin.last}` },
  { title: "How many", isNumber: true, value: ({ pin }) => pin.count, text: ({ pin }) => count(pin.count) },
  { title: "Held by", value: ({ pin, queries }) => holders(pin, queries) },
]

const indexColumns = [
  { title: "Entity", value: (index) => index.entity },
  { title: "Index", value: (index) => index.name },
  { title: "Lists", value: (index) => index.kind },
  { title: "Entries", isNumber: true, value: (index) => index.entries, text: (index) => count(index.entries) },
  { title: "Bytes, about", isNumber: true, value: (index) => index.bytes, text: (index) => bytes(index.bytes) },
]

function relation({ target, isToMany, isOwned, isRequired, deleteRule }) {
  const words = [isRequired && "required", isOwned && "owned", `on delete: ${deleteRule}`].filter(Boolean)
  return `${isToMany ? "many " : ""}${target} (${words.join(", ")})`
}

const schemaColumns = [
  { title: "Entity", value: (property) => property.entity },
  { title: "Property", value: (property) => property.name },
  { title: "Type", isCode: true, value: (property) => property.type },
  { title: "Options", value: (property) => property.options.join(", ") },
  { title: "Links to", value: (property) => property.relation ? relation(property.relation) : "" },
]

const observerColumns = [
  { title: "Made at", value: place },
  { title: "Kind", value: (observer) => observer.kind },
  { title: "Version", isNumber: true, value: (observer) => observer.version },
  { title: "Behind", isNumber: true, value: (observer) => observer.lag, text: (observer) => count(observer.lag) },
]

/** `rowsWritten` as "rows written". */
function words(name) {
  return name.replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase())
}

function metric(name, value) {
  if (Array.isArray(value)) return value.length ? `${count(value.length)}, most ${count(Math.max(...value))}` : "none"
  if (name.endsWith("Time")) return duration(value)
  return typeof value === "number" ? count(value) : String(value)
}

export class Views {
  #options
  #queries
  #plan = null
  #state = null
  #commits = new Table(find("commits-table"), commitColumns, {
    key: (commit) => String(commit.version), isFreshMarked: true, empty: "No commits since this page is open" })
  #pins = new Table(find("pins-table"), pinColumns, { key: ({ pin }) => String(pin.first) })
  #indexes = new Table(find("indexes-table"), indexColumns, {
    key: (index) => [index.entity, index.kind, index.name].join(), empty: "No entities" })
  #schema = new Table(find("schema-table"), schemaColumns, { key: (property) => property.entity + " " + property.name })
  #observers = new Table(find("observers-table"), observerColumns, { key: ({ number }) => String(number) })

  /**
   * @param {{plan: (query: number) => Promise<string>, onSelect: (title: string, figures: [string, string][]) => void}} options
   */
  constructor(options) {
    this.#options = options
    this.#queries = new Table(find("queries-table"), queryColumns, {
      key: (query) => String(query.number), empty: "Nothing is observed", onSelect: (query) => this.#showQuery(query) })
  }

  update(state) {
    const { store, reports } = this.#state = state
    showFigures(find("summary"), [
      ["version", String(store.version)],
      ["rows", count(store.entities.reduce((sum, { rows }) => sum + rows, 0))],
      ["live queries", count(store.metrics.liveQueries)],
      ["observers", count(store.metrics.observers)],
      ["versions held", count(store.metrics.versionsPinned)],
    ])
    setText(document.querySelector("#tab-queries .count"), count(store.metrics.liveQueries))
    setText(document.querySelector("#tab-commits .count"), count(store.commits.length || null))
    setText(document.querySelector("#tab-followers .count"), count(reports.length || null))
    this.draw()
  }

  /** Draws the view that is shown: others are drawn when they are opened. */
  draw() {
    if (!this.#state) return
    for (const [id, draw] of Object.entries(this.#drawings)) if (!find(id).hidden) draw(this.#state)
  }

  #drawings = {
    queries: ({ store }) => {
      const listed = store.queries.length
      find("queries-note").hidden = listed >= store.metrics.liveQueries
      setText(find("queries-note"),
        `The ${count(listed)} with the most rows looked at are listed, of ${count(store.metrics.liveQueries)}.`)
      this.#queries.show(store.queries)
      if (this.#plan && this.#queries.selected) this.#showFigures(this.#queries.selected)
    },
    commits: ({ store }) => this.#commits.show([...store.commits].reverse()),
    memory: ({ store }) => {
      const queries = new Map(store.queries.map((query) => [query.number, query]))
      this.#pins.show(store.pins.map((pin) => ({ pin, queries })))
      this.#indexes.show(store.entities.flatMap(({ name, rows, bytes, indexes }) => [
        { entity: name, name: "the table itself", kind: "rows", entries: rows, bytes },
        ...indexes.map((index) => ({ ...index, entity: name, kind: index.isUnique ? index.kind + ", unique" : index.kind })),
      ]))
      showFigures(find("metrics"), Object.entries(store.metrics).map(([name, value]) => [words(name), metric(name, value)]))
    },
    schema: ({ store }) => this.#schema.show(store.entities.flatMap(({ name, properties }) =>
      properties.map((property) => ({ ...property, entity: name })))),
    followers: ({ store, server, reports }) => {
      showFigures(find("server"), [
        ["requests that wait", count(server.streams)], ["requests that read", count(server.readers)],
        ["queries followed", count(server.queries)],
      ])
      this.#observers.show(store.commitObservers)
      this.#showReports(reports)
    },
  }

  #showReports(reports) {
    const box = find("reports")
    while (box.children.length > reports.length) box.lastChild.remove()
    reports.forEach(({ name, figures }, place) => {
      if (!box.children[place]) box.append(element("div", {}, element("h2"), element("dl", { className: "figures" })))
      setText(box.children[place].firstChild, name)
      showFigures(box.children[place].lastChild, figures.map((figure) => [figure.name, figure.value]))
    })
  }

  /** Shows a query beside the table: at once, and again with its plan and with each state. */
  async #showQuery(query) {
    if (this.#plan?.number !== query.number) this.#plan = { number: query.number, text: "…" }
    this.#showFigures(query)
    const text = await this.#options.plan(query.number)
    if (this.#plan.number !== query.number) return
    this.#plan = { number: query.number, text }
    if (this.#queries.selected) this.#showFigures(this.#queries.selected)
  }

  #showFigures(query) {
    this.#options.onSelect(query.entity, [
      ["Query", query.text], ["Made at", places(query.observers)],
      ["Results", count(query.results)], ["Updates", count(query.updates)],
      ["Versions not yet in the result", count(query.pendingSteps)], ["Evaluated again", count(query.rebuilds)],
      ["Upkeep", times(query.upkeep)], ["Delivery", times(query.delivery)],
      ["Rows", `${count(query.rowsTested)} looked at, ${count(query.rowsChanged)} changed`],
      ["Routed", query.isRouted ? "yes" : "no: each changed row of its entity is looked at"],
      ["Last event", query.lastEvent ? `${event(query.lastEvent)} at ${time(query.lastEvent.date)}` : "none while this page is open"],
      ...query.observers.slice(0, 100).map((each) => [`Observer ${each.number}`, observer(each)]),
      ["Plan", this.#plan.text],
    ])
  }

  /** Takes the selection away in all tables. */
  unselect() {
    this.#queries.unselect()
    this.#plan = null
  }
}
