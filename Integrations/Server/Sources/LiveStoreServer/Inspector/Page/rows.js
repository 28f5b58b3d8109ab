// The rows of one entity: a live window of them, filtered and sorted by the server.
import { follow } from "./livestore.js"
import { Table, element, setText } from "./table.js"
import { count } from "./views.js"

const firstLimit = 200
const find = (id) => document.getElementById(id)

/** A value as a cell shows it. */
function shown(value) {
  if (value === undefined) return ""
  return typeof value === "string" ? value : JSON.stringify(value)
}

export class RowsView {
  #options
  #table
  #entity = null
  #stream = null
  #limit = firstLimit
  #state = null
  #isDrawn = true
  /** The fields that the columns show, as text. */
  #fields = ""
  /** What the last mark gave, and what was asked for; it stays until another stream has a mark. */
  #marked = null

  /** @param {{token: () => string, onSelect: (title: string, figures: [string, string][]) => void}} options */
  constructor(options) {
    this.#options = options
    this.#table = new Table(find("rows-table"), [], {
      key: (row) => row.key, empty: "No rows", isFreshMarked: true, isSortedByServer: true,
      onSort: () => this.#restart(), onSelect: () => this.#showDetail(),
    })
    let timer
    find("where").addEventListener("input", () => {
      clearTimeout(timer)
      timer = setTimeout(() => this.#restart(), 250)
    })
    find("more").addEventListener("click", () => {
      this.#limit *= 2
      this.#restart()
    })
  }

  get entity() { return this.#entity }

  /** Shows the entities of a state, and how many rows each has. */
  update(state) {
    this.#state = state
    const list = find("entities")
    state.store.entities.forEach(({ name, rows }, place) => {
      let button = list.children[place]?.firstChild
      if (!button) {
        button = element("button", { type: "button" }, element("span"), element("span", { className: "count" }))
        list.append(element("li", {}, button))
        button.addEventListener("click", () => { location.hash = "rows/" + encodeURIComponent(button.dataset.name) })
      }
      button.dataset.name = name
      setText(button.firstChild, name)
      setText(button.lastChild, count(rows))
      button.setAttribute("aria-current", String(name === this.#entity))
    })
    while (list.children.length > state.store.entities.length) list.lastChild.remove()
    // An app that was started again may have another schema.
    if (this.#entity !== null && this.#fields !== this.#newestFields()) {
      const isFollowed = this.#stream !== null
      this.#showColumns()
      if (isFollowed) this.#restart()
    }
    this.#showNote()
  }

  /** Shows an entity; nil ends what is shown. */
  open(entity) {
    if (entity === this.#entity) return
    this.#entity = entity
    this.#limit = firstLimit
    this.#table.unselect()
    this.#showColumns()
    find("where").value = ""
    this.#showError(null)
    if (this.#state) this.update(this.#state)
    this.#restart()
  }

  /** Ends the stream, as another view is shown. */
  close() {
    this.#stream?.close()
    this.#stream = null
  }

  /** Follows the rows again, if they are not being followed. */
  resume() {
    if (this.#entity !== null && (!this.#stream || ["failed", "waiting"].includes(this.#stream.status))) this.#restart()
  }

  /** Takes the selection away. */
  unselect() {
    this.#table.unselect()
  }

  #newestFields() {
    return JSON.stringify(this.#state?.fields[this.#entity] ?? null)
  }

  #showColumns() {
    this.#fields = this.#newestFields()
    this.#marked = null
    this.#table.setColumns(this.#columns(this.#entity))
  }

  #columns(entity) {
    const { names, described } = this.#state.fields[entity] ?? { names: [], described: [] }
    const column = (name) => ({
      title: described.includes(name) ? name + " (as text)" : name, sort: name, isValue: true,
      value: (row) => row.value[name], text: (row) => shown(row.value[name]),
    })
    const id = { title: "id", sort: "id", isCode: true, value: (row) => row.key }
    return [id, ...names.filter((name) => name !== "id").map(column)]
  }

  #restart() {
    this.#stream?.close()
    if (this.#entity === null) return
    const url = new URL("streams/" + encodeURIComponent(this.#entity), document.baseURI)
    const filter = find("where").value.trim()
    if (filter) url.searchParams.set("where", filter)
    const { sort } = this.#table
    if (sort) url.searchParams.set("sort", sort.column.sort + (sort.isDescending ? ":desc" : ""))
    url.searchParams.set("limit", String(this.#limit))
    // What is shown stays until the new rows are there.
    const limit = this.#limit
    const stream = this.#stream = follow(url, {
      token: this.#options.token, longestDelay: 2_000, silence: 25_000,
      onMark: ({ rows }) => {
        this.#marked = { rows, limit, isFiltered: filter !== "" }
        this.#draw()
      },
      onStatus: (status) => {
        if (stream !== this.#stream) return
        if (status === "failed") this.#showError(stream.error)
        if (status === "live") this.#showError(null)
      },
    })
  }

  /** Draws at the next frame, however many marks come before it. */
  #draw() {
    if (!this.#isDrawn) return
    this.#isDrawn = false
    requestAnimationFrame(() => {
      this.#isDrawn = true
      if (!this.#stream || !this.#marked) return
      this.#table.show(this.#marked.rows)
      this.#showNote()
      if (this.#table.selected && !find("detail").hidden) this.#showDetail()
    })
  }

  #showNote() {
    const entity = this.#state?.store.entities.find(({ name }) => name === this.#entity)
    if (!find("where-error").hidden) return setText(find("rows-note"), "the rows before this filter")
    if (!this.#marked) {
      find("more").hidden = true
      return setText(find("rows-note"), entity ? "…" : "")
    }
    const { rows: { length: rows }, limit, isFiltered } = this.#marked
    const isCut = rows >= limit
    find("more").hidden = !isCut || this.#limit >= 3_200
    setText(find("rows-note"), !entity ? "" : isFiltered
      ? (isCut ? "the first " : "") + `${count(rows)} that match, of ${count(entity.rows)}`
      : isCut ? `the first ${count(rows)} of ${count(entity.rows)}` : `${count(rows)} rows`)
  }

  #showError(error) {
    const [box, field] = [find("where-error"), find("where")]
    box.hidden = !error
    field.setAttribute("aria-invalid", String(Boolean(error)))
    find("rows-table").classList.toggle("stale", Boolean(error))
    this.#showNote()
    if (!error) return
    let { message, column } = { message: error.message }
    try {
      ({ message, column } = JSON.parse(message.slice(message.indexOf("{"))).error)
    } catch {
      // A proxy has answered, and its sentence is shown as it is.
    }
    // The sentence alone; the place in the filter is shown below it.
    setText(box.firstElementChild, message.split("\n")[0])
    const place = field.value.trim()
    setText(box.lastElementChild, column ? `${place}\n${" ".repeat(column - 1)}▲ column ${column}` : "")
  }

  #showDetail() {
    const row = this.#table.selected
    if (row) {
      this.#options.onSelect(`${this.#entity} ${row.key}`, Object.entries(row.value).map(([name, value]) =>
        [name, typeof value === "object" ? JSON.stringify(value, null, 2) : shown(value)]))
    }
  }
}
