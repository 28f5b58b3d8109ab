// What a page sees of streams that fail, go on and are closed; each line is an expectation of the tests.
import { follow } from "../../Sources/LiveStoreServer/Browser/livestore.js"

const base = `http://127.0.0.1:${process.argv[2]}/streams/Post`

/** Follows until the first mark, or the end; `look` sees the stream and its changes. */
function first(name, parameters, options, look) {
  return new Promise((resolve) => {
    const changes = []
    let stream
    const done = () => {
      console.log(`${name}: ${stream.status}, ${look(stream, changes)}`)
      stream.close()
      resolve()
    }
    stream = follow(base + parameters, {
      longestDelay: 5,
      onChange: (change) => changes.push(change),
      onMark: done,
      onStatus: (status) => status === "failed" && done(),
      ...options,
    })
  })
}

const refusal = ({ error, rows }) => `${error.message.slice(0, 10)}, ${rows.length} rows`
await first("without a token", "", {}, refusal)
await first("with a wrong filter", "?where=secret+==+1", { token: "secret" }, refusal)
await first("with a token", "", { token: async () => "secret" }, ({ rows }, changes) =>
  `${rows.length} rows, ${changes.length} change with ${changes[0].insertions.length} insertions`)

// Rows of another store, at an offset that is none: the snapshot is one change from them.
const [one, two, three] = await new Promise((resolve) => {
  const stream = follow(base, { token: "secret", onMark: () => { stream.close(); resolve(stream.rows) } })
})
const saved = [three, { key: "9", value: {} }, { ...two, value: { title: "old" } }]
await first("with saved rows", "", { token: "secret", offset: "none", rows: saved }, ({ rows }, changes) => {
  const kinds = ["deletions", "insertions", "modifications", "moves"]
  const counts = kinds.map((kind) => `${changes[0][kind].length} ${kind}`)
  const isPlaced = rows[0].key === one.key && changes[0].previous === saved
  return `${rows.length} rows, ${changes.length} change with ${isPlaced ? counts.join(", ") : "wrong places"}`
})

const several = ({ error, rows }) => `${error.message.split(": ").at(-1)}, ${rows.length} rows`
await first("of several entities", ",Author", { token: "secret" }, several)

const errors = []
process.on("uncaughtException", (error) => errors.push(error.message))
await first("after an error of the page", "", { token: "secret", onChange() { throw new Error("page") } },
  ({ rows }) => `${rows.length} rows`)
await new Promise((resolve) => setTimeout(resolve, 0))
if (errors.join() !== "page") console.log(`the errors of the page are ${errors}`)

let calls = 0
const closed = follow(base, { token: "secret", onChange: () => calls++ })
closed.close()
await new Promise((resolve) => setTimeout(resolve, 50))
console.log(`after close: ${closed.status}${calls ? `, and ${calls} calls` : ""}`)
process.exit(0)
