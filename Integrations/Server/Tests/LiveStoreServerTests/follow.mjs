// Follows streams of a server with `livestore.js`, as a page would, and checks what it says of its changes. It takes and writes
// what `follow.py` takes and writes.
import { follow } from "../../Sources/LiveStoreServer/Browser/livestore.js"

const task = JSON.parse(process.argv[2])

/** A generator of numbers from 0 to 1 that a seed determines. */
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) / 4294967296
  }
}

/** A `fetch` whose connections end after some bytes, which come in small and large parts. */
function cuttingFetch(random, stream) {
  let [factor, lastOffset] = [1, ""]
  return async (url, init) => {
    const offset = url.searchParams.get("offset")
    factor = offset === lastOffset ? factor * 2 : 1
    lastOffset = offset
    if (stream.pause) await new Promise((resolve) => setTimeout(resolve, random() * stream.pause * 1_000))
    const response = await fetch(url, init)
    let budget = stream.cuts ? random() * [10, 100, 1_000, 10_000][Math.floor(random() * 4)] * factor : Infinity
    const parts = new TransformStream({
      transform(bytes, controller) {
        const size = [1, 7, 65_536][Math.floor(random() * 3)]
        for (let at = 0; at < bytes.length; at += size) {
          const part = bytes.subarray(at, at + size)
          if ((budget -= part.length) < 0) return controller.error(new Error("cut"))
          controller.enqueue(part)
        }
      },
    })
    return new Response(response.body.pipeThrough(parts), { status: response.status, headers: response.headers })
  }
}

/** The rows after a change, by what the change says alone. */
function changed(rows, change) {
  const taken = new Set([...change.deletions, ...change.moves.map((move) => move.from)])
  const values = new Map([
    ...change.insertions.map((place) => [place, change.rows[place]]),
    ...change.moves.map(({ key, from, to }) => {
      if (rows[from].key !== key) throw new Error(`${key} is not moved from ${from}`)
      return [to, rows[from]]
    }),
  ])
  const result = rows.filter((_, place) => !taken.has(place))
  for (const place of [...values.keys()].sort((a, b) => a - b)) result.splice(place, 0, values.get(place))
  for (const { key, index, old } of change.modifications) {
    if (result[index].key !== key) throw new Error(`${key} is not modified at ${index}`)
    if (JSON.stringify(result[index].value) !== JSON.stringify(old)) throw new Error(`${key} was not ${JSON.stringify(old)}`)
    result[index] = change.rows[index]
  }
  return result
}

/** How many rows must move at least, by trying all runs. */
function fewestMoves(before, after) {
  const places = new Map(before.map((row, place) => [row.key, place]))
  const order = after.map((row) => places.get(row.key)).filter((place) => place !== undefined)
  const longest = order.map(() => 1)
  for (let end = 0; end < order.length; end++) {
    for (let start = 0; start < end; start++) {
      if (order[start] < order[end]) longest[end] = Math.max(longest[end], longest[start] + 1)
    }
  }
  return order.length - Math.max(0, ...longest)
}

function write(line) { process.stdout.write(JSON.stringify(line) + "\n") }

task.streams.forEach((stream, number) => {
  const random = generator(task.seed * 1000 + number)
  let shown = []
  const check = (change) => {
    const text = JSON.stringify(shown)
    if (JSON.stringify(change.previous) !== text) throw new Error("a change does not start from the rows before")
    const moved = fewestMoves(change.previous, change.rows)
    if (change.moves.length !== moved) throw new Error(`${change.moves.length} rows move, and ${moved} would do`)
    shown = changed(shown, change)
    if (JSON.stringify(shown) !== JSON.stringify(change.rows)) throw new Error("a change does not give the rows after")
    if (JSON.stringify(shown) === text) throw new Error("a change changes nothing")
  }
  follow(`http://127.0.0.1:${task.port}${stream.target}`, {
    fetch: cuttingFetch(random, stream),
    longestDelay: 10,
    onChange(change) {
      try { check(change) } catch (error) { write({ stream: number, error: `${error}` }) }
    },
    onMark({ offset, rows }) {
      write({ stream: number, offset, rows: rows.map(({ key, value }) => [key, value]) })
    },
    onStatus(status) {
      if (status === "failed") write({ stream: number, error: "it failed" })
    },
  })
})
process.stdin.resume().on("end", () => process.exit(0))
