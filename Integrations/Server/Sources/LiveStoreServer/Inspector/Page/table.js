// A table that is shown again and again: rows keep their elements by key, and only text that differs is written, so that what
// is selected, focused or scrolled to stays as it is. All texts are set as text, never as HTML.

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {string} [group] a title above this column and its neighbours of the same group
 * @property {boolean} [isNumber]
 * @property {boolean} [isValue] whether numbers and null among the values are shown as such
 * @property {boolean} [isCode]
 * @property {(item: any) => any} value what it is sorted by, and shown if there is no `text`
 * @property {(item: any) => string} [text]
 * @property {string} [sort] the name by which the server sorts; without it the page does
 */

/** How many rows a table has that the page sorts. */
const mostRows = 500

/** Makes an element. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/** Sets the text of an element, if it has another. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/** Shows names and values as a list of definitions, reusing its elements. */
export function showFigures(list, figures) {
  while (list.children.length > figures.length) list.lastChild.remove()
  figures.forEach(([name, value], place) => {
    if (!list.children[place]) list.append(element("div", {}, element("dt"), element("dd")))
    setText(list.children[place].firstChild, name)
    setText(list.children[place].lastChild, value)
  })
}

export class Table {
  /** @type {{column: Column, isDescending: boolean} | null} */
  sort = null
  #table
  #columns = []
  #options
  #head = document.createElement("thead")
  #body = document.createElement("tbody")
  #rows = new Map()
  #items = []
  #selected = null

  /**
   * @param {HTMLTableElement} table
   * @param {Column[]} columns
   * @param {{key: (item: any) => string, empty?: string, isFreshMarked?: boolean, isSortedByServer?: boolean,
   *   onSort?: () => void, onSelect?: (item: any) => void}} options
   */
  constructor(table, columns, options) {
    this.#table = table
    this.#options = options
    table.append(this.#head, this.#body)
    this.setColumns(columns)
    this.#body.addEventListener("click", (event) => {
      if (String(getSelection())) return
      const row = event.target.closest("tr")
      if (row?.dataset.key !== undefined) this.#choose(row)
    })
    this.#body.addEventListener("keydown", (event) => this.#pressed(event))
  }

  setColumns(columns) {
    this.#columns = columns
    this.#rows = new Map()
    this.#items = []
    this.sort = null
    this.#body.replaceChildren()
    this.#showHead()
  }

  /** Shows items in their order, or sorted. */
  show(items) {
    this.#items = items
    const { key, empty, isFreshMarked, isSortedByServer } = this.#options
    if (this.sort && !isSortedByServer) items = this.#sorted(items)
    const others = isSortedByServer ? 0 : items.length - mostRows
    if (others > 0) items = items.slice(0, mostRows)
    const hadRows = this.#rows.size > 0
    const focused = this.#body.contains(document.activeElement) ? document.activeElement : null
    const rows = new Map(items.map((item) => [key(item), item]))
    for (const [old, row] of this.#rows) {
      if (!rows.has(old)) {
        row.remove()
        this.#rows.delete(old)
      }
    }
    this.#body.querySelector("tr.note")?.remove()
    let place = this.#body.firstElementChild
    for (const [name, item] of rows) {
      let row = this.#rows.get(name)
      if (!row) {
        row = this.#made(name)
        this.#rows.set(name, row)
        if (hadRows && isFreshMarked) this.#mark(row)
      } else if (row === place) {
        place = place.nextElementSibling
      }
      if (row.nextElementSibling !== place || !row.parentElement) this.#body.insertBefore(row, place)
      if (this.#fill(row, item) && hadRows && isFreshMarked) this.#mark(row)
    }
    if (!rows.size || others > 0) {
      const text = rows.size ? `and ${others} more: sort by a column to see others` : empty ?? "None"
      const cell = element("td", { className: "empty", colSpan: this.#columns.length }, text)
      this.#body.append(element("tr", { className: "note" }, cell))
    }
    this.#setTabStop()
    if (focused && document.activeElement !== focused && focused.isConnected) focused.focus({ preventScroll: true })
  }

  /** Takes the selection away. */
  unselect() {
    this.#rows.get(this.#selected)?.removeAttribute("aria-selected")
    this.#selected = null
  }

  /** The item that is selected. */
  get selected() {
    return this.#items.find((item) => this.#options.key(item) === this.#selected)
  }

  #showHead() {
    const titles = document.createElement("tr")
    const groups = document.createElement("tr")
    for (const column of this.#columns) {
      const isNext = column.group !== undefined && groups.lastElementChild?.dataset.group === column.group
      if (isNext) groups.lastElementChild.colSpan++
      else {
        const cell = element("th", { className: "group", scope: "colgroup" }, column.group ?? "")
        if (column.group !== undefined) cell.dataset.group = column.group
        groups.append(cell)
      }
      const button = element("button", { type: "button" }, column.title)
      button.addEventListener("click", () => this.#sortBy(column))
      const isSortable = !this.#options.isSortedByServer || column.sort !== undefined
      titles.append(element("th", { scope: "col", className: column.isNumber ? "number" : "" },
        isSortable ? button : element("span", {}, column.title)))
    }
    const hasGroups = this.#columns.some(({ group }) => group !== undefined)
    this.#head.replaceChildren(...(hasGroups ? [groups, titles] : [titles]))
  }

  /** Ascending, then descending, then as it comes. */
  #sortBy(column) {
    if (this.sort?.column !== column) this.sort = { column, isDescending: column.isNumber === true }
    else if (this.sort.isDescending === (column.isNumber === true)) this.sort.isDescending = !this.sort.isDescending
    else this.sort = null
    const cells = this.#head.lastElementChild.children
    this.#columns.forEach((other, place) => {
      if (other !== this.sort?.column) cells[place].removeAttribute("aria-sort")
      else cells[place].setAttribute("aria-sort", this.sort.isDescending ? "descending" : "ascending")
    })
    if (this.#options.isSortedByServer) this.#options.onSort?.()
    else this.show(this.#items)
  }

  #sorted(items) {
    const { column, isDescending } = this.sort
    const sign = isDescending ? -1 : 1
    const compare = (left, right) => {
      const [a, b] = [column.value(left), column.value(right)]
      // What has no value stands last in both directions.
      if (a == null || b == null) return (a == null) - (b == null)
      return sign * (typeof a === "string" ? a.localeCompare(b) : a - b)
    }
    return [...items].sort(compare)
  }

  #made(key) {
    const row = document.createElement("tr")
    row.dataset.key = key
    row.tabIndex = -1
    if (key === this.#selected) row.setAttribute("aria-selected", "true")
    for (const column of this.#columns) {
      const names = [column.isNumber && "number", column.isCode && "code"].filter(Boolean)
      row.append(element("td", { className: names.join(" ") }))
    }
    return row
  }

  /** Writes what differs; whether anything did in a row that was there. */
  #fill(row, item) {
    let isOther = false
    this.#columns.forEach((column, place) => {
      const cell = row.children[place]
      const value = column.value(item)
      const text = column.text ? column.text(item) : value == null ? "" : String(value)
      if (cell.textContent === text) return
      isOther = true
      cell.textContent = text
      cell.title = text.length > 40 ? text : ""
      if (column.isValue) {
        cell.classList.toggle("null", value === null)
        cell.classList.toggle("number", typeof value === "number")
        if (value !== null) this.#head.lastElementChild.children[place].classList.toggle("number", typeof value === "number")
      }
    })
    return isOther
  }

  #mark(row) {
    row.classList.remove("fresh")
    // Reading a measure makes the browser forget the animation, so that it begins again.
    void row.offsetWidth
    row.classList.add("fresh")
  }

  #choose(row) {
    this.unselect()
    this.#selected = row.dataset.key
    row.setAttribute("aria-selected", "true")
    this.#setTabStop()
    row.focus({ preventScroll: true })
    this.#options.onSelect?.(this.selected)
  }

  /** One row is reached by the tabulator; from there, arrows lead on. */
  #setTabStop() {
    const stop = this.#rows.get(this.#selected) ?? this.#body.querySelector("tr[data-key]")
    for (const row of this.#body.querySelectorAll("tr[tabindex='0']")) if (row !== stop) row.tabIndex = -1
    if (stop) stop.tabIndex = 0
  }

  #pressed(event) {
    const row = event.target.closest("tr")
    const keys = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling,
      Home: row?.parentElement.firstElementChild, End: row?.parentElement.lastElementChild }
    if (event.key in keys) {
      keys[event.key]?.focus()
      event.preventDefault()
    } else if (event.key === "Enter" || event.key === " ") {
      this.#choose(row)
      event.preventDefault()
    }
  }
}
