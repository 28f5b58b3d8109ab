// The inspector's page: follows the server's states, and shows one view at a time.
import { RowsView } from "./rows.js"
import { element, setText } from "./table.js"
import { Views } from "./views.js"

const find = (id) => document.getElementById(id)
const tabs = [...document.querySelectorAll("[role=tab]")]
const views = tabs.map((tab) => tab.getAttribute("aria-controls"))
let token = sessionStorage.getItem("livestore-token") ?? ""
let state = null
let connection = null
let isHidden = false

const headers = () => (token ? { Authorization: `Bearer ${token}` } : {})

async function plan(query) {
  try {
    const response = await fetch(`plan?query=${query}`, { headers: headers() })
    const answer = await response.json()
    return answer.plan ?? answer.error.message
  } catch (error) {
    return String(error)
  }
}

/** Shows figures in full beside the view. */
function showDetail(title, figures) {
  const [panel, list] = [find("detail"), find("detail").querySelector("dl")]
  panel.hidden = false
  setText(panel.querySelector("h2"), title)
  while (list.children.length > figures.length * 2) list.lastChild.remove()
  figures.forEach(([name, value], place) => {
    if (!list.children[place * 2]) list.append(element("dt"), element("dd"))
    setText(list.children[place * 2], name)
    setText(list.children[place * 2 + 1], value)
  })
}

function closeDetail() {
  find("detail").hidden = true
  rows.unselect()
  others.unselect()
}

const rows = new RowsView({ token: () => token, onSelect: showDetail })
const others = new Views({ plan, onSelect: showDetail })

/** Shows the view that the address names: `#queries`, `#rows/Post`. */
function openView() {
  const [name, entity] = location.hash.slice(1).split("/")
  const view = views.includes(name) ? name : "rows"
  for (const tab of tabs) {
    const isShown = tab.getAttribute("aria-controls") === view
    tab.setAttribute("aria-selected", String(isShown))
    tab.tabIndex = isShown ? 0 : -1
    if (isShown) tab.scrollIntoView({ block: "nearest", inline: "nearest" })
    find(tab.getAttribute("aria-controls")).hidden = !isShown
  }
  others.draw()
  if (view !== "rows") rows.close()
  else if (state) {
    const names = state.store.entities.map((each) => each.name)
    const wanted = entity === undefined ? rows.entity : decodeURIComponent(entity)
    rows.open(names.includes(wanted) ? wanted : names[0] ?? null)
    rows.resume()
    rows.update(state)
  }
}

/** Goes to another view; the rows that were shown last are shown again. */
function go(view) {
  closeDetail()
  location.hash = view === "rows" && rows.entity !== null ? "rows/" + encodeURIComponent(rows.entity) : view
}

for (const [place, tab] of tabs.entries()) {
  tab.addEventListener("click", () => go(views[place]))
  tab.addEventListener("keydown", ({ key }) => {
    const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[key]
    if (next === undefined) return
    const target = (next + tabs.length) % tabs.length
    tabs[target].focus()
    go(views[target])
  })
}
addEventListener("hashchange", () => {
  if (!readToken()) openView()
})
addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && !find("detail").hidden) closeDetail()
})
find("close").addEventListener("click", closeDetail)

/** Takes the token of an address that ends in `#token=…`, which a browser sends to no server. */
function readToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token")
  if (given === null) return false
  setToken(given)
  history.replaceState(null, "", location.pathname)
  return true
}

function setToken(given) {
  token = given
  sessionStorage.setItem("livestore-token", token)
  connection?.abort()
}

find("access").addEventListener("submit", (event) => {
  event.preventDefault()
  find("access").hidden = true
  setToken(find("token").value)
})

function setConnection(name, text) {
  find("connection").dataset.state = name
  setText(find("connection"), text)
}

function update(newest) {
  const isOther = state?.store.entities.map(({ name }) => name).join() !== newest.store.entities.map(({ name }) => name).join()
  state = newest
  setConnection("live", "Connected")
  setText(find("process"), `${state.process.name} (${state.process.id})`)
  document.title = `${state.process.name} – LiveStore inspector`
  rows.update(state)
  others.update(state)
  // Also where the app was started again with other entities.
  if (isOther) openView()
}

/** One connection, until its end. Calls `onState` for each state. */
async function readStates(onState) {
  connection = new AbortController()
  let timer
  const listen = () => {
    clearTimeout(timer)
    timer = setTimeout(() => connection.abort(), 15_000)
  }
  listen()
  try {
    const response = await fetch("events", { headers: headers(), signal: connection.signal, cache: "no-store" })
    if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    for (let part; !(part = await reader.read()).done;) {
      listen()
      const events = (text + part.value).split("\n\n")
      text = events.pop()
      // Of states that came together, the last is all that counts. Comments say that the server is there.
      const last = events.findLast((event) => event.startsWith("event: state"))
      if (last !== undefined) onState(JSON.parse(last.slice(last.indexOf("data:") + 5)))
    }
  } finally {
    clearTimeout(timer)
  }
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    connection = { abort: () => (clearTimeout(timer), resolve()) }
  })
}

async function followStates() {
  for (let failures = 0; !isHidden; ) {
    try {
      let isFirst = true
      await readStates((newest) => {
        update(newest)
        if (isFirst && failures > 0 && !find("rows").hidden) rows.resume()
        ;[isFirst, failures] = [false, 0]
      })
      // A stream ends in time, and is continued at once.
      if (isFirst) throw new Error("the server sends nothing")
    } catch (error) {
      failures++
      if (error.status === 401) {
        setConnection("failed", "No access")
        find("access").hidden = false
        find("token").focus()
      } else {
        setConnection("waiting", "Not connected, trying again …")
      }
      await pause(error.status === 401 ? 3_600_000 : Math.random() * Math.min(3_000, 200 * 2 ** failures))
    }
  }
}

// A page that the browser holds back for its history would hold its connections, of which there are few for each server.
addEventListener("pagehide", () => {
  rows.close()
  connection?.abort()
  isHidden = true
})
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload()
})

readToken()
openView()
followStates()
